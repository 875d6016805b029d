#!/bin/sh
# make install and make uninstall, below a scratch folder: commands that run from there, their pages
# and completions, and nothing that stays.   MAKE=make sh testdata/check/install.sh
set -u
cd "$(dirname "$0")/../.." || exit 4
passed=0 failed=0
to=$(mktemp -d) || exit 4
trap 'rm -rf "$to"' EXIT

expect() { # what, command…
	what=$1
	shift
	if "$@" >"$to.log" 2>&1; then
		passed=$((passed + 1))
	else
		echo "FAILED $what"
		cat "$to.log"
		failed=$((failed + 1))
	fi
	rm -f "$to.log"
}

expect 'make install' $MAKE install PREFIX=/opt DESTDIR="$to"
for c in cmd/tprof*/main.c; do
	c=$(basename "$(dirname "$c")")
	expect "$c --version" "$to/opt/bin/$c" --version
	expect "$c.1" test -s "$to/opt/share/man/man1/$c.1"
	expect "$c for bash" test -s "$to/opt/share/bash-completion/completions/$c"
	expect "$c for zsh" test -s "$to/opt/share/zsh/site-functions/_$c"
	expect "$c for fish" test -s "$to/opt/share/fish/vendor_completions.d/$c.fish"
done
expect 'the extension' test -s "$to/opt/lib/tprof/tprof.so"
expect 'the library' test -s "$to/opt/lib/libtprof-record.so"
expect 'its header' test -s "$to/opt/include/tprof-record.h"
expect 'its page' test -s "$to/opt/share/man/man3/tprof-record.3"
expect 'what pkg-config says' sh -c "PKG_CONFIG_PATH='$to/opt/lib/pkgconfig' pkg-config --cflags --libs tprof-record | grep -e '-L/opt/lib.* -ltprof-record'"
expect 'the recorder finds its library' sh -c "'$to/opt/bin/tprof-record' -q -o '$to/run' -- true && test -s '$to/run/trace.out'"
rm -rf "$to/run"
expect 'nothing else in bin' sh -c "! ls '$to/opt/bin' | grep -v '^tprof'"
expect 'make uninstall' $MAKE uninstall PREFIX=/opt DESTDIR="$to"
expect 'nothing stays' sh -c "! find '$to' ! -type d | grep ."
echo "install: $passed passed, $failed failed"
[ $failed -eq 0 ]
