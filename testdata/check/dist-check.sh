#!/bin/sh
# make dist: the same bytes from a clone with a strict umask in another time zone, and from what the
# tarball holds.
#
#   MAKE=make VERSION=0.1.0 sh testdata/check/dist-check.sh
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
file=build/dist/tprof-$VERSION.tar.gz
expect 'make dist' sh -c "$MAKE dist && cp $file '$scratch/first.tar.gz'"
made=$(date +%s)
mkdir -m 700 "$scratch/elsewhere" && umask 077 && tar -C "$scratch/elsewhere" -xzf "$scratch/first.tar.gz"
inside=$scratch/elsewhere/tprof-$VERSION
# Built things, stores and newer times are no part of it.
mkdir "$inside/build" && : >"$inside/build/x" && : >"$inside/testdata/some.tprof" && touch "$inside/Makefile"
# When it is made must make no difference, so that is not the same second.
until [ "$(date +%s)" != "$made" ]; do sleep 0.05; done
expect 'make dist within the tarball' env -i PATH="$PATH" TZ=Asia/Tokyo LC_ALL=C $MAKE -C "$inside" dist
expect 'it is the same' cmp "$scratch/first.tar.gz" "$inside/$file"
expect 'the tarball holds what git knows' sh -c "[ ! -e .git ] || { git ls-files | LC_ALL=C sort >'$scratch/git' &&
	tar -tzf '$scratch/first.tar.gz' | sed 's|^[^/]*/||' | diff '$scratch/git' -; }"
expect 'everybody may read it' sh -c "! tar -tvzf '$scratch/first.tar.gz' | grep -vE '^(-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) 0/0 '"
echo 'changed' >>"$inside/README.md"
expect 'a change makes another' sh -c "$MAKE -C '$inside' dist && ! cmp -s '$scratch/first.tar.gz' '$inside/$file'"
sed -i 's/^VERSION := .*/VERSION := 9.9.9/' "$inside/Makefile"
expect 'a version that the changelogs do not know is refused' sh -c "! $MAKE -C '$inside' dist"
# What building needs is named once for make setup, and once for Debian's builders.
for package in $(sed -n "s/^debian='\(.*\)'/\1/p" .ci/setup); do
	case $package in gcc | g++ | libc6-dev) continue ;; pkg-config) package=pkgconf ;; esac
	expect "debian/control does not name $package" grep -q "^ $package\b" debian/control
done
echo "dist: $passed passed, $failed failed"
[ $failed -eq 0 ]
