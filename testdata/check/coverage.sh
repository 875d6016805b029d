#!/bin/sh
# make coverage: how much of libparse is reached by inputs alone, those of the tree and of a corpus where
# there is one: every seed through every fuzz target; every dump through imports, reports, queries and
# exports; the comparisons with Go's readers; and the commands of testdata/cli, which are given the dumps
# of the tree. No test of a module is run. What the first of these reach is told, too.
#
#   [JOBS=N] [LEAST=90] sh testdata/check/coverage.sh BUILD_FOLDER 'TARGET…' [CORPUS]
set -u
cd "$(dirname "$0")/../.." || exit 4
build=$1 targets=$2 corpus=${3:-../shared/corpus}
command -v gcov >/dev/null || { echo "tprof: gcov is missing (Debian: apt-get install gcc)" >&2; exit 1; }
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME="$scratch/cache"
find "$build" -name '*.gcda' -delete
failed=0
part() { # what, command…
	echo "-- $1"
	shift
	"$@" >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; echo "FAILED $*"; failed=1; }
}

part 'fuzz seeds' sh testdata/check/replay.sh "$targets" testdata/fuzz $([ ! -d "$corpus/fuzz" ] || echo "$corpus/fuzz")
{
	find testdata/*.* testdata/inbox testdata/parcels testdata/prices testdata/ledger testdata/corpus \
		-type f ! -name '*.txt' ! -name '*.json' ! -name '*.md' ! -name '*.sh'
	[ ! -d "$corpus/traces" ] || find "$corpus/traces" "$corpus/broken" "$corpus/profiles" -type f \
		! -name '*.txt' ! -name '*.json' ! -name '*.md' ! -name '*.sha256'
} | sort >"$scratch/dumps"
echo "-- imports of $(wc -l <"$scratch/dumps") dumps"
# Several to a process, as each of them adds what it reached to several hundred files at its end. What
# cannot be read is answered with a message, status 1 to 4; more than that is a crash.
# shellcheck disable=SC2016
xargs -n 12 echo <"$scratch/dumps" | sh testdata/check/each.sh sh -c '
	try() { timeout 300 "$@" >/dev/null 2>&1; [ $? -le 4 ] || echo "FAILED $*"; }
	store=$(mktemp -u "$1/XXXXXXXX") some=${2%% *}
	try "$0/bin/tprof-import" -o "$store" $2
	try "$0/bin/tprof-import" -o "$store.rows" --strict --materialize --occupancy --compress=high --label=a=b $2
	try "$0/bin/tprof-import" --dump=events $2
	[ -e "$store" ] || exit
	try "$0/bin/tprof-store" verify "$store"
	try "$0/bin/tprof-query" "$store" "$(cat testdata/check/queries.sql)"
	try "$0/bin/tprof-export" --format=trace -o "$store.trace" "$some"
	try "$0/bin/tprof-export" --format=trace --from=30% --to=60% -o "$store.part" "$some"
	try "$0/bin/tprof-top" "$some" overview
	rm -f "$store"*' "$build" "$scratch" | tee "$scratch/wrong"
[ ! -s "$scratch/wrong" ] || failed=1
part 'comparison with Go, sample data' "$build/bin/conformance" testdata/corpus
[ ! -d "$corpus/traces" ] || part 'comparison with Go, corpus' "$build/bin/conformance" "$corpus"
echo '-- so far:'
python3 testdata/check/coverage.py "$build" 0 | sed -n 's/^libparse: \(.*%\);.*/libparse: \1/p'
part 'commands' env BIN="$PWD/$build/bin" LIMIT=600 sh testdata/cli/run.sh
python3 testdata/check/coverage.py "$build" "${LEAST:-90}" "$build/not-reached.txt" || failed=1
echo "not reached: $build/not-reached.txt"
exit $failed
