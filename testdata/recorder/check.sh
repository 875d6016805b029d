#!/bin/sh
# The part of make test that records: round trip against programs that log what they do themselves,
# a heap that is known to the byte, and all that a recorded program must survive. Judged by our own
# strict reader; make test-recorder (real.sh) asks others, too.
#
#   sh testdata/recorder/check.sh BUILD_FOLDER       V=1 prints what passes, too
#
# What depends on time is tried first, with nothing else beside it; then the groups below, each in a
# folder of its own, several at a time: they wait more than they work.
set -u
cd "$(dirname "$0")/../.." || exit 4
if [ "$1" = --group ]; then
	results=$2 BUILD=$3 group=$4
else
	results= BUILD=$1
fi
QUIET=${V:-1}
[ "${V:-}" != 1 ] || QUIET=
. testdata/recorder/lib.sh
. "$source/testdata/recorder/ends.sh"
. "$source/testdata/recorder/api.sh"
. "$source/testdata/recorder/pid.sh"
. "$source/testdata/recorder/symbols.sh"

# ---- what it says is so ----

timed() {
	thrice trip 'round trip, go 1.5' --trace-format=1.5 20
	thrice trip 'round trip, go 1.26' '' 20 && comparer_can_fail
	thrice sums 'block and mutex, all' 5 '--block=1ns --mutex=1' 400 80 3
	thrice blame 2
	all_running
	thrice page_example
	thrice cpu_shares
	thrice told_calls 1.26
	thrice told_calls 1.5
	thrice told_untold 1.26
	thrice told_untold 1.5
	thrice told_posts
	running_programs
	all_coroutines
}

heaps() {
	exact_heap 'heap at rate 1' heap.pb.gz --heap=1 -- "$programs/heap" 1
	exact_heap 'heap at rate 1, with everything else' heap.pb.gz --all --heap=1 -- "$programs/heap" 2
	exact_heap 'heap at rate 1, C++' heap.pb.gz --heap=1 -- "$programs/heapxx"
	exact_heap 'memory that a program maps itself' heap.pb.gz --heap -- "$programs/maps"
	run left_out record -o dumps --heap=1 --no-mmap -- "$programs/maps"
	values dumps/heap.pb.gz alloc_space >got
	if grep -q 'mmap\|site_' got; then
		bad 'memory that a program maps itself, left out' 'it is there' got
	else
		ok 'memory that a program maps itself, left out'
	fi
	exact_heap '131,072 stacks' heap.pb.gz --strict --heap=1 -- "$programs/stacks" many
	case $(uname -m) in
	x86_64)
		exact_heap 'code without tables' heap.pb.gz --strict --heap=1 -- "$programs/stacks" code
		exact_heap 'code without frame pointers' heap.pb.gz --heap=1 -- "$programs/stacks" none
		;;
	esac
	losses_are_told
}

