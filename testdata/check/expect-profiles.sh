#!/bin/sh
# Writes beside each profile of a folder what pprof prints of it, as make conformance compares it:
# FILE.raw.txt and FILE.top.txt (every node, every sample type). What pprof cannot read gets neither.
#
#   sh testdata/check/expect-profiles.sh PPROF FILE...
set -u
pprof=$1
shift
TZ=UTC HOME=${TMPDIR:-/tmp}
export TZ HOME
for file in "$@"; do
	case $file in *.txt | *.sha256) continue ;; esac
	"$pprof" -symbolize=none -raw "$file" >"$file.raw.txt" 2>/dev/null || {
		rm -f "$file.raw.txt"
		continue
	}
	: >"$file.top.txt"
	# "samples/count cpu/nanoseconds[dflt] " stands under "Samples:".
	for type in $(sed -n '/^Samples:/{n;p;q;}' "$file.raw.txt"); do
		echo "== sample_index=${type%%/*}"
		"$pprof" -symbolize=none -top -nodecount=0 -nodefraction=0 -edgefraction=0 \
			-sample_index="${type%%/*}" "$file" 2>/dev/null
	done >>"$file.top.txt"
done
