# Dumps of goroutines as they lie in logs: the answer is that of the plain dump; lines of something
# else within a stack are counted, cut ones are losses; of several dumps in a file the last counts, and
# tprof-leaks compares them; files without a dump are refused. (make check-logs has thousands more.)
cd "$TMP" || exit 4
cat >plain.txt <<'END'
goroutine 1 [chan receive, 2 minutes]:
main.(*Depot).wait(0xc000012345, {0xc000066000, 0x3, 0x3})
	/home/build/depot/depot.go:41 +0x1d8
main.main()
	/home/build/depot/main.go:13 +0x25

goroutine 18 [select, 7 minutes, locked to thread]:
main.(*Depot).loop(0xc000012345)
	/home/build/depot/depot.go:77 +0x99
created by main.NewDepot in goroutine 1
	/home/build/depot/depot.go:22 +0x51
END
tprof-top --goroutines plain.txt | tee want
sed 's/^\t/        /; s/^/May 04 00:34:05 node7 depotd[1246]: /' plain.txt >journald.txt
awk '{printf "2023-01-10T21:49:%02d.%dZ stderr F %s\n", 10 + NR, NR * 7919, $0}' plain.txt >cri.txt
awk '{gsub("\t", "\\t"); printf "{\"log\":\"%s\\n\",\"stream\":\"stderr\"}\n", $0}' plain.txt >docker.txt
awk 'BEGIN {printf "{\"level\":\"error\",\"stack\":\""} {gsub("\t", "\\t"); printf "%s\\n", $0} END {print "\"}"}' plain.txt >json.txt
sed '/./!d; s/^/        /; s/^ *goroutine/    x_test.go:9: Leaked goroutine: goroutine/' plain.txt >errorf.txt
sed 's/.*/\o33[31m&\o33[0m\r/' plain.txt >colours.txt
sed 's/^/# /; G' plain.txt >doubled.txt
for log in journald cri docker json errorf colours doubled; do
	tprof-top --goroutines $log.txt >got && cmp want got && tprof-import --strict -o $log.tprof $log.txt |
		sed 's/[0-9][0-9.]*s; .*;/Xs;/'
done
{ sed 3q plain.txt; echo 'at 10:00:01'; sed '1,3d; 7,$d; s/main.go.*/mai>/' plain.txt; } >noisy.txt
tprof-top --goroutines noisy.txt 2>&1
tprof-import -o noisy.tprof noisy.txt 2>/dev/null | sed 's/[0-9][0-9.]*s; .*;/Xs;/'
tprof-query noisy.tprof 'SELECT offset, bytes, reason FROM loss' 2>/dev/null
tprof-import --strict noisy.txt 2>&1
echo "status $?"
{ echo '== 10:00 =='; cat plain.txt; echo '== 10:05 =='; cat plain.txt; sed -n '/^goroutine 18/,$ {s/18/19/; p}' plain.txt; } >two.txt
tprof-top --goroutines two.txt 2>&1 | head -3
tprof-leaks --gate=1 two.txt
echo "status $?"
echo 'May 04 node7: goroutine 1 [running]: all is well' >none.txt
tprof-top --goroutines none.txt 2>&1
echo "status $?"
