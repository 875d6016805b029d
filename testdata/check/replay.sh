#!/bin/sh
# Feeds every file of the folders to every fuzz target, one process each, so that one crash hides no
# other. A target has 60 seconds and 1 GiB per file.
#
#   sh testdata/check/replay.sh 'TARGET…' FOLDER…
set -u
targets=$1
shift
passed=0 failed=0
log=$(mktemp) || exit 4
trap 'rm -f "$log"' EXIT
# Sanitizers reserve terabytes of address space, so only plain builds can be held to a limit this way.
case $targets in *san-*) ;; *) ulimit -v 1048576 ;; esac
for dir in "$@"; do
	[ -d "$dir" ] || { echo "FAILED there is no folder $dir"; failed=$((failed + 1)); }
done
for target in $targets; do
	for file in $(find "$@" -type f ! -name '*.c' ! -name '*.md' | sort); do
		if timeout 60 "$target" "$file" >"$log" 2>&1; then
			passed=$((passed + 1))
		else
			echo "FAILED $target $file: status $?"
			tail -n 30 "$log"
			failed=$((failed + 1))
		fi
	done
done
echo "fuzz inputs: $passed passed, $failed failed"
[ $failed -eq 0 ]
