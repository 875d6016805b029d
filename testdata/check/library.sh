#!/bin/sh
# The programs of man/tprof.3, as a reader would type them: they compile, in C and C++, and print what
# they should. What is given are the flags to compile with.
#
#   CC=cc CXX=c++ sh testdata/check/library.sh $(pkg-config --cflags --libs tprof)
set -u
cd "$(dirname "$0")/../.." || exit 4
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0

expect() { # what, command…
	what=$1
	shift
	if "$@" >"$scratch/log" 2>&1; then
		passed=$((passed + 1))
	else
		echo "FAILED $what"
		cat "$scratch/log"
		failed=$((failed + 1))
	fi
}

# Each listing that begins with #include, named by its usage.
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE ALSO/p' man/tprof.3 |
	awk -v scratch="$scratch" '
		/^\.Bd/ { n++; inside = 1; next }
		/^\.Ed/ { inside = 0 }
		inside { gsub(/\\e/, "\\"); print >(scratch "/" n ".c") }'
for n in 1 2; do
	name=$(sed -n 's/.*"usage: \([a-z]*\) .*/\1/p' "$scratch/$n.c")
	expect "$name is written for 80 columns, and as short as it should be" awk \
		'{ gsub(/\t/, "        ") } length > 92 { exit 1 } END { exit NR > 55 }' "$scratch/$n.c"
	expect "$name in C" ${CC:-cc} -Wall -Wextra -Werror -o "$scratch/$name" "$scratch/$n.c" "$@"
	expect "$name in C++" ${CXX:-c++} -Wall -Wextra -Werror -o "$scratch/$name-c++" -x c++ "$scratch/$n.c" -x none "$@"
done
for how in '' -c++; do
	run() { "$scratch/$1$how" "$2" >"$scratch/out" 2>"$scratch/err"; }
	expect "events$how of a trace" run events testdata/checkout.trace
	expect 'it prints all of them' sh -c "wc -l <'$scratch/out' | grep -x ' *32058'"
	expect 'they have names, texts and stacks' grep -qx '  *193984 g1 GoBlock 1 sync runtime.gcStart' "$scratch/out"
	expect 'nothing is lost' test ! -s "$scratch/err"
	expect "events$how of a damaged trace" run events testdata/checkout-cut.trace
	expect 'it says what is lost' grep -qx 'at 120000: the input ends within a batch: 22831 of 30574 bytes' "$scratch/err"
	expect 'no events of a profile' sh -c "! '$scratch/events$how' testdata/catalog.heap"
	expect "heap$how" run heap testdata/catalog.heap
	expect 'it sums up' grep -qx '  *36313592 internal/bytealg.MakeNoZero' "$scratch/out"
	expect "heap$how of a profile as text" run heap testdata/corpus/profiles/stuck-1.19.heap.d1
	expect 'no heap of what is no profile' sh -c "! '$scratch/heap$how' Makefile"
done

# The header, the page and, where its path is known, the library have the same functions.
header=libparse/tprof.h
grep -oE '\btprof_[a-z_]+\(' $header | tr -d '(' | grep -v '^tprof_err$' | sort -u >"$scratch/header"
sed -n 's/^\.F[no] \(tprof_[a-z_]*\).*/\1/p' man/tprof.3 | sort -u >"$scratch/page"
expect 'the page describes the functions of the header' diff "$scratch/header" "$scratch/page"
if [ -n "${LIBRARY:-}" ]; then
	nm -D --defined-only "$LIBRARY" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$scratch/library"
	expect 'the library shows the functions of the header, and no other' diff "$scratch/header" "$scratch/library"
	sed -n 's/^ \(tprof_[a-z_]*\)@.*/\1/p' debian/libtprof0.symbols | sort >"$scratch/symbols"
	expect 'so does the package' diff "$scratch/header" "$scratch/symbols"
fi
echo "library: $passed passed, $failed failed"
[ $failed -eq 0 ]
