#!/bin/sh
# Every port, or those that are named, one after the other, and the sum of what they count.
#
#   MAKE='make -j2' [QUICK=1] sh testdata/ports/all.sh [arm64|i386|s390x|musl|clang]…
set -u
passed=0 failed=0
log=$(mktemp) || exit 4
trap 'rm -f "$log"' EXIT

for port in ${*:-arm64 i386 s390x musl clang}; do
	printf -- '---- port-%s\n' "$port"
	{
		# shellcheck disable=SC2086
		$MAKE "port-$port" 2>&1
		echo "status $?"
	} | tee "$log" | sed '$d'
	# shellcheck disable=SC2046
	set -- $(sed -nE 's/^port-[a-z0-9]+: ([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log" | tail -n 1)
	[ "$(tail -n 1 "$log")" = 'status 0' ] || [ "${2:-0}" -gt 0 ] || set -- "${1:-0}" 1
	passed=$((passed + ${1:-0})) failed=$((failed + ${2:-1}))
done
echo "ports: $passed passed, $failed failed"
[ $failed -eq 0 ]
