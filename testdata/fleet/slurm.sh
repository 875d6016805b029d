#!/bin/sh
# tprof-import --slurm with a real slurmctld and three slurmd on loopback: stores that are equal to
# those of one machine, also when a node is killed in the middle of a task, when a task is cancelled
# and the same command goes on, when the controller is killed and comes back.
#
#   sh testdata/fleet/slurm.sh [BIN_FOLDER]
#
# All state is in a scratch folder, ports are free ones, munged has a key and a socket of its own, and
# nothing stays, however it ends. For root, as it looks for the processes of decoders. Debian's packages:
# slurmctld slurmd slurm-client munge.
set -u
cd "$(dirname "$0")/../.." || exit 4
root=$PWD bin=$(cd "${1:-build/out/bin}" && pwd) || exit 4
passed=0 failed=0

missing=
for tool in slurmctld:slurmctld slurmd:slurmd sbatch:slurm-client munged:munge python3:python3; do
	PATH=$PATH:/usr/sbin command -v ${tool%:*} >/dev/null || missing="$missing ${tool#*:}"
done
if [ -n "$missing" ]; then
	echo "slurm: not checked, as packages are missing:$missing"
	[ "${CI:-}" != true ] || exit 1
	exit 77
fi

if [ "$(id -u)" -ne 0 ]; then
	echo 'slurm: not checked, as it needs root'
	exit 77
fi

# The name is odd on purpose where that is ours to choose.
scratch=$(mktemp -d /tmp/tprof-slurm-XXXXXX) || exit 4
conf=$scratch/slurm.conf
export SLURM_CONF="$conf" PATH="$bin:$PATH:/usr/sbin" TZ=UTC LC_ALL=C.UTF-8
unset SLURM_JOB_ID SBATCH_PARTITION

# Everything that was started for this, by what was in its environment when it was (so not this shell):
# daemons, steps, tasks.
ours() {
	for p in /proc/[0-9]*; do
		! grep -zqxF "SLURM_CONF=$conf" $p/environ 2>/dev/null || echo ${p#/proc/}
	done
}
stop_all() {
	trap '' HUP INT TERM
	for try in 1 2 3; do
		all=$(ours)
		[ -n "$all" ] || break
		kill -9 $all 2>/dev/null
		sleep 0.2
	done
	rm -rf "$scratch"
}
trap stop_all EXIT
trap 'exit 4' HUP INT TERM

expect() { # what, command…
	what=$1
	shift
	if "$@" >"$scratch/said" 2>&1; then
		passed=$((passed + 1))
	else
		echo "FAILED $what"
		sed 's/^/    /' "$scratch/said"
		failed=$((failed + 1))
	fi
}
# Waits until a command succeeds; after 300 s something hangs.
until_it() {
	for try in $(seq 3000); do
		"$@" >/dev/null 2>&1 && return
		sleep 0.1
	done
	return 1
}

# ---- the cluster ----

# Not within a pipe or a substitution: $! has to be the daemon's.
begin() { # NAME COMMAND…
	name=$1
	shift
	"$@" >"$scratch/$name.out" 2>&1 &
	echo $! >"$scratch/$name.pid"
}
start_controller() { begin slurmctld slurmctld -D; }
start_node() { begin "$1" slurmd -D -N "$1"; }

set -- $(python3 -c '
import socket
all = [socket.socket() for _ in range(4)]
for s in all: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in all])')
mkdir "$scratch/state" "$scratch/run" "$scratch/n1" "$scratch/n2" "$scratch/n3"
chmod 711 "$scratch" "$scratch/run"
host=$(hostname) user=$(id -un)
cat >"$conf" <<END
ClusterName=tprof
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$scratch/run/munge
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/%n
SlurmdLogFile=$scratch/%n/log
SlurmctldPidFile=$scratch/run/slurmctld.pid
SlurmdPidFile=$scratch/run/%n.pid
# No cgroups, no accounting, nothing of the system's.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,sched_min_interval=100000
JobRequeue=1
SlurmdTimeout=10
KillWait=1
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=2
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=$4 CPUs=2
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
dd if=/dev/urandom of="$scratch/key" bs=1024 count=1 2>/dev/null
chmod 400 "$scratch/key"
begin munged munged --foreground --socket="$scratch/run/munge" --key-file="$scratch/key" \
	--pid-file="$scratch/run/munged.pid" --log-file="$scratch/munged.log" --seed-file="$scratch/seed" --num-threads=2