# With the small tables: told first, also with -q, and by the exit status if it is asked for.
losses_are_told() {
	for how in '0 -q' '125 -q --strict' '125 --strict' '7 --strict'; do
		want=${how%% *}
		(
			ulimit -v 4000000
			# shellcheck disable=SC2086 # several words
			record ${how#* } -o dumps --heap=1 --follow-children -- sh -c "\"$programs/stacks\"; exit $((want % 125))"
		) >lost.out 2>lost.err
		status=$?
		if [ "$status" -ne "$want" ]; then
			bad "losses are told: $how" "status $status" lost.err
		elif ! head -n 1 lost.err | grep -q ': other processes: lost [0-9,]* stacks: '; then
			bad "losses are told: $how" 'not first' lost.err
		else
			ok "losses are told: $how"
		fi
	done
}

# ---- what it survives ----

die() {
	for how in segv abort kill trap _exit quick_exit exit_group return; do
		same "ends by $how" 3 --all "$programs/die" $how 9
	done
}

crashes() { crash_points 12 --all; }

early() { ! sees_children 'killed from outside' || early_kills; }

children() {
	same 'children' 3 --all "$programs/forks"
	# However they are started: six by fork, and by vfork and exec, posix_spawn, system, popen; only the kernel
	# knows of a child by vfork that executes nothing, and of a child of a child.
	if grep -q '^not recorded: \(12\|at least 10\) processes' recorded.err; then
		ok 'children that are not recorded are told'
	else
		bad 'children that are not recorded are told' 'not of twelve' recorded.err
	fi
	same 'children, recorded too' 12 '--all --follow-children' "$programs/forks"
	same 'becomes another program' 3 --all "$programs/forks" exec "$programs/die" return 3
	same 'becomes another program, followed' 3 '--all --follow-children' "$programs/forks" exec "$programs/die" return 3
}

threads() {
	same '5,500 threads' 3 --all "$programs/threads" many
	same 'cancelled threads' 3 --all "$programs/threads" cancel
	same 'threads that outlive main' 3 --all "$programs/threads" outlive
	same 'detached threads at the end' 3 --all "$programs/threads" detached
}

inside() {
	same 'C++' 3 --all "$programs/cxx"
	same 'C++, heap at rate 1' 3 '--all --heap=1' "$programs/cxx"
	same 'handlers for all signals' 3 --all "$programs/cpu" signals
	same 'CPU samples at all times' 3 '--all --heap=1' "$programs/cpu" storm
	same 'signal handlers that allocate' 3 '--all --heap=1' "$programs/signals"
	same 'full memory' 3 --all "$programs/tight"
}

# Which of its small programs a kernel refuses is told.
all_running() {
	thrice running 'running: threads that compute' join 1 "$programs/running" spin
	thrice inlined
	case $(uname -m) in
	x86_64)
		thrice unseen 'moved;tprof._UnknownCallers' "$programs/running" moved
		${CC:-cc} -O0 -o framed "$source/cmd/tprof-record/tests/running.c" 2>framed.err &&
			thrice unseen 'inlined;main' ./framed inlined
		;;
	esac
	thrice running 'running: page faults' '' 0 "$programs/running" faults "$bin/tprof-record"
	thrice running 'running: io_uring' kernel 110 "$programs/running" uring
	if ${CC:-cc} -O1 -fopenmp -o openmp "$source/cmd/tprof-record/tests/running.c" 2>openmp.err; then
		thrice running 'running: OpenMP' kernel 110 ./openmp openmp
	else
		skip 'running: OpenMP' 'the compiler has none'
	fi
	AS="$programs/refused"
	thrice running 'running, without switches: threads that compute' join 1 "$programs/running" spin
	thrice running 'running, without switches: a system call that is inlined' 'not on a processor' 110 \
		"$programs/running" inlined
	AS='unshare -pf --mount-proc'
	if ! $AS true 2>unshare.err; then
		skip 'running: no wake-ups in containers' "$(head -n 1 unshare.err)"
	elif thrice running 'running: in a container' kernel 110 "$programs/running" inlined &&
		grep -q 'each recorded wake-up' truth.err; then
		bad 'running: no wake-ups in containers' 'their threads have other numbers' truth.err
	fi
	AS=
	if [ "$(id -u)" -ne 0 ]; then
		skip 'running: as another user' 'only root can try it'
	elif chmod 777 "$scratch" && AS='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all'; then
		thrice running 'running: as another user' join 1 "$programs/running" spin
		AS=
	fi
}

hooks() { same 'what hooks must keep' 3 '--all --heap=1 --follow-children' "$programs/hooks"; }

sandbox() { . "$source/testdata/recorder/sandbox.sh"; }

odd() { . "$source/testdata/recorder/odd.sh"; }

held() {
	held_up 1.26
	held_up 1.5
}

others() {
	recorder_killed
	flood
}

traces_in_the_middle() {
	middle 'traces in the middle, go 1.26' ''
	middle 'traces in the middle, go 1.5' -f
}

of_the_library() {
	own_leaks
	deaths 0.2 1.2
	library
	guest
	header_in_cxx
}

# The longest first.
groups='crashes early held odd sandbox children soup hooks die threads inside series others heaps pid_cannot from_silent_server traces_in_the_middle of_the_library'

if [ -n "$results" ]; then
	$group
	echo "$passed $failed $skipped" >"$results/$group.counts"
	exit
fi
timed
for group in $groups; do
	echo $group
done | JOBS=${JOBS:-$(($(nproc 2>/dev/null || echo 2) + 1))} sh "$source/testdata/check/jobs.sh" each \
	sh -c '"$@" >"$0/$6.out" 2>&1' "$scratch" sh "$source/testdata/recorder/check.sh" --group "$scratch" "$BUILD"
for group in $groups; do
	p=0 f=1 s=0
	cat "$scratch/$group.out"
	read -r p f s <"$scratch/$group.counts" || echo "FAILED  $group: it did not come to its end"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done
finish recorder
