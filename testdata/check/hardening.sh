#!/bin/sh
# What is installed is hardened: position-independent, bound and read-only before it runs, no executable
# stack, nothing both writable and executable, stack canaries, and fortified calls of libc. Where the
# build is without (HARDEN=, sanitizers, a compiler or libc that has none) there is nothing to check.
#
#   CC=cc BUILT='programs and libraries' sh testdata/check/hardening.sh
set -u
passed=0 failed=0
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
command -v readelf >/dev/null || { echo "tprof: readelf is missing (Debian: apt-get install binutils)" >&2; exit 1; }

ok() {
	passed=$((passed + 1))
}
bad() { # file, what
	failed=$((failed + 1))
	echo "FAILED $1: $2"
}
# A line of the pattern in what readelf says.
has() { # file, pattern, what is wrong without
	if grep -Eq "$2" "$scratch/elf"; then ok; else bad "$1" "$3"; fi
}

# Whether this libc has fortified functions at all (musl has none).
printf '#include <string.h>\nvoid f(char *p, unsigned long n) { char a[8]; memcpy(a, p, n); __asm__("" : : "r"(a) : "memory"); }\n' >"$scratch/f.c"
fortified=
${CC:-cc} -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -c -o "$scratch/f.o" "$scratch/f.c" 2>/dev/null &&
	readelf -sW "$scratch/f.o" | grep -q '_chk' && fortified=1

for f in $BUILT; do
	readelf -hldsW "$f" >"$scratch/elf" 2>/dev/null || { bad "$f" 'readelf cannot read it'; continue; }
	has "$f" '__stack_chk_(fail|guard)' 'no stack canary'
	[ -z "$fortified" ] || has "$f" '__v?(mem|st|sn?printf|fprintf|printf)[a-z]*_chk(@|$)' 'no fortified call (_FORTIFY_SOURCE)'
	case $f in *.a) continue ;; esac
	has "$f" '^ *Type: +DYN' 'not position-independent'
	has "$f" '^ *GNU_RELRO' 'no segment that is made read-only (RELRO)'
	has "$f" '\((BIND_NOW|FLAGS)\).*BIND_NOW|\(FLAGS_1\).*NOW' 'bound lazily (BIND_NOW)'
	has "$f" '^ *GNU_STACK .* RW +0x' 'its stack is executable'
	if grep -Eq '^ *LOAD .* R?WE +0x' "$scratch/elf"; then bad "$f" 'a segment is writable and executable'; else ok; fi
	case $f in
	*.so) ;;
	*) has "$f" '\(FLAGS_1\).*PIE' 'not linked as a position-independent program (PIE)' ;;
	esac
done
[ "$failed" -eq 0 ] || echo "  (objects of an earlier build may be older than the flags: make clean)"
echo "hardening: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
