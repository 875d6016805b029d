#!/bin/sh
# The part of make test that records: round trip against programs that log what they do themselves,
# a heap that is known to the byte, and all that a recorded program must survive. Judged by our own
# strict reader; make test-recorder (real.sh) asks others, too.
#
#   sh testdata/recorder/check.sh BUILD_FOLDER       V=1 prints what passes, too
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=$1
QUIET=${V:-1}
[ "${V:-}" != 1 ] || QUIET=
. testdata/recorder/lib.sh

# ---- what it says is so ----

thrice trip 'round trip, go 1.5' --trace-format=1.5 20
thrice trip 'round trip, go 1.26' '' 20 && comparer_can_fail
exact_heap 'heap at rate 1' heap.pb.gz --heap=1 -- "$programs/heap" 1
exact_heap 'heap at rate 1, with everything else' heap.pb.gz --all --heap=1 -- "$programs/heap" 2
exact_heap 'heap at rate 1, C++' heap.pb.gz --heap=1 -- "$programs/heapxx"
thrice sums 'block and mutex, all' 5 '--block=1ns --mutex=1' 400 80 3
thrice blame 2

# ---- what it survives ----

for how in segv abort kill trap _exit quick_exit exit_group return; do
	same "ends by $how" 3 --all "$programs/die" $how 9
done
crash_points 12 --all
same 'children' 3 --all "$programs/forks"
# However they are started: six by fork, and by vfork and exec, posix_spawn, system, popen.
if grep -q '^not recorded: 10 processes' recorded.err; then
	ok 'children that are not recorded are told'
else
	bad 'children that are not recorded are told' 'not of ten' recorded.err
fi
same 'children, recorded too' 12 '--all --follow-children' "$programs/forks"
same 'becomes another program' 3 --all "$programs/forks" exec "$programs/die" return 3
same 'becomes another program, followed' 3 '--all --follow-children' "$programs/forks" exec "$programs/die" return 3
same '5,500 threads' 3 --all "$programs/threads" many
same 'cancelled threads' 3 --all "$programs/threads" cancel
same 'threads that outlive main' 3 --all "$programs/threads" outlive
same 'detached threads at the end' 3 --all "$programs/threads" detached
same 'C++' 3 --all "$programs/cxx"
same 'C++, heap at rate 1' 3 '--all --heap=1' "$programs/cxx"
same 'what hooks must keep' 3 '--all --heap=1 --follow-children' "$programs/hooks"
same 'signal handlers that allocate' 3 '--all --heap=1' "$programs/signals"
same 'full memory' 3 --all "$programs/tight"
. "$source/testdata/recorder/ends.sh"
. "$source/testdata/recorder/odd.sh"
. "$source/testdata/recorder/api.sh"
finish recorder
