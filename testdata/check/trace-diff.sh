#!/bin/sh
# Does tprof-diff keep its word on real traces? Records testdata/programs/parcels.go 40 times as it
# is and 40 times with everything 10 % slower, old and new in turns; then
#
#   - the same against the same, 200 pairs of 10 runs a side, drawn at random: a metric is said to
#     have changed, and each gate is exceeded, in at most 5 % of them;
#   - old against new, 200 such pairs: each gate of GATES is exceeded in at least 90 %, if runs of one
#     build differ by no more than 5 % in what it is about (else the machine was too busy to promise);
#   - one trace against one, 200 pairs of the same: in how many some metric "differs". That is said
#     of these two, and depends on what the machine did meanwhile: no promise.
#
#   [GATES=...] sh testdata/check/trace-diff.sh BIN GO [RUNS A SIDE]	GO is a go command, 1.16 or later
set -eu
BIN=$1 GO=$2 N=${3:-10}
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
GATES=${GATES:-task[parcel].mean>+3% task[parcel].p50>+3%}

"$GO" build -trimpath -o "$work/parcels" testdata/programs/parcels.go
for i in $(seq 40); do
	"$work/parcels" -seed "$i" -o "$work/old-$i.trace"
	"$work/parcels" -seed $((i + 1000)) -slower 10 -o "$work/new-$i.trace"
done

# The numbers 1 to 40 in another order for each seed, the same every time.
deal() {
	seq 40 | awk -v seed="$1" 'BEGIN { srand(seed) } { print rand(), $1 }' | sort | cut -d' ' -f2
}
files() { # SIDE FROM TO <numbers
	sed -n "$2,$3s:.*:$work/$1-&.trace:p"
}
failed=0
judge() { # WHAT COUNT least|most LIMIT
	echo "$1: $2 of 200"
	if { [ "$3" = most ] && [ "$2" -gt "$4" ]; } || { [ "$3" = least ] && [ "$2" -lt "$4" ]; }; then
		echo "FAILED $1: at $3 $4 were promised"
		failed=1
	fi
}

# The standard deviation of a metric over the old runs, in percent of its mean.
noise() { # METRIC
	for i in $(seq 2 40); do
		"$BIN/tprof-diff" --format=csv --all-stats --by=tasks "$work/old-1.trace" \
			"$work/old-$i.trace" 2>/dev/null
	done | awk -F, -v metric="$1" '$1 == metric { n++; a += $12; b += $12 * $12 }
		END { m = a / n; printf "%.1f", 100 * sqrt((b / n - m * m) * n / (n - 1)) / m }'
}

same=0 single=0
for seed in $(seq 200); do
	deal "$seed" >"$work/order"
	"$BIN/tprof-diff" --format=csv --changed --base $(files old 1 "$N" <"$work/order") -- \
		$(files old $((N + 1)) $((2 * N)) <"$work/order") >"$work/out" 2>/dev/null
	[ "$(wc -l <"$work/out")" -le 1 ] || same=$((same + 1))
	"$BIN/tprof-diff" --format=csv --changed $(files old 1 2 <"$work/order") >"$work/out" 2>/dev/null
	[ "$(wc -l <"$work/out")" -le 1 ] || single=$((single + 1))
done
judge "the same, $N runs a side: some metric changed" $same most 10
judge "the same, one run a side: some metric differs" $single most 200
for gate in $GATES; do
	wolf=0 found=0
	for seed in $(seq 200); do
		deal "$seed" >"$work/order"
		status=0
		"$BIN/tprof-diff" --format=csv --by=tasks --gate="$gate" \
			--base $(files old 1 "$N" <"$work/order") -- \
			$(files old $((N + 1)) $((2 * N)) <"$work/order") >/dev/null 2>&1 || status=$?
		[ $status -ne 1 ] || wolf=$((wolf + 1))
		status=0
		"$BIN/tprof-diff" --format=csv --by=tasks --gate="$gate" \
			--base $(files old 1 "$N" <"$work/order") -- \
			$(files new 1 "$N" <"$work/order") >/dev/null 2>&1 || status=$?
		[ $status -ne 1 ] || found=$((found + 1))
	done
	judge "the same, $N runs a side: $gate exceeded" $wolf most 10
	sd=$(noise "${gate%%>*}") least=180
	[ "${sd%.*}" -lt 5 ] || least=0
	judge "10 % slower, $N runs a side that differ by $sd %: $gate exceeded" $found least $least
done
exit $failed
