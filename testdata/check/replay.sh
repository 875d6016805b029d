#!/bin/sh
# Feeds every file of the folders to every fuzz target; what lies in a folder called like a target goes to
# that one only. A target takes many files in one process, which
# says which one it is at; if it ends there, the rest goes on in a new process. A target has 600 seconds
# (SECONDS_EACH) per process of 40 files, and 1 GiB. JOBS processes (as many as there are processors) run at a time.
#
#   [JOBS=N] sh testdata/check/replay.sh 'TARGET…' FOLDER…
set -u
cd "$(dirname "$0")/../.." || exit 4

# One target and 40 files, called by way of jobs.sh: leaves NUMBER.out and, in NUMBER.counts, what
# passed and what failed.
if [ "$1" = --one ]; then
	number=${3%%:*} target=${3#*:}
	list=$2/$number.list log=$2/$number.log
	passed=0 failed=0
	# Sanitizers reserve terabytes of address space, so only plain builds can be held to a limit this way.
	case $target in *san-*) ;; *) ulimit -v 1048576 ;; esac
	while [ -s "$list" ]; do
		# shellcheck disable=SC2046
		timeout "${SECONDS_EACH:-600}" "$target" $(cat "$list") >"$log" 2>&1
		status=$?
		at=$(grep -c '^input: ' "$log")
		if [ $status -ne 0 ] || [ "$at" -eq 0 ]; then
			[ "$at" -gt 0 ] || at=1
			echo "FAILED $target $(sed -n "${at}p" "$list"): status $status"
			tail -n 30 "$log"
			failed=$((failed + 1)) passed=$((passed + at - 1))
		else
			passed=$((passed + at))
		fi
		sed -i "1,${at}d" "$list"
	done >"$2/$number.out" 2>&1
	echo "$passed $failed" >"$2/$number.counts"
	exit
fi

targets=$1
shift
passed=0 failed=0
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
for dir in "$@"; do
	[ -d "$dir" ] || { echo "FAILED there is no folder $dir"; failed=$((failed + 1)); }
done
find "$@" -type f ! -path '*/harness/*' ! -path '*/mutate/*' ! -name '*.c' ! -name '*.md' ! -name '*.dict' ! -name '*.py' ! -name '*.tsv' | sort >"$scratch/files"
for target in $targets; do
	echo "$target"
done >"$scratch/targets"
awk -v scratch="$scratch" '
	FNR == 1 { pass++ }
	pass == 1 { sub(/.*\//, ""); targets[$0]; next }
	pass == 2 { file[++files] = $0; parts = split($0, part, "/"); folder[files] = part[parts - 1]; next }
	{
		own = $0
		sub(/.*\//, "", own)
		for (i = k = 1; i <= files; i++) {
			if (folder[i] in targets && folder[i] != own)
				continue
			if (k++ % 40 == 1) { close(list); number = sprintf("%05d", ++n); list = scratch "/" number ".list"; print number ":" $0 }
			print file[i] >list
		}
	}' "$scratch/targets" "$scratch/files" "$scratch/targets" >"$scratch/runs"
sh testdata/check/jobs.sh each sh testdata/check/replay.sh --one "$scratch" <"$scratch/runs"
while IFS=: read -r number target; do
	cat "$scratch/$number.out"
	p=0 f=1
	read -r p f <"$scratch/$number.counts" || echo "FAILED $target: it was not run to its end"
	passed=$((passed + p)) failed=$((failed + f))
done <"$scratch/runs"
echo "fuzz inputs: $passed passed, $failed failed"
[ $failed -eq 0 ]
