# Gates on traces: exceeded, kept, undecided; statuses 0, 1, 2 and 3, and what cannot be.
cd testdata/parcels
try() { tprof-diff --by=tasks -n 1 "$@" 2>&1 | sed '/^METRIC/,/shows more/d'; }
status() { tprof-diff --format=csv --by=tasks -n 1 "$@" >/dev/null 2>&1; echo "status $?"; }
try --gate 'task[parcel].mean>+3%' --gate 'stw.max>2ms' --gate 'sched.p99+-50%' --base old-?.trace -- new-?.trace
status --gate 'task[parcel].mean>+3%' --base old-?.trace -- new-?.trace
status --gate 'stw.max>2ms' --base old-?.trace -- new-?.trace
try --gate 'task[parcel].p50>+3%' --gate 'task[parcel].p50>11ms' --gate 'sched.max>+10%' --gate 'region(^r).p50>+5%' old-1.trace new-1.trace
try --gate 'task[letter].p95>+5ms' old-1.trace new-1.trace
status --gate 'task[letter].p95>+5ms' old-1.trace new-1.trace
status --gate 'task[letter].p95>+5ms,missing=pass' old-1.trace new-1.trace
tprof-diff --format=junit --gate 'task[parcel].mean>+3%' --gate 'stw.max>2ms' --base old-?.trace -- new-?.trace 2>/dev/null
tprof-diff --format=json -n 1 --by=tasks --gate 'task[parcel].mean>+3%' --base old-?.trace -- new-?.trace 2>/dev/null | grep -A 12 '"gates"'

wrong() { tprof-diff "$@" 2>&1 | grep -v '^Try'; }
wrong --gate 'tsk[parcel].p95>+5ms' old-1.trace new-1.trace
wrong --gate 'task[parcel].p98>+5ms' old-1.trace new-1.trace
wrong --gate 'task[parcel].p95>+5' old-1.trace new-1.trace
wrong --gate 'task[parcel].p95>+5MB' old-1.trace new-1.trace
wrong --gate 'task[parcel].p95' old-1.trace new-1.trace
wrong --by=function old-1.trace new-1.trace
wrong --per=hour old-1.trace new-1.trace
wrong --per=task:letter old-1.trace new-1.trace
wrong --normalize old-1.trace new-1.trace
wrong --focus=x old-1.trace new-1.trace
wrong --task=x old-1.trace new-1.trace
wrong --per=task ../prices/old-1.heap ../prices/new-1.heap
wrong old-1.trace ../prices/new-1.heap
head -c 12000 new-1.trace >"$TMP/cut.trace"
try --gate 'task[parcel].mean>+3%' old-1.trace "$TMP/cut.trace"
status --gate 'task[parcel].mean>+3%' old-1.trace "$TMP/cut.trace"
