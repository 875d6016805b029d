# Numbers over runs: heap profiles of a program that keeps too much (testdata/programs/ledger.go), in
# whatever order they come; from a store; counters; metrics of traces; a picture.
d=testdata/ledger
tprof-top --over=run -inuse_space -n 4 $d/ledger-8.heap $d/ledger-[1-7].heap
tprof-top --over=run --sample-index=inuse_objects --sort=name --focus=main --format=csv \
	$d/ledger-1.heap $d/ledger-4.heap $d/ledger-8.heap
tprof-top --over=run -inuse_space --sort=slope -n 2 --cum --format=markdown $d/*.heap
tprof-import -o "$TMP/s.tprof" --label=part=a $d/ledger-1.heap $d/ledger-2.heap >/dev/null
tprof-import -o "$TMP/s.tprof" --label=part=b $d/ledger-3.heap testdata/catalog.cpu >/dev/null
tprof-top --over=run --sample-index=inuse_space -n 2 "$TMP/s.tprof"
tprof-top --over=run --run=part=a -inuse_space -n 1 "$TMP/s.tprof"
tprof-top --over=run --counters -n 5 --sort=last testdata/corpus/profiles/stuck-1.19.heap.d1 \
	testdata/corpus/profiles/stuck-1.19.heap.d1
for t in testdata/corpus/traces/checkout-1.2*.trace; do set -- "$@" "$t"; done
tprof-top --over=run --format=csv "$@" | grep -E '^[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*,(name|task|gc)' |
	cut -d, -f7,9-
tprof-top --over=run --view=offcpu -n 2 "$@"
tprof-top --over=run -inuse_space --format=svg -n 1 $d/*.heap |
	grep -c '<title>.*main.remember\|main.remember<'
try() { tprof-top "$@" 2>&1; echo "status $?"; }
try --over=run $d/ledger-1.heap
try --over=day $d/ledger-1.heap
try --over=run --sort=flat $d/ledger-1.heap $d/ledger-2.heap
try --over=run testdata/checkout.trace $d/ledger-2.heap
try --over=run --counters testdata/checkout.trace testdata/checkout.trace
try --counters $d/ledger-1.heap
try --over=run --tree $d/ledger-1.heap $d/ledger-2.heap
