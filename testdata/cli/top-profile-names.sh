# Names that would end a quoted text, begin a line, or act upon a terminal.
printf 'goroutine profile: total 2\n1 @ 0x401000 0x402000\n#\t0x401000\tquote".back\\\\slash\033[31m+0x10\t/src/a"b\\n.go:10\n#\t0x402000\tmain.[...]ns::f+0x20\t/src/c.go:20\n\n1 @ 0x403000\n# labels: {"k\\"ey":"va\\\\l\\"ue", "esc\033":"\001"}\n#\t0x403000\t(1) name\rfn=x+0x1\t/src/d\te.go:3\n\n' >"$TMP/names"
for report in --tree --traces --tags --raw --format=dot --format=callgrind --list=.; do
	echo "-- $report"
	tprof-top "$report" --source-path=/nowhere "$TMP/names" 2>&1
done
tprof-top --format=dot "$TMP/names" | LC_ALL=C grep -c '[[:cntrl:]]' || :
