#!/bin/sh
# Golden tests: runs every NAME.sh of this folder and compares what it prints with NAME.stdout.
#
#   BIN=FOLDER sh testdata/cli/run.sh [PATTERN]…    those whose name is, or else holds, a PATTERN
#   BIN=FOLDER SKIP='NAME NAME' sh …                all but these
#   BIN=FOLDER UPDATE=1 sh testdata/cli/run.sh …    records the output anew
#
# A test is run with sh -u in the repository's root: the commands of BIN first in PATH, TMP an empty
# folder of its own (shown as TMP in its output), a cache of its own, and all that could make output
# differ from machine to machine pinned. Only its standard output counts, and it must end with status 0:
# a test that is about messages or statuses says 2>&1 and echo $?. JOBS tests (as many as there are
# processors) run at a time.
set -u
cd "$(dirname "$0")/../.." || exit 4
BIN=${BIN:-$PWD/build/out/bin}

# Nanoseconds; not every date has digits of them.
now() { date +%s%N | sed 's/[^0-9].*/000000000/'; }
# One of them, called by way of jobs.sh: leaves what it prints in NUMBER.got, and NUMBER.status.
if [ "${1:-}" = --one ]; then
	scratch=$2 number=${3%%:*} test=${3#*:}
	here=$scratch/$number
	TMP=$here/tmp
	mkdir "$here" "$TMP" || exit
	began=$(now)
	env -i PATH="$BIN:/usr/local/bin:/usr/bin:/bin" HOME="$here" TMP="$TMP" BIN="$BIN" \
		XDG_CACHE_HOME="$here/cache" LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80 TERM=dumb \
		${ASAN_OPTIONS:+ASAN_OPTIONS="$ASAN_OPTIONS"} ${TSAN_OPTIONS:+TSAN_OPTIONS="$TSAN_OPTIONS"} \
		timeout "${LIMIT:-120}" sh -u "$test" </dev/null >"$here.raw" 2>"$here.stderr"
	status=$?
	[ -z "${TIMES:-}" ] || echo "$((($(now) - began) / 1000000)) $test" >>"$TIMES"
	# Scratch names differ from run to run. ':' is in no path that mktemp makes.
	sed "s:$TMP:TMP:g" "$here.raw" >"$here.got"
	rm -rf "$here"
	echo $status >"$here.status"
	exit 0
fi

# The longest, which are begun first: a second or more each, in this order.
longest='cache import--slurm import--jobs-killed diff--power import--jobs diff-trace--self-check many-small query-prompt'

[ $# -gt 0 ] || set -- ''
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
for pattern; do
	if [ -e "testdata/cli/$pattern.sh" ]; then
		echo "testdata/cli/$pattern.sh"
	else
		ls testdata/cli/*"$pattern"*.sh 2>/dev/null
	fi
done | sort -u | while read -r test; do
	case " run ${SKIP:-} " in
	*" $(basename "$test" .sh) "*) ;;
	*) echo "$test" ;;
	esac
done | awk '{ printf "%03d:%s\n", NR, $0 }' >"$scratch/tests"
{
	for name in $longest; do
		grep "^[0-9]*:testdata/cli/$name\.sh$" "$scratch/tests"
	done
	cat "$scratch/tests"
} | awk '!seen[$0]++' | BIN=$BIN sh testdata/check/jobs.sh each sh testdata/cli/run.sh --one "$scratch"

while IFS=: read -r number test; do
	want=${test%.sh}.stdout
	got=$scratch/$number.got
	status=$(cat "$scratch/$number.status")
	if [ "${status:-none}" != 0 ]; then
		echo "FAILED $test: status $status"
		cat "$scratch/$number.stderr"
		failed=$((failed + 1))
	elif [ -n "${UPDATE:-}" ]; then
		if ! cmp -s "$got" "$want"; then
			cp "$got" "$want" && echo "recorded $want"
		fi
		passed=$((passed + 1))
	elif diff -u "$want" "$got"; then
		passed=$((passed + 1))
	else
		echo "FAILED $test"
		failed=$((failed + 1))
	fi
done <"$scratch/tests"
if [ $((passed + failed)) -eq 0 ]; then
	echo "FAILED no test has a name like $*"
	failed=1
fi
echo "golden tests: $passed passed, $failed failed"
[ $failed -eq 0 ]