until_it test -S "$scratch/run/munge"
start_controller
until_it scontrol ping
for n in n1 n2 n3; do start_node $n; done
idle() { [ "$(sinfo --noheader --Node --format='%T' | grep -cx idle)" -eq 3 ]; }
if ! until_it idle; then
	echo 'FAILED the cluster does not start'
	sinfo --Node --long
	tail -n 5 "$scratch"/*.out
	echo "slurm: $passed passed, 1 failed"
	exit 1
fi
passed=1

# ---- dumps ----

d="$scratch/dumps of a \$(fleet)"
mkdir -p "$d/h'1" "$d/h\"2"
cp testdata/ledger/*.heap testdata/prices/*.cpu testdata/convoy.trace "$d/h'1"
cp testdata/parcels/*.trace testdata/prices/*.heap testdata/checkout-1.19.trace.gz testdata/README.md "$d/h\"2"
head -c 1500 testdata/prices/new-1.heap >"$d/cut
 in two.heap"
cd "$scratch" || exit 4
mkfifo pipe

# Are both stores the same, to the byte, but for when dumps were imported?
canonical() { # STORE
	cp "$1" "$scratch/copy.tprof" &&
		tprof-query --write "$scratch/copy.tprof" 'UPDATE run SET imported_ns = 0' >/dev/null &&
		rm -f "$scratch/canonical.tprof" &&
		tprof-merge -o "$scratch/canonical.tprof" "$scratch/copy.tprof" >/dev/null &&
		mv "$scratch/canonical.tprof" "$2"
}
same() { canonical "$1" "$scratch/a.canonical" && canonical "$2" "$scratch/b.canonical" && cmp "$scratch/a.canonical" "$scratch/b.canonical"; }
reports() { # STORE
	tprof-store list "$1"
	for run in $(tprof-query --format=csv "$1" 'SELECT id FROM run ORDER BY id' | tr -d '\r' | tail -n +2); do
		tprof-top --run=$run "$1"
		tprof-flame --run=$run --format=folded "$1"
	done
	:
}
same_reports() {
	rm -f one-merged.tprof
	tprof-merge -o one-merged.tprof "$2" >/dev/null && reports "$1" >a.reports 2>&1 && reports one-merged.tprof >b.reports 2>&1 &&
		sed -i 's/one-merged.tprof/X/g' b.reports && sed -i "s/${1%.tprof}.tprof/X/g" a.reports && diff a.reports b.reports && [ "$(wc -l <a.reports)" -gt 50 ]
}

# What one machine makes of them. The last dump comes by a pipe, as in a task that is to be killed.
tprof-import --strict -j 2 -o one.tprof "$d" >one.out 2>one.err
one=$?
cp one.tprof one+pipe.tprof
timeout 900 sh -c 'cat "$1" >pipe' - "$root/testdata/checkout.trace" &
tprof-import -o one+pipe.tprof pipe >/dev/null
wait $!

# ---- three nodes ----

timeout 900 tprof-import --slurm --tasks=20 --wait --strict -o all.tprof "$d" >all.out 2>all.err
status=$?
expect 'the same status as on one machine' test $status -eq $one -a $one -eq 3
expect 'the same sums' sh -c "sed 's/;.*//' one.out >a && grep dumps: all.out | sed 's/;.*//' >b && diff a b"
expect 'the same failures' diff one.err all.err
expect 'the same store' same all.tprof one.tprof
expect 'the same reports' same_reports all.tprof one.tprof
expect 'nothing stays but the report' sh -c '! ls -d all.tprof?* | grep -v "^all.tprof.report$"'
expect 'all nodes have worked' sh -c "[ \$(grep -l 'Launching batch job' n[123]/log | wc -l) -eq 3 ]"
timeout 900 tprof-import --slurm --wait --strict -o all.tprof "$d" >again.out 2>&1
expect 'once more: all is known' grep -q ': 0 imported, .* there already, 1 failed' again.out
expect 'the store stays the same' same all.tprof one.tprof

