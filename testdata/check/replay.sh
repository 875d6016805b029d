#!/bin/sh
# Feeds every file of the folders to every fuzz target. A target takes many files in one process, which
# says which one it is at; if it ends there, the rest goes on in a new process. A target has 60 seconds
# per process of 40 files, and 1 GiB.
#
#   sh testdata/check/replay.sh 'TARGET…' FOLDER…
set -u
targets=$1
shift
passed=0 failed=0
log=$(mktemp) && list=$(mktemp) || exit 4
trap 'rm -f "$log" "$list"' EXIT
# Sanitizers reserve terabytes of address space, so only plain builds can be held to a limit this way.
case $targets in *san-*) ;; *) ulimit -v 1048576 ;; esac
for dir in "$@"; do
	[ -d "$dir" ] || { echo "FAILED there is no folder $dir"; failed=$((failed + 1)); }
done
for target in $targets; do
	find "$@" -type f ! -path '*/harness/*' ! -name '*.c' ! -name '*.md' ! -name '*.dict' ! -name '*.tsv' | sort >"$list"
	while [ -s "$list" ]; do
		# shellcheck disable=SC2046
		timeout 120 "$target" $(head -n 40 "$list") >"$log" 2>&1
		status=$?
		at=$(grep -c '^input: ' "$log")
		if [ $status -ne 0 ]; then
			[ "$at" -gt 0 ] || at=1
			echo "FAILED $target $(sed -n "${at}p" "$list"): status $status"
			tail -n 30 "$log"
			failed=$((failed + 1)) passed=$((passed + at - 1))
		else
			passed=$((passed + at))
		fi
		sed -i "1,${at}d" "$list"
	done
done
echo "fuzz inputs: $passed passed, $failed failed"
[ $failed -eq 0 ]
