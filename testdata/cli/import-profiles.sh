# Profiles of every text form, and stacks of goroutines, by their content; a damaged one says what
# of it is lost. Sizes and seconds differ from build to build.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]*i*B in/to YKiB in/'; }
for f in testdata/corpus/profiles/*.d[12]; do
	cp "$f" "$TMP/"
done
cd "$TMP"
for f in *.d[12]; do
	tprof-import -o s.tprof "$f" 2>&1 | plain
done
head -c 3000 stuck-1.27.goroutine.d1 >cut.d1
tprof-import -o cut.tprof cut.d1 2>&1 | plain
tprof-query cut.tprof 'SELECT "offset", bytes, events, reason FROM loss'
tprof-import -o strict.tprof --strict cut.d1 2>&1
printf 'goroutine profile: total 2\n1 @ 0x4\n1 @ nowhere\n' | tprof-import -o in.tprof - 2>&1 | plain
tprof-query s.tprof "SELECT format, count(*) AS runs FROM run GROUP BY 1"
tprof-query s.tprof "SELECT name, item, value, text FROM counter WHERE name LIKE 'Stack%' OR name = 'GCCPUFraction'"
