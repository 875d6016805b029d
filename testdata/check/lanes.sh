#!/bin/sh
# Part of make conformance: pictures of timelines, drawn from sums and from segments, are those that
# the rows of the table span make, and add up to what reports say; for every trace of the sample data
# and of a corpus.
#
#   [PICTURES=20] sh testdata/check/lanes.sh BIN_FOLDER [CORPUS]     (../shared/corpus unless given)
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$1 corpus=${2:-../shared/corpus}
dir=$(mktemp -d "${TMPDIR:-/tmp}/tprof-lanes-XXXXXX") || exit 4
trap 'rm -rf "$dir"' EXIT
n=0 left=0 failed=0
for trace in testdata/*.trace testdata/inbox/*.trace testdata/corpus/*/*.trace "$corpus"/traces/*.trace "$corpus"/broken/*.trace; do
	[ -e "$trace" ] || continue
	n=$((n + 1))
	"$bin/tprof-import" -o "$dir/$n-$(basename "$trace").tprof" "$trace" >/dev/null 2>&1 && continue
	left=$((left + 1))
	# Some of the corpus cannot be read at all.
	case $trace in testdata/*) echo "FAILED $trace: it cannot be imported"; failed=1 ;; esac
done
echo "$((n - left)) traces; $left that cannot be imported are left out"
[ $n -gt $left ] || { echo 'FAILED no trace can be imported'; exit 1; }
"$bin/lanes" check -n "${PICTURES:-20}" "$dir"/*.tprof && [ $failed -eq 0 ]
