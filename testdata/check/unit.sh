#!/bin/sh
# Runs cmocka programs and counts their tests; prints only what failed. A program that ends without
# saying how many tests passed (a crash, a time-out) counts as one failure. Tests that were skipped are
# named, with the reason, without which they have failed; with FEATURES=all (.ci/run all) the machine is to have all that they need, so
# that a skipped test is a failure, but with sanitizers, which bring a malloc of their own, and where the
# reason it says matches MAY_SKIP.
#
# JOBS of them (as many as there are processors) run at a time. What one may take is processor time, as
# where packages are built there may be little of it; the clock ends what waits for ever.
#
# RUN is a command to run them by, of programs for another machine. Tests whose name matches MAY_FAIL need what
# that machine does not have: they are named, and do not count.
#
#   [T=NAME] [JOBS=N] [RUN=COMMAND] [MAY_SKIP=REGEX] [MAY_FAIL=REGEX] sh testdata/check/unit.sh PROGRAM…
set -u
cd "$(dirname "$0")/../.." || exit 4

# Nanoseconds; not every date has digits of them.
now() { date +%s%N | sed 's/[^0-9].*/000000000/'; }

if [ "${1:-}" = --one ]; then
	t=$2
	case ${RUN:-}$t in qemu-*) limit=1800 ;; */san-*) limit=900 ;; *) limit=300 ;; esac
	began=$(now)
	# shellcheck disable=SC2086
	(ulimit -t $limit && timeout $((limit + 600)) ${RUN:-} "$t") >"$t.log" 2>&1
	status=$?
	ms=$((($(now) - began) / 1000000))
	echo "$status $((ms / 1000))" >"$t.status"
	[ -z "${TIMES:-}" ] || echo "$ms $t" >>"$TIMES"
	exit 0
fi

passed=0 failed=0
named() { # program
	case $1 in *"${T:-}"*) ;; *) return 1 ;; esac
}
wanted() { # program
	named "$1" || return 1
	case $1 in */san-thread/*) threaded "$1" ;; esac
}
# Only what is linked with the call that begins a thread can have two; ThreadSanitizer finds nothing in
# the others, and takes ten times as long for it. Left out as well are long ones that begin none though
# they are linked with it, and those whose only threads import a dump, as tests of the store do, too.
threaded() {
	case ${1#*/test/} in
	libparse/sql/* | libparse/store/damage_test | libparse/symbol/* | libreport/diff/truth_test) return 1 ;;
	libreport/engine/* | libreport/lanes/* | libreport/path/* | libreport/profile/*) return 1 ;;
	# The threads of these are those of merge/apart_test, top/top_test and top/worst_test.
	libparse/store/merge/parts_test | libreport/sums/part_test) return 1 ;;
	esac
	nm -D --undefined-only "$1" | grep -q ' pthread_create'
}
# A misspelled name is no success. Of those that are called so, ThreadSanitizer may run none.
called=
for t in "$@"; do
	! named "$t" || called=yes
done
if [ -n "${T:-}" ] && [ -z "$called" ]; then
	echo "FAILED no test is called *$T*"
	failed=1
fi
# What an earlier run left would be taken for this one's.
for t in "$@"; do
	! wanted "$t" || { rm -f "$t.log" "$t.status" && printf '%s\n' "$t"; }
done | sh testdata/check/jobs.sh each sh testdata/check/unit.sh --one
longest=
for t in "$@"; do
	wanted "$t" || continue
	status=1 seconds=0
	[ ! -e "$t.status" ] || read -r status seconds <"$t.status"
	[ -e "$t.log" ] || echo 'it was not run' >"$t.log"
	[ "$seconds" -lt 20 ] || longest="$longest $seconds:$t"
	p=$(awk '/^\[  PASSED  \]/ { n += $4 } END { print n + 0 }' "$t.log")
	f=$(awk '/^\[  FAILED  \] .*listed below/ { n += $4 } END { print n + 0 }' "$t.log")
	left=
	[ -z "${MAY_FAIL:-}" ] || left=$(sed -nE '/listed below/,$ s/^\[  FAILED  \] ([a-z0-9_]+)$/\1/p' "$t.log" | grep -xE "$MAY_FAIL")
	for name in $left; do
		echo "left out: $t: $name"
		f=$((f - 1)) status=0
	done
	if [ $status -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "status $status" >>"$t.log"
	elif [ "$p" -eq 0 ] && [ "$f" -eq 0 ] && ! grep -q '^\[  SKIPPED \]' "$t.log"; then
		f=1
		echo "no test was run" >>"$t.log"
	fi
	# The reason stands before the first of the two lines that cmocka has for it.
	awk -v t="$t" '/^\[  SKIPPED \]/ && last !~ /^\[/ { print "skipped: " t ": " $4 ": " last } { last = $0 }' "$t.log"
	if awk '/^\[ RUN      \]/ { run = $0 } /^\[  SKIPPED \]/ && last == run { n++ } { last = $0 } END { exit !n }' "$t.log"; then
		f=$((f + 1))
		echo 'a test was skipped without a reason: print one before skip()' >>"$t.log"
	fi
	s=$(awk -v may="${MAY_SKIP:-}" '/^\[  SKIPPED \] .*listed below/ { n += $4 }
		/^\[  SKIPPED \]/ && may != "" && last !~ /^\[/ && last ~ may { n-- } { last = $0 } END { print n + 0 }' "$t.log")
	case ${FEATURES:-}$t in all*san-*) ;; all*) f=$((f + s)) ;; esac
	[ "$f" -eq 0 ] || { cat "$t.log"; echo "FAILED $t"; }
	passed=$((passed + p)) failed=$((failed + f))
done
# Where the time goes, should it be too long.
for t in $longest; do echo "$t"; done | sort -rn | awk -F: 'NR <= 10 { print $1 " s: " $2 }'
echo "unit tests: $passed passed, $failed failed"
[ $failed -eq 0 ]
