#!/bin/sh
# The packages of make deb: lintian has neither errors nor warnings, what each holds is where it belongs,
# and a build elsewhere, by others' habits, has the same bytes.
#
#   sh testdata/check/deb-check.sh TARBALL FOLDER
set -u
cd "$(dirname "$0")/../.." || exit 4
tarball=$1 folder=$2
passed=0 failed=0
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
ok() { passed=$((passed + 1)); }
wrong() { echo "FAILED $*"; failed=$((failed + 1)); }

if ! command -v lintian >/dev/null; then
	echo 'lintian is missing (Debian: apt-get install lintian)'
	[ "${CI:-}" != true ] || wrong 'lintian'
elif lintian --allow-root --fail-on error,warning --display-info --pedantic "$folder"/*.changes >"$scratch/lintian" 2>&1; then
	ok
else
	wrong 'lintian'
fi
# What it remarks besides is worth a look, and no failure.
[ ! -s "$scratch/lintian" ] || sed 's/^/  lintian: /' "$scratch/lintian"

holds() { # package, path…
	dpkg-deb --contents "$folder/$1"_*.deb | awk '{ print $6 }' >"$scratch/files"
	package=$1
	shift
	for path in "$@"; do
		if grep -qxE "\./usr/$path" "$scratch/files"; then ok; else wrong "$package has no $path"; fi
	done
}
for c in cmd/tprof*/main.c; do
	c=$(basename "$(dirname "$c")")
	holds tprof "bin/$c" "share/man/man1/$c.1.gz" "share/bash-completion/completions/$c" \
		"share/zsh/vendor-completions/_$c" "share/fish/vendor_completions.d/$c.fish"
done
holds tprof lib/tprof/tprof.so lib/tprof/tprof-preload.so lib/tprof/tprof-symbols.so share/man/man5/tprof-store.5.gz share/doc/tprof/copyright
holds libtprof-record0 'lib/[^/]*/libtprof-record.so.0'
holds libtprof-record-dev include/tprof-record.h 'lib/[^/]*/libtprof-record.so' 'lib/[^/]*/pkgconfig/tprof-record.pc' \
	share/man/man3/tprof-record.3.gz
holds libtprof0 'lib/[^/]*/libtprof.so.0'
holds libtprof-dev include/tprof.h 'lib/[^/]*/libtprof.a' 'lib/[^/]*/libtprof.so' 'lib/[^/]*/pkgconfig/tprof.pc' \
	share/man/man3/tprof.3.gz

elsewhere=$scratch/built/by/others
mkdir -p "$elsewhere"
if (umask 027 && env DEB_BUILD_OPTIONS=nocheck TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 HOME="$scratch" \
	sh testdata/check/deb.sh "$tarball" "$elsewhere"); then
	for deb in "$folder"/*.deb "$folder"/*.dsc; do
		if cmp "$deb" "$elsewhere/${deb##*/}"; then ok; else wrong "${deb##*/} is another one when it is built elsewhere"; fi
	done
else
	wrong 'a build elsewhere'
fi
echo "packages: $passed passed, $failed failed"
[ $failed -eq 0 ]
