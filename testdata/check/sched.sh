#!/bin/sh
# The scheduler's events as a trace, beside perf sched timehist: of a recording in testdata, and of one made now
# where perf may record.
# usage: sched.sh BIN
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$(cd "$1" && pwd) || exit 4
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
status=0

python3 testdata/check/sched.py "$bin" testdata/perf/kitchen.perf.gz testdata/perf/kitchen.timehist.gz || status=1
if perf sched record -o "$scratch/data" -- sh -c 'i=0; while [ $i -lt 60 ]; do date | cat; i=$((i + 1)); done' \
	>"$scratch/log" 2>&1; then
	perf script -i "$scratch/data" >"$scratch/now.perf" 2>>"$scratch/log"
	perf sched timehist -w -i "$scratch/data" >"$scratch/now.timehist" 2>>"$scratch/log"
	python3 testdata/check/sched.py "$bin" "$scratch/now.perf" "$scratch/now.timehist" || status=1
else
	echo "not checked: a recording made now, as perf cannot record here"
fi
exit $status
