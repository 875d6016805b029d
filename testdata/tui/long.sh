#!/bin/sh
# make test-tui: what takes longer than the screens of make test. Storms of sizes and a store that is being
# written to (storm.py); random keys (monkey.py) under AddressSanitizer and UndefinedBehaviorSanitizer, with
# their look for leaks, also at stores in which bytes were changed, and, fewer, under ThreadSanitizer.
#
#   MAKE=make sh testdata/tui/long.sh BUILD_FOLDER
#
# KEYS (100000), DAMAGED_KEYS (30000), TSAN_KEYS (15000), SEED (made up and told) and STORM (30 seconds) can be set. The sanitizers'
# builds are in build/san-…, as `make SAN=…` has them.
set -u
cd "$(dirname "$0")/../.." || exit 4
build=$1
for tool in tmux python3; do
	command -v $tool >/dev/null || { echo "FAILED $tool is missing (Debian: apt-get install $tool)"; exit 1; }
done
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

part() { # name, command…
	name=$1
	shift
	echo "-- $name"
	if "$@"; then
		passed=$((passed + 1))
	else
		echo "FAILED $name"
		failed=$((failed + 1))
	fi
}

# A store that holds a little of everything, one without runs, and dumps that are damaged or odd.
import() { "$build/bin/tprof-import" "$@" >"$scratch/import.log" 2>&1 || { cat "$scratch/import.log"; return 1; }; }
import -o "$scratch/much.tprof" testdata/checkout.trace testdata/catalog.cpu testdata/errands.trace \
	testdata/prices/old.cpu testdata/prices/new.cpu testdata/checkout-1.19.trace testdata/parcels/old-1.trace \
	testdata/parcels/new-1.trace || failed=$((failed + 1))
import -o "$scratch/trace.tprof" testdata/checkout.trace || failed=$((failed + 1))
# Nothing is left of what this one held but its tables.
{ import -o "$scratch/empty.tprof" testdata/catalog.heap &&
	"$build/bin/tprof-store" delete "$scratch/empty.tprof" all >"$scratch/import.log" 2>&1; } || failed=$((failed + 1))

build() { # SAN
	$MAKE SAN="$1" "build/san-$(echo "$1" | tr , -)/bin/tprof-tui" >"$scratch/make.log" 2>&1 ||
		{ tail -n 20 "$scratch/make.log"; return 1; }
}

monkey() { # SAN, keys
	build "$1" || return
	# shellcheck disable=SC2086
	python3 testdata/tui/monkey.py --keys "$2" ${SEED:+--seed $SEED} \
		"build/san-$(echo "$1" | tr , -)/bin/tprof-tui" "$scratch/much.tprof" testdata/checkout.trace testdata/catalog.cpu \
		"$scratch/empty.tprof" testdata/checkout-cut.trace testdata/checkout-1.19-cut.trace testdata/counter-1.5.trace \
		testdata/corpus/traces/oddities-1.27.trace testdata/corpus/profiles/odd-negative.pb \
		testdata/corpus/broken/middle-1.27.trace
}

damaged() { # keys
	build address,undefined || return
	# shellcheck disable=SC2086
	python3 testdata/tui/monkey.py --damage --round 800 --keys "$1" ${SEED:+--seed $SEED} \
		build/san-address-undefined/bin/tprof-tui "$scratch/much.tprof" "$scratch/trace.tprof"
}

part 'storms' env BIN="$build/bin" python3 testdata/tui/storm.py "${STORM:-30}"
part 'random keys under AddressSanitizer' monkey address,undefined "${KEYS:-100000}"
part 'random keys at damaged stores' damaged "${DAMAGED_KEYS:-30000}"
part 'random keys under ThreadSanitizer' monkey thread "${TSAN_KEYS:-15000}"
echo "long tests of the terminal: $passed passed, $failed failed"
[ $failed -eq 0 ]
