# -o FILE is written beside FILE and takes its name when it is whole: what was there stays after an
# error. Devices, pipes and links stay what they are, and what is read is not written to.
try() { "$@" 2>&1 | sed "s,$TMP,TMP,"; }
few() { (trap '' XFSZ; ulimit -f 1; "$@"; echo "status $?"); }
for how in "tprof-flame" "tprof-export --format=proto"; do
	echo old >"$TMP/kept"
	cp "$TMP/kept" "$TMP/kept.part"
	try few $how -o "$TMP/kept" testdata/catalog.cpu
	cat "$TMP/kept" "$TMP/kept.part"
	ln -sf kept "$TMP/link"
	chmod 600 "$TMP/kept"
	$how -o "$TMP/link" testdata/catalog.cpu
	test -L "$TMP/link" && test $(wc -c <"$TMP/kept") -gt 1000 && stat -c %a "$TMP/kept"
	cp testdata/catalog.cpu "$TMP/in"
	try $how -o "$TMP/in" "$TMP/in"
	cmp testdata/catalog.cpu "$TMP/in"
	mkfifo "$TMP/pipe"
	cat "$TMP/pipe" >"$TMP/out" &
	$how -o "$TMP/pipe" testdata/catalog.cpu
	wait
	cmp "$TMP/out" "$TMP/kept"
	test -p "$TMP/pipe" && rm "$TMP/pipe"
	ls "$TMP"
	rm "$TMP"/*
done
# Standard output by its name is what the shell has opened, here to add to it.
echo before >"$TMP/log"
tprof-flame --format=folded -o /dev/stdout testdata/catalog.cpu >>"$TMP/log"
head -n 1 "$TMP/log"
tprof-flame --format=folded testdata/catalog.cpu | cat - | wc -l | { read -r n; test $(wc -l <"$TMP/log") -eq $((n + 1)); echo "status $?"; }
