# Stacks for other programs' flame graphs: what tprof-flame writes of the same.
for how in --view=offcpu --pprof=sync "--view=sched --goroutine=cashier --from=25%"; do
	for format in folded speedscope; do
		tprof-export --format=$format $how testdata/checkout.trace >"$TMP/a"
		tprof-flame --format=$format $how testdata/checkout.trace >"$TMP/b"
		cmp "$TMP/a" "$TMP/b" && wc -l <"$TMP/a"
	done
done
tprof-export --format=folded --pprof=net testdata/checkout.trace | sort | tail -n 3
tprof-export --format=folded --sample-index=alloc_objects testdata/catalog.heap testdata/catalog.heap | tail -n 2
tprof-export --format=speedscope -focus=sort -o "$TMP/s.json" testdata/catalog.cpu
head -c 200 "$TMP/s.json"; echo
try() { tprof-export "$@" 2>&1; echo "status $?"; }
try --format=folded --base=testdata/catalog.heap testdata/catalog.heap
try --format=folded testdata/checkout.trace
try --format=folded -focus=nosuch testdata/catalog.cpu
try --format=folded -focus='(' testdata/catalog.cpu
