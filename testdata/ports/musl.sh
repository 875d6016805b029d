#!/bin/sh
# Another C library: the decoders with musl-gcc, and their tests.
#
# Of libparse this is all that needs no library (Debian has none for musl): base, decode, order, and of
# open and symbol what needs no zlib, libdeflate, zstd or elfutils. Not timeline and store, which are
# about SQLite. xxhash is a header by itself; musl/ has what stands in for cmocka, and for unpacking.
#
#   MAKE=make sh testdata/ports/musl.sh
set -u
cd "$(dirname "$0")/../.." || exit 4
. testdata/ports/count.sh
needs musl-gcc musl-tools
out=build/port-musl
flags="-std=c11 -Wall -Wextra -Wshadow -Wconversion -O2 -D_GNU_SOURCE -DXXH_INLINE_ALL -DTPROF_VERSION=\"0\" -Ilibparse -Itestdata/ports/musl -I$out/include"

header=$(echo '#include <xxhash.h>' | ${CC:-cc} -E -x c - 2>/dev/null | sed -n 's/^# 1 "\(.*xxhash\.h\)".*/\1/p' | head -n 1)
[ -n "$header" ] || { echo 'tprof: xxhash.h is missing (Debian: apt-get install libxxhash-dev)' >&2; exit 1; }
rm -rf "$out"
mkdir -p "$out/include" "$out/test"
cp "${header%.h}"*.h "$out/include/"

# Files that reach for a library, themselves or by a header of theirs, or for what only glibc has (patterns
# over a part of a text), do not compile: which those are is known,
# so that no other stays away unseen.
behind='base/json_text base/regex open/gunzip open/peek open/unpack symbol/dwarf symbol/dwarf_cost symbol/dwarf_level symbol/dwarf_name symbol/image symbol/path symbol/profile symbol/sidecar symbol/symbol symbol/unwind'
parts=$(for c in libparse/base/*.c libparse/decode/*.c libparse/decode/*/*.c libparse/order/*.c libparse/order/*/*.c libparse/open/*.c libparse/symbol/*.c testdata/ports/musl/*.c; do
	name=${c#libparse/}
	case " $behind " in *" ${name%.c} "*) ;; *) echo "$c" ;; esac
done)
# Tests of what is left out, or that read a .gz.
without='base/json_test base/regex_test open/input_test decode/profile/goroutines_test decode/profile/speedscope_test symbol/dwarf_test symbol/symbol_test'

compiles() {
	# shellcheck disable=SC2086
	printf '%s\n' $parts | grep -v '_test\.c$' | OUT=$out FLAGS=$flags sh testdata/check/jobs.sh each sh -c '
		o=$OUT/$(echo "${0%.c}" | tr / -).o
		musl-gcc $FLAGS -c -o "$o" "$0" || echo "error: $0 does not compile"' 2>&1
	! grep -q -e 'warning: ' -e 'error: ' "$log" && ar rcs "$out/libparse.a" "$out"/*.o
}
links() {
	for c in $parts; do
		name=${c#libparse/}
		case " $without " in *" ${name%.c} "*) continue ;; esac
		case $c in *_test.c) echo "$c" ;; esac
	done | OUT=$out FLAGS=$flags sh testdata/check/jobs.sh each sh -c '
		musl-gcc $FLAGS -static -o "$OUT/test/$(basename "${0%_test.c}" | tr / -)-$(dirname "$0" | tr / -)_test" "$0" "$OUT/libparse.a" -lm -pthread ||
			echo "error: $0 does not compile"' 2>&1
	! grep -q -e 'warning: ' -e 'error: ' "$log"
}

part 'decoders' compiles && part 'their tests, static' links
part 'modules' sh testdata/check/unit.sh "$out"/test/*_test
finish musl
