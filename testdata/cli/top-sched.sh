# The kernel's scheduler as perf script prints it: a trace whose goroutines are threads. A guest asks a kitchen
# over pipes, which has a worker. Both layouts of its events are the same trace; a group by process; system
# calls by name; damage.
gzip -dc testdata/perf/kitchen.perf.gz >"$TMP/kitchen.perf"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
try tprof-top -n 4 --goroutine='guest|kitchen|cook' kitchen.perf
try tprof-top kitchen.perf block -n 4 --goroutine='guest|kitchen|cook'
try tprof-top kitchen.perf procs
try tprof-path --goroutine=guest -n 4 kitchen.perf
try tprof-path kitchen.perf wakers --goroutine=guest -n 4
# libtraceevent's layout
sed -E -e 's/prev_comm=(.*) prev_pid=([0-9]+) prev_prio=([-0-9]+) prev_state=(\S+) ==> next_comm=(.*) next_pid=([0-9]+) next_prio=([-0-9]+)/\1:\2 [\3] \4 ==> \5:\6 [\7]/' \
	-e 's/(sched_wak.*: )comm=(.*) pid=([0-9]+) prio=([-0-9]+) target_cpu=([0-9]+)/\1\2:\3 [\4] success=1 CPU:\5/' \
	kitchen.perf >plain.perf
grep -c '==> next_comm' plain.perf
for f in kitchen plain; do
	tprof-query --format=csv $f.perf 'SELECT goroutine, state, start_ns, end_ns, reason, waker FROM span' >$f.csv 2>/dev/null
done
cmp kitchen.csv plain.csv && echo the same
# system calls, processes, a program that changes its name, samples, numbers of a machine that nothing tells
call() {
	cat <<END
sh 7/7 [000] 1.000000: raw_syscalls:sys_enter: NR $1 (0, 0)
sh 7/7 [000] 1.000100: sched:sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=helper next_pid=8 next_prio=120
helper 7/8 [000] 1.000200:     250000 cpu-clock:
	           83183 work+0x10 (/bin/ls)

helper 7/8 [000] 1.000300: sched:sched_waking: comm=sh pid=7 prio=120 target_cpu=000
	ffffffff81000130 $2+0x76 ([kernel.kallsyms])

helper 7/8 [000] 1.000400: sched:sched_switch: prev_comm=helper prev_pid=8 prev_prio=120 prev_state=R+ ==> next_comm=sh next_pid=7 next_prio=120
ls 7/7 [000] 1.000500: sched:sched_switch: prev_comm=ls prev_pid=7 prev_prio=120 prev_state=Z ==> next_comm=swapper/0 next_pid=0 next_prio=120
END
}
call 61 entry_SYSCALL_64_after_hwframe >x86.perf
call 260 el0_svc >arm.perf
call 61 main >unknown.perf
for f in x86 arm unknown; do
	tprof-query --format=csv $f.perf "SELECT goroutine, state, start_ns, end_ns, reason, waker FROM span WHERE reason <> ''" | tail -n +2
done
try tprof-top x86.perf
try tprof-top x86.perf cpu
# damage: a field, a switch that is missing, perf's own word of it, the end; no wake-ups
sed -e '2s/next_pid/nextpid/' x86.perf >damaged.perf
tprof-import -o s.tprof damaged.perf 2>&1 | sed 's/ 0\.[0-9]*s;/ TIME;/; s/; [0-9.]*[KM]*i*B to.*//'
tprof-query damaged.perf --format=csv 'SELECT reason FROM loss' 2>/dev/null
try tprof-import --strict -o t.tprof damaged.perf
grep -v sched_waking x86.perf | tprof-query --format=csv - 'SELECT text FROM notice' 2>/dev/null
sed 's/\[000\] //' x86.perf | tprof-top - 2>&1
echo "status $?"
# threads of the kernel keep their names
printf '%s\n' 'sh 7/7 [000] 1.000000: sched:sched_waking: comm=ksoftirqd/0 pid=9 prio=120 target_cpu=000' \
	'sh 7/7 [000] 1.100000: sched:sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=ksoftirqd/0 next_pid=9 next_prio=120' \
	'ksoftirqd/0 9/9 [000] 1.200000: sched:sched_switch: prev_comm=ksoftirqd/0 prev_pid=9 prev_prio=120 prev_state=S ==> next_comm=sh next_pid=7 next_prio=120' \
	'sh 7/7 [000] 1.300000: sched:sched_switch: prev_comm=sh prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120' >names.perf
try tprof-top names.perf block
try tprof-top names.perf mmu
