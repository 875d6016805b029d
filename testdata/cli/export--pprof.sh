# What `go tool trace -pprof=KIND` writes, of a whole trace, a group, a goroutine, a region, a task
# and a part of the time (testdata/check/gotrace.sh compares with Go's own tool).
for kind in net sync syscall sched; do
	echo "== $kind"
	tprof-export --pprof=$kind -o "$TMP/$kind.pb.gz" testdata/checkout.trace; echo "status $?"
	tprof-top -n 4 --sample-index=delay "$TMP/$kind.pb.gz"
done
echo "== parts"
sum() {
	tprof-export --pprof=sync "$@" testdata/checkout.trace | tprof-top -n 1 --format=tsv --sample-index=contentions - |
		sed -n 2p
}
sum
sum --goroutine='cashier$'
sum --goroutine=1
sum --region=reserve
sum --task=order
sum --from=25% --to=50%
sum --reason=^sync
# The same as a table and a flame graph, and from a store and an old trace.
tprof-top --pprof=sync -n 2 testdata/checkout.trace
tprof-flame --pprof=sched --format=folded testdata/checkout.trace | wc -l
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace testdata/checkout-1.19.trace >/dev/null
tprof-export --pprof=sched --run=checkout.trace "$TMP/s.tprof" | cmp - "$TMP/sched.pb.gz" && echo the same from a store
tprof-export --pprof=sched --run=checkout-1.19.trace "$TMP/s.tprof" | tprof-top -n 2 -
# What it is not for.
try() { tprof-export "$@" 2>&1; echo "status $?"; }
try --pprof=disk testdata/checkout.trace
try --pprof=net --state=blocked testdata/checkout.trace
try --pprof=net testdata/catalog.cpu
