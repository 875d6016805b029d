#!/bin/sh
# Commands that decode do it in a jail: what a decoder has no use for is tried where they do (jail_try.c),
# and has to be refused, so that the command goes on as ever; and to go through without the jail. Then
# temporary files: nobody else's eyes, nobody else's links.
#
#   CC=cc sh testdata/check/jail.sh BIN
set -u
cd "$(dirname "$0")/../.." || exit 4
BIN=$(cd "$1" && pwd) || exit 4
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
PATH=$BIN:$PATH HOME=$scratch XDG_CACHE_HOME=$scratch/cache
export HOME XDG_CACHE_HOME PATH
passed=0 failed=0

check() { # what, status of the test before
	if [ "$2" -eq 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $1"
		[ ! -s "$scratch/log" ] || cat "$scratch/log"
	fi
}

# ---- the jail ----

# One command after the other: what becomes of it, with the library.
run() { # command…
	rm -rf "$scratch/cache" "$scratch/s.tprof"
	LD_PRELOAD=$scratch/try.so JAIL_VICTIM=$scratch/victim "$@" >"$scratch/log" 2>&1
}

# The kernel is asked whether it has both; that tprof says it can have no jail may be what is wrong.
cat >"$scratch/kernel.c" <<'END'
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	uint32_t action = SECCOMP_RET_KILL_PROCESS;

	/* Its version, as LANDLOCK_CREATE_RULESET_VERSION asks for it. */
	return syscall(SYS_landlock_create_ruleset, NULL, 0, 1) < 1 ||
	       syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) != 0;
}
END
kernel=1
if pkg-config --exists libseccomp && ${CC:-cc} -D_GNU_SOURCE -o "$scratch/kernel" "$scratch/kernel.c"; then
	"$scratch/kernel"
	kernel=$?
fi

TPROF_JAIL=require tprof-import -o "$scratch/s.tprof" testdata/relay.trace >"$scratch/log" 2>&1
jailed=$?
if [ $kernel -eq 0 ] || [ $jailed -eq 0 ]; then
	check 'a jail can be had where the kernel has all it needs' $jailed
	${CC:-cc} -D_GNU_SOURCE -O1 -fPIC -shared -o "$scratch/try.so" testdata/check/jail_try.c -ldl || exit 1
	unset TPROF_JAIL
	# Many systems let nobody but root trace a parent.
	may_trace=false
	[ "$(id -u)" -ne 0 ] && [ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -ne 0 ] || may_trace=true
	$may_trace || echo 'the jail: that nobody is traced is not tried, as here only root may trace (yama.ptrace_scope)'
	gzip -dc <testdata/catalog.heap >"$scratch/profile" 2>/dev/null || cp testdata/catalog.heap "$scratch/profile"
	for what in read write unlink socket kill trace fork exec; do
		for command in "tprof-import -o $scratch/s.tprof" 'tprof-import --dump=events' tprof-top 'tprof-path' \
			'tprof-leaks' 'tprof-export --format=events' 'tprof-report'; do
			: >"$scratch/victim"
			JAIL_TRY=$what run $command testdata/relay.trace
			check "$command: a decoder can $what" $?
			[ "$what" != trace ] || $may_trace || continue
			if [ "$command" = tprof-top ] || [ "$what" = read ]; then
				# The parent is this shell then.
				JAIL_TRY=$what TPROF_JAIL=off run $command testdata/relay.trace
				[ $? -ne 0 ]
				check "$command: without the jail, too, nothing can $what" $?
			fi
		done
	done
	# Where the system refuses a jail, or one half of it, and one is required, nothing is decoded.
	printf '#include <errno.h>\nint prctl(int op, ...) { (void)op; errno = EINVAL; return -1; }\n' >"$scratch/seccomp.c"
	cat >"$scratch/landlock.c" <<'END'
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall"), arg[6];
	va_list ap;

	if (number >= SYS_landlock_create_ruleset && number <= SYS_landlock_restrict_self) {
		errno = ENOSYS;
		return -1;
	}
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	return real(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
}
END
	for half in seccomp landlock; do
		${CC:-cc} -D_GNU_SOURCE -O1 -fPIC -shared -o "$scratch/$half.so" "$scratch/$half.c" -ldl || exit 1
		for dump in testdata/relay.trace "$scratch/profile"; do
			for command in tprof-top tprof-flame "tprof-diff $dump" "tprof-import -o $scratch/s.tprof"; do
				rm -rf "$scratch/cache" "$scratch/s.tprof"
				LD_PRELOAD=$scratch/$half.so $command "$dump" >"$scratch/log" 2>&1
				check "$command $dump: nothing is decoded without $half" $?
				rm -rf "$scratch/cache" "$scratch/s.tprof"
				LD_PRELOAD=$scratch/$half.so TPROF_JAIL=require $command "$dump" >"$scratch/log" 2>&1
				[ $? -ne 0 ] && grep -q 'TPROF_JAIL=require' "$scratch/log"
				check "$command $dump: it is decoded with TPROF_JAIL=require, and without $half" $?
			done
		done
	done
	# Profiles are decoded in the command itself, which gives up less.
	for what in socket trace; do
		JAIL_TRY=$what run tprof-top "$scratch/profile"
		check "tprof-top: a decoder of profiles can $what" $?
		[ "$what" != trace ] || $may_trace || continue
		JAIL_TRY=$what TPROF_JAIL=off run tprof-top "$scratch/profile"
		[ $? -ne 0 ]
		check "tprof-top: without the jail, too, nothing can $what" $?
	done
	# So do commands that read stores.
	tprof-import -o "$scratch/store.tprof" testdata/relay.trace >"$scratch/log" 2>&1
	for what in socket trace; do
		for command in tprof-top tprof-flame tprof-report tprof-path; do
			JAIL_STORE=1 JAIL_TRY=$what run $command "$scratch/store.tprof"
			check "$command: who reads a store can $what" $?
		done
		[ "$what" != trace ] || $may_trace || continue
		JAIL_STORE=1 JAIL_TRY=$what TPROF_JAIL=off run tprof-top "$scratch/store.tprof"
		[ $? -ne 0 ]
		check "tprof-top of a store: without the jail, too, nothing can $what" $?
	done
	# A server reads a store in a jail, answers in it, and ends by ^C as ever.
	serve() { # status of the server, which tries
		rm -f "$scratch/address"
		JAIL_STORE=1 LD_PRELOAD=$scratch/try.so JAIL_VICTIM=$scratch/victim \
			tprof-web --no-open "$scratch/store.tprof" >"$scratch/address" 2>"$scratch/log" &
		for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			[ ! -s "$scratch/address" ] || break
			kill -0 $! 2>/dev/null || break
			sleep 0.1
		done
		sleep 0.2
		kill -TERM $! 2>/dev/null
		wait $!
	}
	for what in read write unlink socket kill trace fork exec; do
		[ -x "$BIN/tprof-web" ] || break
		: >"$scratch/victim"
		JAIL_TRY=$what serve
		check "tprof-web: the server can $what" $?
		[ "$what" = socket ] || continue
		JAIL_TRY=$what TPROF_JAIL=off serve
		[ $? -ne 0 ]
		check "tprof-web: without the jail, too, nothing can $what" $?
	done
	TPROF_JAIL=maybe tprof-import -o "$scratch/s.tprof" testdata/relay.trace 2>"$scratch/log"
	[ $? -ne 0 ] && grep -q "'maybe' is not auto, require or off" "$scratch/log"
	check 'TPROF_JAIL=maybe' $?
