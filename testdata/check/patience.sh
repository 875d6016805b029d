#!/bin/sh
# An expression that takes too long on a dump's names is an answer to nobody: each command that reads one
# has to say so and to fail, and not to take "nobody knows" for "no". The clock is what decides, so one is
# put in front of them on which each look takes an hour.
#
#   CC=cc sh testdata/check/patience.sh BIN
set -u
cd "$(dirname "$0")/../.." || exit 4
BIN=$(cd "$1" && pwd) || exit 4
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
PATH=$BIN:$PATH HOME=$scratch XDG_CACHE_HOME=$scratch/cache
export HOME XDG_CACHE_HOME PATH
passed=0 failed=0

cat >"$scratch/clock.c" <<'END'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *t)
{
	static _Atomic long looks;

	if (syscall(SYS_clock_gettime, clock, t))
		return -1;
	if (clock == CLOCK_MONOTONIC || clock == CLOCK_PROCESS_CPUTIME_ID)
		t->tv_sec += 3600 * ++looks;
	return 0;
}
END
${CC:-cc} -D_GNU_SOURCE -O1 -fPIC -shared -o "$scratch/clock.so" "$scratch/clock.c" || exit 1

run='--run=errands.trace' cpu='--run=catalog.cpu' store=$scratch/s.tprof
for dump in testdata/errands.trace testdata/catalog.cpu; do
	tprof-import -o "$store" "$dump" >/dev/null 2>&1 || exit 1
done

ask() { # command…: its status; what it says is in $scratch/said
	LD_PRELOAD=$scratch/clock.so "$@" >"$scratch/out" 2>"$scratch/said" </dev/null
}

check() { # command…
	# For who waits there is an answer, if only that nothing matches.
	"$@" >"$scratch/out" 2>"$scratch/said" </dev/null
	before=$?
	grep -q 'takes too long\|no option' "$scratch/said" && before=9
	ask "$@"
	status=$?
	if [ $before -le 3 ] && [ $status -ge 2 ] && grep -q 'expression takes too long' "$scratch/said" &&
		[ "$(wc -l <"$scratch/said")" -le 1 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $*: status $before, then $status"
		head -n 5 "$scratch/said"
	fi
}

# Of the first name there is always an answer: an expression that the second has to be asked, too.
re='(.|m)*[zq]{7}'

for option in focus ignore goroutine task region; do
	for report in overview cpu block locks goroutines breakdown groups sched syscalls tasks regions logs; do
		# Tasks of one type only have logs.
		[ $option-$report = task-logs ] || check tprof-top $run "$store" $report --$option="$re"
	done
	check tprof-flame $run "$store" -o "$scratch/written" --$option="$re"
	check tprof-export --format=pprof --view=offcpu $run "$store" -o "$scratch/written" --$option="$re"
done
for report in overview block locks goroutines breakdown groups sched; do
	check tprof-top $run "$store" $report --reason="$re"
done
for option in task region goroutine; do
	check tprof-path $run "$store" --$option="$re"
	check tprof-diff --view=cpu testdata/errands.trace testdata/checkout.trace --$option="$re"
done
for report in logs tasks; do
	check tprof-top $run "$store" $report --log="$re"
done
check tprof-export --format=perfetto $run "$store" -o "$scratch/written" --goroutine="$re"
check tprof-export --format=trace testdata/errands.trace -o "$scratch/written" --goroutine="$re"
for option in focus ignore hide show show-from prune-from tag-focus tag-ignore tag-focus=shelf tag-ignore=shelf; do
	check tprof-top $cpu "$store" --$option="$re"
	check tprof-flame $cpu "$store" -o "$scratch/written" --$option="$re"
	check tprof-export --format=pprof $cpu "$store" -o "$scratch/written" --$option="$re"
done
for option in tag-hide tag-show; do
	check tprof-top --traces testdata/corpus/profiles/odd-labels.pb --$option="$re"
	check tprof-export --format=pprof testdata/corpus/profiles/odd-labels.pb -o "$scratch/written" --$option="$re"
done
for option in focus ignore hide show show-from prune-from; do
	check tprof-diff testdata/prices/old.cpu testdata/prices/new.cpu --$option="$re"
done
for option in peek list; do
	check tprof-top $cpu "$store" --$option="$re"
done
check tprof-query "$store" "SELECT count(*) FROM goroutine WHERE name REGEXP '$re'"
check tprof-diff testdata/prices/old.cpu testdata/prices/new.cpu --gate="flat($re)>+1%"

echo "patience: $passed passed, $failed failed"
[ $failed -eq 0 ]
