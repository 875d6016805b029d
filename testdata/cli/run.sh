#!/bin/sh
# Golden tests: runs every NAME.sh of this folder and compares what it prints with NAME.stdout.
#
#   BIN=FOLDER sh testdata/cli/run.sh [PATTERN]     those whose name holds PATTERN
#   BIN=FOLDER UPDATE=1 sh testdata/cli/run.sh …    records the output anew
#
# A test is run with sh -u in the repository's root: the commands of BIN first in PATH, TMP an empty
# folder of its own (shown as TMP in its output), a cache of its own, and all that could make output
# differ from machine to machine pinned. Only its standard output counts, and it must end with status 0:
# a test that is about messages or statuses says 2>&1 and echo $?.
set -u
cd "$(dirname "$0")/../.." || exit 4
BIN=${BIN:-$PWD/build/out/bin}
pattern=${1:-}
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

run_one() { # test, output
	TMP=$scratch/tmp
	rm -rf "$TMP" "$scratch/cache"
	mkdir "$TMP"
	env -i PATH="$BIN:/usr/local/bin:/usr/bin:/bin" HOME="$scratch" TMP="$TMP" BIN="$BIN" \
		XDG_CACHE_HOME="$scratch/cache" LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80 TERM=dumb \
		${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} \
		timeout 120 sh -u "$1" </dev/null >"$scratch/raw" 2>"$scratch/stderr"
	status=$?
	# Scratch names differ from run to run. ':' is in no path that mktemp makes.
	sed "s:$TMP:TMP:g" "$scratch/raw" >"$2"
	return $status
}

for test in testdata/cli/*"$pattern"*.sh; do
	[ "$test" = testdata/cli/run.sh ] && continue
	[ -e "$test" ] || continue
	want=${test%.sh}.stdout
	run_one "$test" "$scratch/got"
	status=$?
	if [ $status -ne 0 ]; then
		echo "FAILED $test: status $status"
		cat "$scratch/stderr"
		failed=$((failed + 1))
	elif [ -n "${UPDATE:-}" ]; then
		if ! cmp -s "$scratch/got" "$want"; then
			cp "$scratch/got" "$want" && echo "recorded $want"
		fi
		passed=$((passed + 1))
	elif diff -u "$want" "$scratch/got"; then
		passed=$((passed + 1))
	else
		echo "FAILED $test"
		failed=$((failed + 1))
	fi
done
if [ $((passed + failed)) -eq 0 ]; then
	echo "FAILED no test is called *$pattern*"
	failed=1
fi
echo "golden tests: $passed passed, $failed failed"
[ $failed -eq 0 ]