else
	echo "the jail: not all of it is checked, as this kernel has none: $(cat "$scratch/log")"
	[ "${FEATURES:-}" != all ] || check 'the jail is not checked, and FEATURES=all wants it' 1
fi

# ---- temporary files ----

umask 000
rm -rf "$scratch/cache" "$scratch/s.tprof"
tprof-top testdata/relay.trace >"$scratch/log" 2>&1
[ "$(stat -c %a "$scratch/cache/tprof")" = 700 ]
check 'the cache is private' $?
chmod 777 "$scratch/cache/tprof"
tprof-top testdata/relay.trace >"$scratch/log" 2>&1
[ "$(stat -c %a "$scratch/cache/tprof")" = 700 ]
check 'a cache that is open to others is made private' $?
umask 027
tprof-import -o "$scratch/s.tprof" testdata/relay.trace >"$scratch/log" 2>&1
[ "$(stat -c %a "$scratch/s.tprof")" = 640 ]
check 'a store has the mode that the umask leaves' $?
# Somebody's links where a writer puts its files, in a folder that both may write to.
rm -f "$scratch/s.tprof"
for name in s.tprof.lock s.tprof-journal; do
	echo precious >"$scratch/precious"
	ln -s "$scratch/precious" "$scratch/$name"
	tprof-import -o "$scratch/s.tprof" testdata/relay.trace >"$scratch/log" 2>&1
	tprof-import -o "$scratch/s.tprof" testdata/catalog.heap >>"$scratch/log" 2>&1
	[ "$(cat "$scratch/precious")" = precious ]
	check "a link at $name is followed" $?
	ln -s "$scratch/made" "$scratch/dangling" && mv "$scratch/dangling" "$scratch/$name"
	tprof-import -o "$scratch/s.tprof" testdata/convoy.trace >"$scratch/log" 2>&1
	[ ! -e "$scratch/made" ]
	check "a link to nothing at $name is followed" $?
	rm -f "$scratch/$name" "$scratch/precious"
done
if [ "$(id -u)" -eq 0 ] && chown 65534 "$scratch/cache/tprof" 2>/dev/null; then
	rm -f "$scratch/cache/tprof"/*
	tprof-top testdata/relay.trace >"$scratch/log" 2>&1
	check 'a command without its cache' $?
	[ -z "$(ls "$scratch/cache/tprof")" ]
	check "another user's folder is taken for the cache" $?
fi
[ -z "$(find "$scratch" -name '*.part*' -o -name 'stdin-*' -o -name 'tprof-*')" ]
check 'temporary files are left' $?
echo "jail: $passed passed, $failed failed"
[ $failed -eq 0 ]
