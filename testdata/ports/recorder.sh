#!/bin/sh
# The recorder on arm64: programs of cmd/tprof-record/tests are recorded, and Go's own readers and our strict
# one judge what that leaves. The kernel has to start programs of arm64, by qemu: a user namespace has a
# binfmt_misc of its own (Linux 6.7), so that nothing changes for the system.
#
# Left out, and named in the output, is what qemu-user does not have.
#
#   sh testdata/ports/recorder.sh build/port-arm64
set -u
cd "$(dirname "$0")/../.." || exit 4
if [ "$1" != --inside ]; then
	exec unshare -Urm sh testdata/ports/recorder.sh --inside "$@"
fi
BUILD=$2
export QEMU_LD_PREFIX="${XDG_CACHE_HOME:-$HOME/.cache}/tprof-ports/arm64/root"
. testdata/recorder/lib.sh
. "$source/testdata/recorder/others.sh"
needs_peers
# What judges is of this machine, as it is ten times as fast.
mkdir bin
ln -s "$source"/build/out/bin/* bin
ln -sf "$bin/tprof-record" bin
bin=$PWD/bin
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
if ! mount -t binfmt_misc none /proc/sys/fs/binfmt_misc ||
	! printf '%s' ":arm64:M::$magic:$mask:$(command -v qemu-aarch64-static):PF" >/proc/sys/fs/binfmt_misc/register; then
	bad 'programs of arm64' 'the kernel does not start them by qemu'
	finish recorder
fi
LIMIT=300
# pprof has no binaries of arm64 where the dumps say that they are.
OPTIONS='-symbolize=none -trim=false
-symbolize=none -trim=false -sample_index=0
-symbolize=none -lines
'

skip 'running time, switches, round trips' 'qemu has no perf events'
skip 'stacks of running threads, the leak profile' 'qemu has no ptrace'
skip 'seccomp' 'qemu has none'
skip 'children that run no other program' 'qemu ignores MADV_WIPEONFORK'
skip 'sums of short waits, cost' 'they would be those of qemu'

# What hooks.c says is the same, but for children, which qemu starts in another way.
hooks_keep() { # name, option…
	name=$1
	shift
	rm -rf dumps
	run bare "$programs/hooks"
	run recorded record -o dumps "$@" -- "$programs/hooks"
	grep -v '^children:' bare.out >bare.said
	grep -v '^children:' recorded.out >recorded.said
	if ! cmp -s bare.said recorded.said; then
		bad "$name" 'prints something else' recorded.said
	elif ! judge dumps 3 || ! ask_others dumps; then
		bad "$name" "$why"
	else
		ok "$name" "$n dumps"
	fi
}

exact_heap 'heap at rate 1' heap.pb.gz --heap=1 -- "$programs/heap" 1
exact_heap 'heap at rate 1, C++' heap.pb.gz --heap=1 -- "$programs/heapxx"
CHILD=
thrice cpu_shares
for formats in '' '--trace-format=1.5 --profile-format=text'; do
	hooks_keep "what hooks must keep $formats" --all --heap=1 $formats
	name="waits $formats"
	rm -rf dumps
	run recorded record -o dumps --all $formats -- "$programs/waits" waits.log 5
	if [ "$status" -ne 0 ]; then
		bad "$name" "status $status" recorded.err
	elif ! judge dumps 3 || ! ask_others dumps; then
		bad "$name" "$why"
	else
		ok "$name" "$n dumps"
	fi
	same "C++ $formats" 3 "--all $formats" "$programs/cxx"
	same "threads $formats" 3 "--all $formats" "$programs/threads" cancel
done
same 'signal handlers that allocate' 3 '--all --heap=1' "$programs/signals"
same 'handlers for all signals' 3 --all "$programs/cpu" signals
for how in segv abort _exit return; do
	same "ends by $how" 3 --all "$programs/die" $how 9
done
same 'children that run other programs' 8 '--all --follow-children' "$programs/forks"
finish recorder
