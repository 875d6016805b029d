# What perf script prints: stacks, all processes without stacks, two events with inlined functions,
# tracepoints; labels; a damaged line; the end cut off.
cp testdata/perf/*.perf "$TMP"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
try tprof-top -n 5 clock.perf
try tprof-top -n 4 --sample-index=samples system.perf
tprof-top --tags system.perf 2>&1 | grep -A 3 ' cpu:'
try tprof-top -n 5 --sample-index=cpu-clock faults.perf
try tprof-top -n 3 sched.perf
try tprof-top writes.perf
sed '3s/.*/listening on 80/' clock.perf >damaged.perf
try tprof-import -o s.tprof --strict damaged.perf
head -c 2000 clock.perf | tprof-top -n 2 - 2>&1
tprof-flame --format=folded clock.perf | head -n 2
