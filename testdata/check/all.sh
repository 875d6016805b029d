#!/bin/sh
# make test: everything is built, then every part is checked, several at a time. What each printed comes
# whole and in order; at the end what failed is named again, and one line has the sum. A part that fails
# without saying how many of its tests did counts as one failure; no part stops the others.
#
#   MAKE=make CC=cc [JOBS=N] sh testdata/check/all.sh BUILD_FOLDER
#
# JOBS is how many tests run at a time within a part (as many as there are processors); with JOBS=1 the
# parts come one after the other, too.
set -u
cd "$(dirname "$0")/../.." || exit 4
build=$1
started=$(date +%s)

# The parts. Those of a line run one after the other, lines at the same time; parts here use folders of
# their own, and build nothing.
lane_1='unit cli replay faults-quick check-headers'
lane_2='tui check-escapes conformance-selftest check-readme check-docs check-jail check-patience check-layers check-hardening check-install check-dist'
# It measures time, so it waits for the others.
alone='recorder'
# What looks at the source alone, at the flags of a plain build, or at the tools of the tests, says the
# same of every build.
case $build in */san-*)
	lane_1='unit cli replay'
	lane_2='tui check-readme check-docs'
	;;
esac

logs=$build/test-logs
rm -rf "$logs"
mkdir -p "$logs"
passed=0 failed=0

run() { # part…
	for part in "$@"; do
		began=$(date +%s)
		$MAKE "$part" >"$logs/$part" 2>&1
		status=$?
		echo "$(($(date +%s) - began))" >"$logs/$part.seconds"
		echo $status >"$logs/$part.status"
	done
}

# What a part printed, once it has ended; its counts.
report() { # part
	until [ -e "$logs/$1.status" ]; do
		# Something may have ended the lane.
		kill -0 $lanes 2>/dev/null || sleep 1
		kill -0 $lanes 2>/dev/null || [ -e "$logs/$1.status" ] || echo 137 >"$logs/$1.status"
		sleep 0.2
	done
	cat "$logs/$1"
	status=$(cat "$logs/$1.status")
	# The last line is "NAME: N passed, N failed"; make's own "Error 1" follows it where a part failed.
	counts=$(sed -n 's/.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$logs/$1" | tail -n 1)
	p=${counts%% *} f=${counts##* }
	p=${p:-0} f=${f:-0}
	if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "FAILED make $1: status $status" | tee -a "$logs/$1"
	elif [ "$status" -eq 0 ] && [ $((p + f)) -eq 0 ] && ! grep -q 'are not checked, as' "$logs/$1"; then
		f=1
		echo "FAILED make $1 checked nothing" | tee -a "$logs/$1"
	fi
	passed=$((passed + p)) failed=$((failed + f))
}

lanes=
trap 'trap - INT; kill 0' INT
trap 'kill $lanes 2>/dev/null; exit 143' TERM
if $MAKE built; then
	in_build=$(($(date +%s) - started))
	if [ "${JOBS:-}" = 1 ]; then
		run $lane_1 $lane_2 $alone &
		lanes=$!
	else
		(
			run $lane_1 &
			run $lane_2 &
			wait
			run $alone
		) &
		lanes=$!
	fi
	for part in $lane_1 $lane_2 $alone; do
		report "$part"
	done
	wait
	[ "$failed" -eq 0 ] || grep -h '^FAILED' "$logs"/* | awk 'NR == 1 { print "-- what failed:" } { print }'
	for part in $lane_1 $lane_2 $alone; do
		printf '%s %s s, ' "$part" "$(cat "$logs/$part.seconds")"
	done | sed "s/^/build $in_build s, /; s/, \$//"
	echo
else
	echo "FAILED make built"
	failed=1
fi
echo "in $(($(date +%s) - started)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
