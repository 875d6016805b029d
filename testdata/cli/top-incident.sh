# What took unusually much time at the end of snapshots whose cause is known (testdata/programs/rush.go).
export COLUMNS=110 LC_ALL=C.UTF-8
tprof-top testdata/rush/lock.trace incident
for f in gc disk hog closed calm uneven; do tprof-top testdata/rush/$f.trace incident -n 2; done
# The lock was taken at 2s: before that nothing was unusual, and around it the same lock comes first.
tprof-top testdata/rush/lock.trace incident -n 1 --to=1.9s --last=5%
tprof-top testdata/rush/lock.trace incident -n 1 --from=2s --to=2.15s
tprof-top testdata/rush/lock.trace incident -n 1 --around=2.1s --last=50ms
tprof-top testdata/rush/lock.trace incident -n 1 --around=95% --format=csv
# The task that the disk kept, and what else there was in its time.
tprof-top testdata/rush/disk.trace task --min=100ms -n 1
tprof-top testdata/rush/disk.trace incident --task=$(tprof-top testdata/rush/disk.trace task --min=100ms -n 1 --format=tsv | cut -f 2 | tail -n 1) -n 2
# Too few windows, filters, JSON.
tprof-top testdata/rush/lock.trace incident -n 1 --last=20%
tprof-top testdata/rush/lock.trace incident -n 1 --last=20% --format=json | grep unusual
tprof-top testdata/rush/lock.trace incident -n 1 --last=50% | sed -n 4,5p
tprof-top testdata/rush/lock.trace incident -n 1 --last=11% | sed -n 4,5p
tprof-top testdata/rush/lock.trace incident -n 1 --last=10% | sed -n 4,5p
tprof-top testdata/rush/lock.trace incident -n 2 --goroutine=door
tprof-top testdata/rush/lock.trace incident -n 2 --state=runnable
tprof-top testdata/rush/lock.trace incident -n 1 --format=json
# A damaged trace: time that is lost belongs to no row.
tprof-top testdata/checkout-cut.trace incident -n 2 2>&1
# One that has lost names, or events: the tasks did not stop.
size=$(wc -c < testdata/rush/calm.trace)
head -c $((17 * size / 40)) testdata/rush/calm.trace > "$TMP/cut.trace"
{
	head -c $((6 * size / 10)) testdata/rush/calm.trace
	head -c 64 /dev/zero
	tail -c +$((6 * size / 10 + 65)) testdata/rush/calm.trace
} > "$TMP/holes.trace"
for f in cut holes; do tprof-top "$TMP/$f.trace" incident -n 2 2>&1 | sed -n '/^incident/,/^$/p;/^less/p'; done
# The first table in another order.
tprof-top testdata/rush/lock.trace incident -n 2 --sort=time | sed -n '/^UNUSUAL/,/^longest/p'
tprof-top testdata/rush/lock.trace incident -n 2 --sort=what --format=csv | cut -d , -f 1-9
# Mistakes.
wrong() {
	tprof-top testdata/rush/lock.trace "$@" 2>&1
	echo "status $?"
}
wrong incident --task=order
wrong incident --task=999999
wrong incident --task=1 --last=1s
wrong incident --last=0
wrong incident --last=200
wrong incident --last=-5ms
wrong incident --request=5
wrong incident --last=100%
wrong incident --from=10ms
wrong incident --from=1s --to=2s --last=1s
wrong incident --task=$(tprof-top testdata/rush/lock.trace task -n 1 --sort=latency --format=tsv | cut -f 2 | tail -n 1) --from=2.06s
wrong incident --around=1h
wrong incident --region=x
wrong incident --sort=share
wrong block --last=1s
# Near the beginning of the run, and before it.
tprof-top testdata/rush/lock.trace incident -n 1 --around=0s --last=200ms | sed -n 4,5p
wrong incident --around=2021-01-01T00:00:00Z
