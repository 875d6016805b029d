# Each mistake is one sentence and status 2; a file that cannot be read is 3.
try() { tprof-top "$@" 2>&1 >/dev/null | head -n 1; tprof-top "$@" >/dev/null 2>&1; echo "status $?"; }
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
s=$TMP/shop.tprof
try
try "$s" nonsense
try block "$s"
try "$s" groups block
try --sort=flat "$s"
try --sort=count "$s" overview
try --focus='(' "$s"
try --state=asleep "$s"
try --from=yesterday "$s"
try --from=50% --to=25% "$s"
try --from=10s "$s"
try --format=svg testdata/counter-1.5.trace heap
try --from=10s --format=pprof "$s" block
try --state=running "$s" gc
try --rows=-1 "$s"
try --run=none "$s"
try "$TMP/nothing.tprof"
try --task=nosuch "$s" block
try --region=nosuch "$s" groups
try --task='(' "$s" tasks
try --min=soon "$s" tasks
try --min=2s --max=1s "$s" tasks
try --min=2s "$s" groups
try --slowest=80% "$s" tasks
try --slowest=1% "$s" block
try --each "$s" block
# What would be read twice cannot be a pipe; nor is it empty.
for command in tprof-top tprof-path; do
	cat testdata/pool.trace | $command /dev/stdin 2>&1
	echo "status $?"
done
