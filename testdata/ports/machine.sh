#!/bin/sh
# Another machine: everything is built for it by a cross compiler against the libraries of its Debian
# (sysroot.sh), without a warning, and run here: i386 by the processor itself, s390x by qemu.
#
#   modules   all unit tests
#   commands  the golden tests of testdata/cli, whose output is that of this machine; on s390x those of
#             SAMPLE, as qemu takes ten times as long. Left out where a command starts another one (the
#             kernel cannot start programs of s390x), or records
#   stores    exchange.py: of every dump of a sample, stores made there and here have to be the same,
#             byte by byte in every value, and each is read by the other with the same answers
#   corpus    i386 only, where ../shared/corpus is: what Go's own readers say of its traces
#
# The recorder is left out: it knows the system calls and stacks of x86-64 (and arm64) alone.
#
#   MAKE='make -j2' sh testdata/ports/machine.sh i386|s390x      (make all before it)
set -u
cd "$(dirname "$0")/../.." || exit 4
. testdata/ports/count.sh
arch=$1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tprof-ports/$arch
root=$cache/root
out=build/port-$arch
corpus=${CORPUS:-../shared/corpus}

case $arch in
i386) gcc=i686-linux-gnu-gcc tools=gcc-i686-linux-gnu triple=i386-linux-gnu ;;
s390x) gcc=s390x-linux-gnu-gcc tools=gcc-s390x-linux-gnu triple=s390x-linux-gnu ;;
*) echo "machine.sh: what is $arch?" >&2; exit 2 ;;
esac
needs $gcc $tools
needs python3 python3
[ "$arch" != s390x ] || needs qemu-s390x-static qemu-user-static

part "libraries of $arch" sh testdata/ports/sysroot.sh "$arch" "$cache" || finish "$arch"

# By these, pkg-config answers for that machine.
export PKG_CONFIG_LIBDIR="$root/usr/lib/$triple/pkgconfig:$root/usr/share/pkgconfig"
export PKG_CONFIG_SYSROOT_DIR="$root"
loader=$root/lib/ld-linux.so.2
[ "$arch" = i386 ] || loader=$root/lib/ld64.so.1
build "build" "FLAVOUR=port-$arch" "CC=${CCACHE:+$CCACHE }$gcc --sysroot=$root" "AR=${gcc%gcc}ar" 'CFLAGS=-O1 -Wno-format-truncation' \
	"LDFLAGS=-Wl,--dynamic-linker=$loader -Wl,--disable-new-dtags,-rpath,$root/lib/$triple:$root/usr/lib/$triple" \
	all tests || finish "$arch"
unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR

RUN=
bin=$out/bin
if [ "$arch" = s390x ]; then
	RUN='qemu-s390x-static'
	bin=$out/run
	mkdir -p "$bin"
	for b in "$out"/bin/*; do
		printf '#!/bin/sh\nexec qemu-s390x-static "%s" "$@"\n' "$PWD/$b" >"$bin/${b##*/}"
		chmod +x "$bin/${b##*/}"
	done
fi
export RUN

part 'modules' sh testdata/check/unit.sh $(find "$out/test" -type f -name '*_test' | sort)
SAMPLE=${SAMPLE:-$([ "$arch" = i386 ] || echo 3)}
part 'commands' sh testdata/ports/commands.sh "$PWD/$bin" ${SAMPLE:+"$SAMPLE"}
part 'stores' python3 testdata/ports/exchange.py build/out/bin "$bin" "$corpus"
if [ "$arch" = i386 ] && [ -d "$corpus/traces" ]; then
	part 'corpus' sh testdata/check/conformance.sh "$bin" "$corpus"
fi
finish "$arch"
