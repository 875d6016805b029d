#!/bin/sh
# Every header compiles alone.   CC='cc FLAGS…' sh testdata/check/headers.sh
set -u
cd "$(dirname "$0")/../.." || exit 4
passed=0 failed=0
for h in $(find libparse libreport cmd -name '*.h' | sort); do
	if printf '#include "%s"\n' "$PWD/$h" | $CC -Werror -fsyntax-only -x c -; then
		passed=$((passed + 1))
	else
		echo "FAILED $h does not compile alone"
		failed=$((failed + 1))
	fi
done
echo "headers: $passed passed, $failed failed"
[ $failed -eq 0 ]
