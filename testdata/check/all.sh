#!/bin/sh
# make test: every part in turn, and one line with the sum at the end. A part that fails without
# saying how many of its tests did counts as one failure; no part stops the others.
#
#   MAKE=make CC=cc sh testdata/check/all.sh BUILD_FOLDER
set -u
cd "$(dirname "$0")/../.." || exit 4
build=$1
mkdir -p "$build"
log=$build/test.log
passed=0 failed=0
started=$(date +%s)

part() { # target
	# The last line is "NAME: N passed, N failed"; the status goes by way of a file, as tee has its own.
	{ $MAKE "$1" 2>&1; echo $? >"$log.status"; } | tee "$log"
	status=$(cat "$log.status")
	counts=$(sed -n '$s/.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log")
	# make's own "Error 1" follows the count of a part that failed.
	[ -n "$counts" ] || counts=$(sed -n 's/.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1)
	p=${counts%% *} f=${counts##* }
	p=${p:-0} f=${f:-0}
	if [ "$status" -ne 0 ] && [ "$f" -eq 0 ]; then
		f=1
		echo "FAILED make $1"
	elif [ "$status" -eq 0 ] && [ $((p + f)) -eq 0 ] && ! grep -q 'are not checked, as' "$log"; then
		f=1
		echo "FAILED make $1 checked nothing"
	fi
	passed=$((passed + p)) failed=$((failed + f))
}

if $MAKE all; then
	for target in unit cli tui recorder replay conformance-selftest check-layers check-hardening check-headers check-docs check-readme check-install; do
		part "$target"
	done
else
	echo "FAILED make all"
	failed=1
fi
echo "in $(($(date +%s) - started)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
