#!/bin/sh
# Another machine: everything is built for it by a cross compiler against the libraries of its Debian
# (sysroot.sh), without a warning, and run here: i386 by the processor itself, where the kernel starts
# programs of 32 bits (some under virtual machines do not), and by qemu elsewhere; arm64 and s390x by qemu.
#
#   modules   all unit tests
#   commands  the golden tests of testdata/cli, whose output is that of this machine; under qemu those of
#             SAMPLE, as it takes ten times as long. Left out where a command starts another one (the
#             kernel cannot start programs of that machine), or records
#   stores    exchange.py: of every dump of a sample, stores made there and here have to hold the same
#             (but on s390x byte by byte), and each is read by the other with the same answers
#   corpus    where ../shared/corpus is: what Go's own readers say of its traces; under qemu of few: the
#             smallest, and every eighth of others below 60 kB
#
# QUICK=1 is a sample of each: under qemu all unit tests of libparse and every third of the others, and
# every twelfth golden test, elsewhere every third; one dump of every folder; few traces of the corpus.
#
#   recorder  of arm64: recorder.sh. Elsewhere it is left out, as it knows no system calls and stacks but
#             those of arm64 and x86-64
#
#   MAKE='make -j2' sh testdata/ports/machine.sh i386|s390x|arm64      (make all before it)
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
arm64) gcc=aarch64-linux-gnu-gcc tools='gcc-aarch64-linux-gnu g++-aarch64-linux-gnu' triple=aarch64-linux-gnu ;;
*) echo "machine.sh: what is $arch?" >&2; exit 2 ;;
esac
needs $gcc "$tools"
needs python3 python3
emulated= qemu=qemu-$arch-static programs= debug=
case $arch in
arm64) emulated=qemu qemu=qemu-aarch64-static programs=record-programs debug=' -g1' ;;
s390x) emulated=qemu ;;
esac
[ -z "$emulated" ] || needs $qemu qemu-user-static

part "libraries of $arch" sh testdata/ports/sysroot.sh "$arch" "$cache" || finish "$arch"

# By these, pkg-config answers for that machine.
export PKG_CONFIG_LIBDIR="$root/usr/lib/$triple/pkgconfig:$root/usr/share/pkgconfig"
export PKG_CONFIG_SYSROOT_DIR="$root"
case $arch in
i386) loader=$root/lib/ld-linux.so.2 ;;
s390x) loader=$root/lib/ld64.so.1 ;;
arm64) loader=$root/lib/ld-linux-aarch64.so.1 ;;
esac
build "build" "FLAVOUR=port-$arch" "CC=${CCACHE:+$CCACHE }$gcc --sysroot=$root" "CXX=${CCACHE:+$CCACHE }${gcc%gcc}g++ --sysroot=$root" \
	"AR=${gcc%gcc}ar" "CFLAGS=-O1$debug -Wno-format-truncation" \
	"LDFLAGS=-Wl,--dynamic-linker=$loader -Wl,--disable-new-dtags,-rpath,$root/lib/$triple:$root/usr/lib/$triple" \
	all tests $programs || finish "$arch"
unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR

RUN=
bin=$out/bin
if [ -z "$emulated" ] && ! "$bin/tprof-import" --version >/dev/null 2>&1; then
	emulated=qemu
	needs $qemu qemu-user-static
	echo "this machine starts no programs of $arch: qemu runs them"
fi
if [ -n "$emulated" ]; then
	RUN=$qemu
	bin=$out/run
	mkdir -p "$bin"
	for b in "$out"/bin/*; do
		# Tests leave nothing in PATH but what they are about; getopt says its program's name.
		printf '#!/bin/sh\nexec "%s" -0 "${0##*/}" "%s" "$@"\n' "$(command -v $RUN)" "$PWD/$b" >"$bin/${b##*/}"
		chmod +x "$bin/${b##*/}"
	done
fi
export RUN

tests=$(find "$out/test" -type f -name '*_test' | LC_ALL=C sort)
[ -z "${QUICK:-}" ] || export EACH=1
case ${emulated:-native}${QUICK:+-quick} in
native) SAMPLE=${SAMPLE:-1} ;;
native-quick) SAMPLE=${SAMPLE:-3} ;;
qemu) SAMPLE=${SAMPLE:-3} ;;
qemu-quick)
	SAMPLE=${SAMPLE:-12}
	tests=$(echo "$tests" | awk '/\/test\/libparse\// || ++n % 3 == 0')
	;;
esac
# The assembler that tests call is of the machine they run on; qemu limits no memory and starts no program
# of its own machine.
may_skip='assembler is not of x86-64'
[ -z "$emulated" ] || may_skip="$may_skip|memory is not limited here|programs of this machine cannot be started here"
# Of the recorder's, those that look at other processes from outside would see qemu, which also ignores
# MADV_WIPEONFORK: what is forked takes itself for its parent.
may_fail=
if [ -n "$programs" ]; then
	tests=$(echo "$tests" | grep -v /tprof-record/parent/)
	echo 'left out: tests of cmd/tprof-record/parent: they look at processes from outside, which are those of qemu'
	may_fail='test_(fork_has_nothing|core_fork|core_end_while_threads_record|core_reservation_fails|sample_no_memory)'
fi
part 'modules' env MAY_SKIP="$may_skip" MAY_FAIL="$may_fail" sh testdata/check/unit.sh $tests
part 'commands' sh testdata/ports/commands.sh "$PWD/$bin" "$SAMPLE" "$arch" $emulated
[ -z "$programs" ] || part 'recorder' sh testdata/ports/recorder.sh "$out"
part 'stores' python3 testdata/ports/exchange.py $([ "$arch" != s390x ] || echo --unpacked) build/out/bin "$bin" "$corpus"
if [ -d "$corpus/traces" ]; then
	few=
	if [ -n "$emulated${QUICK:-}" ]; then
		few=$(mktemp -d) || exit 4
		mkdir "$few/traces"
		find "$(realpath "$corpus")/traces" -name '*.trace' -size -60k | LC_ALL=C sort | while read -r t; do
			number=$((${number:-0} + 1))
			[ $((number % 8)) -eq 0 ] || [ "$(wc -c <"$t")" -lt 250 ] || continue
			ln -s "$t" "${t%.trace}".expect* "$few/traces/"
		done
		corpus=$few
	fi
	part 'corpus' sh testdata/check/conformance.sh "$bin" "$corpus"
	[ -z "$few" ] || rm -rf "$few"
fi
finish "$arch"