# ---- a node that is killed in the middle of a task ----

# The processes that have the pipe open, and are below a node.
readers() {
	for p in /proc/[0-9]*; do
		grep -zqx 'SLURMD_NODENAME=n[123]' $p/environ 2>/dev/null &&
			[ -n "$(find $p/fd -lname "$scratch/pipe" 2>/dev/null)" ] && echo ${p#/proc/}
	done
}
node_of() { tr '\0' '\n' 2>/dev/null <"/proc/$1/environ" | sed -n 's/^SLURMD_NODENAME=//p'; }
# Nothing that follows makes sense without one.
must_read() { until_it reading && passed=$((passed + 1)) || { echo 'FAILED no task reads the pipe'; echo "slurm: $passed passed, $((failed + 1)) failed"; exit 1; }; }
reading() { reader=$(readers | head -n 1); [ -n "$reader" ]; }
# As a machine that loses its power: the daemon, its steps, their tasks.
kill_node() {
	daemon=$(cat "$scratch/$1.pid") all=
	for p in $(ours); do
		# A step has the node's log open, a task its name.
		[ -z "$(find /proc/$p/fd -lname "$scratch/$1/*" 2>/dev/null)" -a "$(node_of $p)" != "$1" ] || all="$all $p"
	done
	kill -9 $daemon $all
}
half=$(($(stat -c %s "$root/testdata/checkout.trace") / 2))
head -c $half "$root/testdata/checkout.trace" >first.half
# Opened for reading, too, so that it is not at its end before we say so.
exec 9<>pipe
timeout 900 tprof-import --slurm --tasks=20 --wait --strict -o killed.tprof "$d" pipe >killed.out 2>killed.err 9<&- &
import=$!
must_read
cat first.half >&9
expect 'it has read half of the trace' until_it sh -c '! timeout 0.1 dd bs=1 count=1 <&9 2>/dev/null | grep -q . '
node=$(node_of $reader)
kill_node "$node"
dead() { [ -z "$(ls "/proc/$1/fd" 2>/dev/null)" ]; } # gone, or waited for by nobody
expect 'it is dead' until_it dead $reader
scontrol update nodename="$node" state=down reason=power
requeued() { squeue --noheader --array --format='%T %r' | grep -q '^PENDING BeginTime'; }
expect 'its tasks are queued once more' until_it requeued
# Slurm lets two minutes pass before it does them.
for job in $(squeue --noheader --array --format='%i %r' | sed -n 's/ BeginTime$//p'); do scontrol update jobid=$job starttime=now; done
must_read
expect 'it is another one' test "$(node_of $reader)" != "$node"
exec 9>pipe
cat "$root/testdata/checkout.trace" >&9
exec 9>&-
wait $import
status=$?
expect 'the same status' test $status -eq $one
expect 'the same failures' diff one.err killed.err
expect 'the same store as on one machine' same killed.tprof one+pipe.tprof
expect 'the same reports' same_reports killed.tprof one+pipe.tprof
expect 'nothing stays but the report' sh -c '! ls -d killed.tprof?* | grep -v "^killed.tprof.report$"'
start_node "$node"
expect 'the node comes back' until_it idle

# ---- a task that is cancelled, the controller killed meanwhile, and going on ----

exec 9<>pipe
timeout 900 tprof-import --slurm --tasks=20 --wait --strict -o resumed.tprof "$d" pipe >resumed.out 2>resumed.err 9<&- &
import=$!
must_read
# Of what it has not written down when it is killed nobody can go on. It writes when something has changed.
touch changed
sleep 0.1 # so that the file is later
scontrol update jobid="$(tr '\0' '\n' <"/proc/$reader/environ" | sed -n 's/^SLURM_JOB_ID=//p')" comment=running >/dev/null 2>&1
written() { [ "$scratch/state/job_state" -nt changed ]; }
expect 'the controller writes down what it knows' until_it written
kill -9 "$(cat "$scratch/slurmctld.pid")"
start_controller
expect 'the controller comes back' until_it scontrol ping
expect 'nothing was made yet' test ! -e resumed.tprof
# By its number in the array: that of its own job is not found by Slurm 22.05 after a restart.
word_of() { tr '\0' '\n' <"/proc/$reader/environ" | sed -n "s/^$1=//p"; }
expect 'it can be cancelled' scancel "$(word_of SLURM_ARRAY_JOB_ID)_$(word_of SLURM_ARRAY_TASK_ID)"
wait $import
status=$?
expect 'a task is missing' test $status -eq 4
expect 'it has ended' until_it dead $reader
expect 'it is said which, and what to do' grep -q 'resumed.tprof was not made; what is done is kept in resumed.tprof.slurm, and the same command goes on' resumed.err
expect 'nothing was made' test ! -e resumed.tprof
exec 9>&-
timeout 900 sh -c 'cat "$1" >pipe' - "$root/testdata/checkout.trace" &
timeout 900 tprof-import --slurm --wait --strict -o resumed.tprof "$d" pipe >resumed.out 2>resumed.err
status=$?
wait $!
expect 'the same command goes on' grep -q 'in 20 tasks, 19 of them done already' resumed.out
expect 'the same status' test $status -eq $one
expect 'the same store as on one machine' same resumed.tprof one+pipe.tprof
expect 'nothing stays but the report' sh -c '! ls -d resumed.tprof?* | grep -v "^resumed.tprof.report$"'

# ---- two at once ----

# Between looking for jobs and having them in the folder there is time for another.
mkdir slow
printf '#!/bin/sh\nsleep 1\nexec %s "$@"\n' "$(command -v sbatch)" >slow/sbatch
chmod 755 slow/sbatch
PATH="$scratch/slow:$PATH" timeout 900 tprof-import --slurm --tasks=4 --wait --strict -o two.tprof "$d" >two-1.out 2>two-1.err &
first=$!
until_it test -e two.tprof.slurm/plan
PATH="$scratch/slow:$PATH" timeout 900 tprof-import --slurm --tasks=4 --wait --strict -o two.tprof "$d" >two-2.out 2>two-2.err
status=$?
expect 'the second is refused' test $status -eq 4
expect 'in one sentence' grep -q '^tprof-import: two.tprof.slurm: another tprof-import is submitting its jobs; try again when it is done$' two-2.err
wait $first
status=$?
expect 'the first goes on' test $status -eq $one
expect 'the same store' same two.tprof one.tprof

# ---- tasks that are done twice, as one that is queued again while its first try lives on somewhere ----

twice=$scratch/twice
mkdir -p "$twice/list" "$twice/0" "$twice/1"
find "$d" -type f ! -name README.md -print0 | sort -z >twice.all
python3 - "$twice/list" twice.all <<'END'
import sys
names = open(sys.argv[2], 'rb').read().split(b'\0')[:-1]
for task in range(4):
    with open(f'{sys.argv[1]}/{task + 1}', 'wb') as f:
        f.writelines(name + b'\0' for name in names[task::4])
END
script=$bin/../share/tprof/slurm.sh
timeout 900 tprof-import -j 2 -o flat.tprof $(for i in 1 2 3 4; do echo "@$twice/list/$i"; done) >/dev/null 2>&1
# The first tries stop as soon as they import: by a wrapper, which stands in their way. It writes down
# who it is before it stops.
state_of() { sed -n 's/.*) \(.\) .*/\1/p' "/proc/$1/stat" 2>/dev/null; }
all_stopped() { # how many
	[ "$(wc -l <stopped/pids)" -eq "$1" ] || return
	for p in $(cat stopped/pids); do [ "$(state_of $p)" = T ] || return; done
}
# For tasks that are ours; one that does not end is ended.
must_end() { # PID…
	for p in "$@"; do
		until_it dead $p || kill -KILL $p $(cat stopped/pids) 2>/dev/null
	done
}
mkdir stopped
printf '#!/bin/sh\necho $$ >>%s/stopped/pids\nkill -STOP $$\nexec %s/tprof-import "$@"\n' "$scratch" "$bin" >stopped/tprof-import
chmod 755 stopped/tprof-import
pids=
for i in 1 2 3 4; do
	SLURM_ARRAY_TASK_ID=$i SLURM_JOB_ID=90 sh "$script" task "$twice" "$scratch/stopped" &
	pids="$pids $!"
done
expect 'four old tries have stopped' until_it all_stopped 4
timeout 900 sbatch --wait --output=/dev/null --array=1-4 "$script" task "$twice" "$bin" >/dev/null
expect 'each is done' sh -c "ls '$twice'/0/1.report '$twice'/0/2.report '$twice'/0/3.report '$twice'/0/4.report"
# Two of them end before the merge, and two after it.
set -- $(cat stopped/pids)
kill -CONT $1 $2
expect 'the first of them' until_it dead $1
expect 'and the second end late' until_it dead $2
timeout 900 sbatch --wait --output=/dev/null "$script" merge "$twice" "$bin" 1 4 "$scratch/twice.tprof" >/dev/null
kill -CONT $3 $4
must_end $pids
wait $pids
expect 'the same store' same twice.tprof flat.tprof
expect 'nothing stays but the report' sh -c '! ls -d twice.tprof?* | grep -v "^twice.tprof.report$"'
expect 'nothing stays of the work' test ! -e "$twice/0"

# A task that is ended leaves nothing but its log, whatever it is ended by.
for signal in TERM USR1 XCPU; do
	rm -rf ending stopped/pids
	mkdir -p ending/list ending/0
	cp twice.all ending/list/1
	SLURM_ARRAY_TASK_ID=1 SLURM_JOB_ID=91 sh "$script" task "$scratch/ending" "$scratch/stopped" &
	task=$!
	expect "SIG$signal: its program has begun" until_it all_stopped 1
	touch ending/0/1.91-0.tprof ending/0/1.91-0.tprof.part-0123456789ab
	# In this order, as it could come to its end otherwise.
	kill -$signal $task
	kill -CONT "$(cat stopped/pids)"
	must_end $task
	wait $task
	status=$?
	expect "SIG$signal: the task fails" test $status -eq 4
	expect "SIG$signal: its program has ended" until_it dead "$(cat stopped/pids)"
	expect "SIG$signal: nothing stays" test "$(ls ending/0)" = 1.log
done

# ---- options of users ----

cd "$d" || exit 4
SBATCH_WAIT=1 SBATCH_ARRAY_INX=1-2 timeout 900 tprof-import --slurm='-v --comment=--array -J night' --tasks=3 --strict -o ../given.tprof . >../given.out 2>../given.err
status=$?
expect 'names of dumps and of the store are from here on' test $status -eq 0
cd "$scratch" || exit 4
until_it test -e given.tprof.report
expect 'the same runs' sh -c "tprof-query --format=csv given.tprof 'SELECT hash FROM run ORDER BY 1' >a; tprof-query --format=csv one.tprof 'SELECT hash FROM run ORDER BY 1' >b; diff a b"
for options in --arr=1-3 -vQ '-D /' '-Hd afterok:1' '-p all batch'; do
	tprof-import --slurm="$options" -o refused.tprof "$d" >refused.out 2>&1
	status=$?
	expect "$options is refused" test $status -eq 2
done

# ---- what Slurm refuses ----

tprof-import --slurm=--partition=none -o refused.tprof "$d" >refused.out 2>&1
expect 'its reason is said' grep -q 'invalid partition' refused.out
expect 'nothing stays' sh -c '! ls -d refused.tprof*'

echo "slurm: $passed passed, $failed failed"
[ $failed -eq 0 ]
