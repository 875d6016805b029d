# What cannot be, in a sentence, with the status of a mistake.
try() { tprof-path "$@" 2>&1 >/dev/null; echo "status $?"; }
try
try nosuch.trace
try testdata/pool.trace nosuch
try testdata/pool.trace sumary
try testdata/pool.trace testdata/checkout.trace
try testdata/pool.trace hops tree
try requests testdata/pool.trace
try --task=0 testdata/pool.trace
try --task=nosuch testdata/pool.trace
try --task='(' testdata/pool.trace
try --region=nosuch testdata/pool.trace
try --region=x testdata/corpus/traces/oddities-1.27.trace
# Logs outside all tasks are no task; names that are lost are no reason to deny what has them.
try --task=x testdata/pipe-parent.trace
try --region=x testdata/checkout-cut.trace
try --slowest testdata/pool.trace wakers
try --task=1 testdata/counter-1.5.trace
try --goroutine=9999 testdata/pool.trace
try --task=checkout testdata/pool.trace hops
try --slowest=0 testdata/pool.trace
try --slowest=x testdata/pool.trace
try --from=2s testdata/pool.trace
try --from=50% --to=20% testdata/pool.trace
try --title=x testdata/pool.trace
try --stacks testdata/pool.trace
try --format=svg testdata/pool.trace tree
try --format=nosuch testdata/pool.trace
try testdata/catalog.cpu
cp testdata/pool.trace "$TMP/pool"
try -o "$TMP/pool" "$TMP/pool"
# The limit of hops.
tprof-path --hops=5 --task=12 testdata/pool.trace -n 0
# Of those that took too little and too much, the nearest is named.
try --task=checkout --min=17ms --max=18ms testdata/pool.trace requests
try --task=checkout --min=1h testdata/pool.trace requests
try --task=checkout --max=1ns testdata/pool.trace requests
# A name that says a format that there is not.
try -o "$TMP/x.png" testdata/pool.trace
try -o x.csv testdata/pool.trace requests
tprof-path -o "$TMP/x.csv" --format=csv --task=12 testdata/pool.trace requests && cat "$TMP/x.csv"
# Bounds that leave nothing, a task that is not there, and one that somebody else began.
try --task=checkout --min=18ms --max=17ms testdata/pool.trace requests
try --task=100000 testdata/pool.trace
try --task=order --goroutine=31 testdata/checkout.trace
# The latest run of a store is no trace.
tprof-import -o "$TMP/mix.tprof" testdata/pool.trace testdata/prices/old-1.heap >/dev/null
try "$TMP/mix.tprof"
