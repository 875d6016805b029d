tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
tprof-top -n 3 --sort=running "$TMP/shop.tprof"
tprof-top -n 3 --sort=function "$TMP/shop.tprof"
tprof-top -n 3 --sort=p99 "$TMP/shop.tprof" sched
tprof-top --rows=0 --format=tsv "$TMP/shop.tprof" goroutines | wc -l
# Keys as tables print them.
tprof-top -n 2 --sort=RUNNING testdata/checkout.trace
tprof-top -n 2 --sort='Entry function' testdata/checkout.trace
tprof-top -n 2 --sort=CUM testdata/catalog.cpu
