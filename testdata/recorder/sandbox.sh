# Programs that restrict their system calls, and processes that begin in unusual ways, part of check.sh: what is not
# recorded is told, and the programs behave as without the recorder.

# told NAME OPTIONS TEXT [NOT] PROGRAM…: the summary has a line that matches TEXT, and none that matches NOT.
told() {
	name=$1 options=$2 text=$3 not=$4
	shift 4
	run bare "$@"
	bare=$status
	if [ "$bare" -eq 77 ]; then
		skip "$name" 'the kernel refuses it'
		return
	fi
	rm -rf dumps
	# shellcheck disable=SC2086
	run recorded record -o dumps $options -- "$@"
	if [ "$status" -ne "$bare" ]; then
		bad "$name" "status $status, not $bare" recorded.err
	elif ! cmp -s bare.out recorded.out; then
		bad "$name" 'prints something else' recorded.out
	elif ! grep -q "$text" recorded.err; then
		bad "$name" "does not say '$text'" recorded.err
	elif [ -n "$not" ] && grep -q "$not" recorded.err; then
		bad "$name" "says '$not'" recorded.err
	else
		ok "$name" "$(grep "$text" recorded.err | head -n 1)"
	fi
}

# The number of a system call.
number() {
	printf '#include <sys/syscall.h>\nSYS_%s\n' "$1" | ${CC:-cc} -E -P - | tail -n 1
}

sandbox=$programs/sandbox
whole='20MiB in use'
# What only some of the recording needs, and what a new process needs.
for call in ptrace openat close rt_sigaction timer_create clock_gettime prctl fcntl sched_yield socket; do
	for how in eperm kill; do
		told "a filter refuses $call, $how" '--all --heap=1' "$whole" 'recording ended' "$sandbox" $how "$(number $call)"
	done
done
for call in futex getpid gettid madvise rt_sigprocmask; do
	told "a filter refuses $call" --all "^recording ended after .* does not allow $call" '^nothing lost' \
		"$sandbox" kill "$(number $call)"
done
# MADV_DONTNEED, which tables that grow can do without.
told 'a filter refuses to give memory back' '--all --heap=1' "$whole" 'recording ended' "$sandbox" kill "$(number madvise)" 4
told 'a filter that is not installed' '--all --heap=1' "$whole" 'recording ended' "$sandbox" unfit "$(number rt_sigreturn)"
told 'strict mode' --all '^recording ended after .* strict mode' '^nothing lost' "$sandbox" strict
told 'a child may not start to be recorded' '--all --follow-children' '^not recorded: 1 process that' '' \
	"$sandbox" -f kill "$(number socket)"
for how in clone clone3 library network; do
	told "a child by $how" --all '^not recorded: .*1 process that it started' '' "$sandbox" $how
done
for how in clone clone3 library; do
	told "a child by $how, followed" '--all --follow-children' '^  [0-9]*-sandbox/' '^not recorded' "$sandbox" $how
done
told 'a child in another network, followed' '--all --follow-children' '^not recorded: 1 process that' '' \
	"$sandbox" network
for how in hidden closed nofiles; do
	told "a program that is $how" '--all --heap=1' "$whole" 'recording ended' "$sandbox" $how
done
printf 'int main(void) { return 5; }\n' >small.c
if ${CC:-cc} -static -o static small.c 2>static.err; then
	for how in vfork spawn; do
		told "a static program by $how" '--all --follow-children' '^not recorded: .*1 process that' '' \
			"$sandbox" $how ./static
	done
	told 'becomes a static program' --all '^recording ended after .*it executed ./static' '^nothing lost' \
		"$sandbox" exec ./static
	if [ "$(uname -m)" = x86_64 ] && grep -q "the kernel's context switches" recorded.err; then
		told 'becomes a static program without libc' --all '^recording ended after .*it executed static' \
			'^nothing lost' "$sandbox" rawexec ./static
	fi
else
	skip 'static programs' 'there is no static libc'
fi

# What the recorder itself may not do.
refused() { # name, system call, what the summary says
	AS="$programs/refused $(number "$2")"
	rm -rf dumps
	run recorded record -o dumps -- "$programs/running" inlined
	AS=
	if [ "$status" -eq 77 ]; then
		skip "$1" 'the kernel refuses it'
	elif [ "$status" -eq 0 ] && grep -qF "$3" recorded.err && judge dumps 5; then
		ok "$1"
	else
		bad "$1" "does not say '$3'" recorded.err
	fi
}
refused 'stacks may not be read from outside' process_vm_readv 'may not be looked at (ptrace, process_vm_readv)'
refused 'perf events are refused' perf_event_open 'perf_event_open(2) is not allowed here (seccomp, container)'
