#!/bin/sh
# Static checks over all files, each with each of its tools; what is wrong with one stops no other.
#
#   MAKE=make sh testdata/check/lint.sh TARGET HOW-MANY
set -u
cd "$(dirname "$0")/../.." || exit 4
target=$1 all=$2 log=build/lint/log.$$
missing=
trap 'rm -f "$log"' EXIT
need() { # command, Debian package
	command -v "$1" >/dev/null || { missing=1; echo "tprof: $1 is missing (Debian: apt-get install $2)" >&2; }
}
need clang clang
need clang-tidy clang-tidy
need cppcheck cppcheck
[ -z "$missing" ] || exit 1
mkdir -p build/lint
$MAKE -k "$target" 2>"$log"
status=$?
# Of what make itself says only which file it was about.
sed -E "s/^make.*\[[^]]*: build\/lint\/([^/]*)\/(.*)\.ok\] Error.*/FAILED \1: \2/; /^make/d" "$log"
failed=$(grep -c '^make.*\] Error' "$log")
# A file that could not be looked at because of another failure counts, too.
skipped=$(sed -n "s/^make.*: Target '\(build\/lint\/.*\.ok\)' not remade because of errors.*/\1/p" "$log" | sort -u | wc -l)
failed=$((failed + skipped))
[ "$status" -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
echo "lint: $((all - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
