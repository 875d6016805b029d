#!/bin/sh
# make msan: tests of the decoders, then all that can be decoded, in the tree and in a corpus where there
# is one, under MemorySanitizer. Of decode (decode.c) only the sanitizer's opinion counts.
#
#   [JOBS=N] sh testdata/check/msan.sh FOLDER_OF_PROGRAMS [CORPUS]     (../shared/corpus unless given)
set -u
cd "$(dirname "$0")/../.." || exit 4
programs=$1 corpus=${2:-../shared/corpus}
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
# Nothing here is to fail because an allocation does; a checker of memory makes of that what it likes.
export MSAN_OPTIONS=allocator_may_return_null=1:exitcode=77

# shellcheck disable=SC2046
sh testdata/check/unit.sh $(find "$programs" -type f -name '*_test' | sort) >"$scratch/unit"
cat "$scratch/unit"
counts=$(sed -n 's/.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$scratch/unit" | tail -n 1)
case ${counts:-0 0} in '0 0') counts='0 1'; echo 'FAILED no test was run' ;; esac
passed=${counts% *} failed=${counts#* }

find testdata -path testdata/fuzz/harness -prune -o -type f ! -name '*.[ch]' ! -name '*.md' ! -name '*.sh' ! -name '*.py' \
	! -name '*.go' ! -name '*.txt' ! -name '*.json' ! -path 'testdata/cli/*' ! -path 'testdata/tui/*' ! -path 'testdata/check/*' -print |
	sort >"$scratch/files"
[ ! -d "$corpus" ] || find "$corpus/traces" "$corpus/broken" "$corpus/profiles" "$corpus/fuzz" -type f \
	! -name '*.json' ! -name '*.txt' ! -name '*.sha256' ! -name '*.md' | sort >>"$scratch/files"
awk -v scratch="$scratch" '{ printf "%05d:%s\n", NR, $0 }' "$scratch/files" >"$scratch/runs"
# shellcheck disable=SC2016
sh testdata/check/jobs.sh each sh -c 'timeout 900 "$1/testdata/check/decode" "${2#*:}" >"$0/${2%%:*}.log" 2>&1 || {
	{ echo "FAILED decode ${2#*:}: status $?"; head -n 40 "$0/${2%%:*}.log"; } >"$0/${2%%:*}.failed"; }
	: >"$0/${2%%:*}.ran"' "$scratch" "$programs" <"$scratch/runs"
# What was not run did not fail, either, and has not passed.
while IFS=: read -r number file; do
	[ -e "$scratch/$number.ran" ] || echo "FAILED decode $file: it was not run" >"$scratch/$number.failed"
done <"$scratch/runs"
cat "$scratch"/*.failed 2>/dev/null
wrong=$(find "$scratch" -name '*.failed' | wc -l)
# What was decoded has a sum; a checker that has nothing to check would be of no use.
sums=$(cat "$scratch"/*.log | grep -cE '^[0-9a-f]{16}  ')
echo "decoded under MemorySanitizer: $sums of $(wc -l <"$scratch/runs") files"
[ "$sums" -gt 60 ] || { echo 'FAILED there is next to nothing to decode'; wrong=$((wrong + 1)); }
passed=$((passed + $(wc -l <"$scratch/runs") - wrong)) failed=$((failed + wrong))
echo "MemorySanitizer: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
