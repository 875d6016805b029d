#!/bin/sh
# make install and make uninstall, below a scratch folder: commands that run from there, their pages
# and completions, libraries that programs are built with, modes, and nothing that stays.
#
#   MAKE=make CC=cc CXX=c++ sh testdata/check/install.sh
set -u
cd "$(dirname "$0")/../.." || exit 4
passed=0 failed=0
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
to=$scratch/root

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
# Everything below the folder: kind, mode, path.
listing() { find "$1" -mindepth 1 -printf '%y %m %P\n' | sort; }

expect 'make install' $MAKE install PREFIX=/opt DESTDIR="$to"
for c in cmd/tprof*/main.c; do
	c=$(basename "$(dirname "$c")")
	expect "$c --version" "$to/opt/bin/$c" --version
	expect "$c.1" test -s "$to/opt/share/man/man1/$c.1"
	expect "$c for bash" test -s "$to/opt/share/bash-completion/completions/$c"
	expect "$c for zsh" test -s "$to/opt/share/zsh/site-functions/_$c"
	expect "$c for fish" test -s "$to/opt/share/fish/vendor_completions.d/$c.fish"
done
# Where libcurl is there.
pkg-config --exists libcurl 2>/dev/null && expect 'what has connections' test -x "$to/opt/lib/tprof/tprof-courier"
expect 'the extension' test -s "$to/opt/lib/tprof/tprof.so"
expect 'the library' test -s "$to/opt/lib/libtprof-record.so"
expect 'its header' test -s "$to/opt/include/tprof-record.h"
expect 'the script of Slurm' test -x "$to/opt/share/tprof/slurm.sh"
expect 'the skill for agents' test -s "$to/opt/share/tprof/skill/SKILL.md" -a -s "$to/opt/share/tprof/skill/references/sql.md"
expect 'its page' test -s "$to/opt/share/man/man3/tprof-record.3"
expect 'the recorder finds its library' sh -c "'$to/opt/bin/tprof-record' -q -o '$to/run' -- true && test -s '$to/run/trace.out'"
rm -rf "$to/run"
expect 'nothing else in bin' sh -c "! ls '$to/opt/bin' | grep -v '^tprof'"
listing "$to" >"$scratch/fresh"

# Programs are built with what is there, and nothing of this tree.
flags() { PKG_CONFIG_PATH=$to/opt/lib/pkgconfig pkg-config --define-prefix --cflags --libs "$@"; }
build() { # program, source, flags
	program=$1 source=$2
	shift 2
	(cd "$scratch" && $CC -Wall -Werror -o "$program" "$source" "$@")
}
expect 'what pkg-config says of libtprof-record' sh -c \
	"PKG_CONFIG_PATH='$to/opt/lib/pkgconfig' pkg-config --cflags --libs tprof-record | grep -e '-L/opt/lib.* -ltprof-record'"
expect 'programs with libtprof' env LIBRARY="$to/opt/lib/libtprof.so.0" LD_LIBRARY_PATH="$to/opt/lib" CC="$CC" CXX="$CXX" \
	sh testdata/check/library.sh $(flags tprof)
cat >"$scratch/both.c" <<'EOF'
#include <tprof-record.h>
#include <tprof.h>

int main(int argc, char **argv)
{
	int64_t run;

	return argc != 3 || tprof_import(argv[1], argv[2], NULL, &run, NULL) || tprof_lost();
}
EOF
expect 'a program with both libraries, one linked statically' build both both.c \
	$(flags tprof-record) $(flags --static tprof | sed 's/-ltprof /-l:libtprof.a /')
expect 'it imports a trace' env LD_LIBRARY_PATH="$to/opt/lib" "$scratch/both" testdata/checkout.trace "$scratch/s.tprof"
expect 'its store is one' sh -c "'$to/opt/bin/tprof-store' list '$scratch/s.tprof' | grep -q checkout.trace"
expect 'a program with libtprof-record' build coroutines "$PWD/cmd/tprof-record/example/coroutines.c" \
	$(flags tprof-record)
for h in $(cd "$to/opt/include" && find . -name '*.h'); do
	expect "${h#./} compiles alone" sh -c "echo '#include <${h#./}>' | $CC -Wall -Werror -fsyntax-only -I'$to/opt/include' -x c -"
	expect "${h#./} compiles as C++" sh -c "echo '#include <${h#./}>' | $CXX -Wall -Werror -fsyntax-only -I'$to/opt/include' -x c++ -"
done

# Once more, over a version that had another file, by somebody with a strict umask.
: >"$to/opt/bin/tprof-old"
echo 'file /opt/bin/tprof-old' >>"$to/opt/lib/tprof/installed"
chmod 700 "$to/opt/bin/tprof"
expect 'make install over an older version' sh -c "umask 077; $MAKE install PREFIX=/opt DESTDIR='$to'"
listing "$to" >"$scratch/again"
expect 'it is the same as the first time' diff "$scratch/fresh" "$scratch/again"

# What was there before stays: a folder, even if it is empty, and somebody else's files.
expect 'make uninstall' $MAKE uninstall PREFIX=/opt DESTDIR="$to"
expect 'nothing stays' sh -c "! find '$to' -mindepth 1 | grep ."
mkdir -p "$to/opt/share/man/man1" "$to/opt/include"
: >"$to/opt/include/other.h"
listing "$to" >"$scratch/before"
expect 'make install beside others' $MAKE install PREFIX=/opt DESTDIR="$to"
: >"$to/opt/bin/other"
expect 'make uninstall beside others' $MAKE uninstall PREFIX=/opt DESTDIR="$to"
expect 'what others put into our folders stays' rm "$to/opt/bin/other"
rmdir "$to/opt/bin" 2>/dev/null
listing "$to" >"$scratch/after"
expect 'what was there stays, and nothing else' diff "$scratch/before" "$scratch/after"

# Every folder elsewhere, a space in the way, a strict umask.
odd="$scratch/a folder"
places='PREFIX=/usr BINDIR=/usr/games LIBDIR=/usr/lib/multi-arch INCLUDEDIR=/usr/local/inc MANDIR=/man ZSHDIR=/zsh BASHDIR=/bash FISHDIR=/fish'
expect 'make install elsewhere' sh -c "umask 077; $MAKE install $places DESTDIR='$odd'"
listing "$odd" >"$scratch/odd"
for f in usr/games/tprof usr/lib/tprof/tprof.so usr/lib/multi-arch/libtprof.a usr/lib/multi-arch/pkgconfig/tprof.pc \
	usr/local/inc/tprof.h usr/lib/multi-arch/libtprof.so.0 man/man5/tprof-store.5 zsh/_tprof bash/tprof fish/tprof.fish; do
	expect "$f" test -s "$odd/$f"
done
expect 'everybody may read all of it' sh -c "! grep -vE '^(d 755|f 644|f 755 usr/(games/|share/tprof/slurm\.sh$|lib/tprof/tprof-courier$)|l 777)' '$scratch/odd'"
expect 'tprof.pc says where' grep -qx 'libdir=${prefix}/lib/multi-arch' "$odd/usr/lib/multi-arch/pkgconfig/tprof.pc"
expect 'make uninstall elsewhere' $MAKE uninstall $places DESTDIR="$odd"
expect 'nothing stays there' sh -c "! find '$odd' -mindepth 1 | grep ."
echo "install: $passed passed, $failed failed"
[ $failed -eq 0 ]
