#!/bin/sh
# Runs cmocka programs and counts their tests; prints only what failed. A program that ends without
# saying how many tests passed (a crash, a time-out) counts as one failure.
#
#   [T=NAME] sh testdata/check/unit.sh PROGRAM…
set -u
passed=0 failed=0
for t in "$@"; do
	case $t in *"${T:-}"*) ;; *) continue ;; esac
	timeout 300 "$t" >"$t.log" 2>&1
	status=$?
	p=$(awk '/^\[  PASSED  \]/ { n += $4 } END { print n + 0 }' "$t.log")
	f=$(awk '/^\[  FAILED  \] .*listed below/ { n += $4 } END { print n + 0 }' "$t.log")
	if [ $status -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "status $status" >>"$t.log"
	elif [ "$p" -eq 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "no test was run" >>"$t.log"
	fi
	[ "$f" -eq 0 ] || { cat "$t.log"; echo "FAILED $t"; }
	passed=$((passed + p)) failed=$((failed + f))
done
echo "unit tests: $passed passed, $failed failed"
[ $failed -eq 0 ]
