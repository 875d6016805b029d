#!/bin/sh
# The sources as a tarball: the same files in the same order have the same bytes, whoever makes it, from
# a clone or from what such a tarball holds. Times are that of the version's changelog entry.
#
#   VERSION=0.1.0 sh testdata/check/dist.sh FILE.tar.gz
set -eu
cd "$(dirname "$0")/../.."
file=$1
name=tprof-$VERSION
for said in "$(sed -n '1s/^tprof (\(.*\)) .*/\1/p' debian/changelog)" \
	"$(sed -n 's/^## \[\([0-9].*\)\].*/\1/p' CHANGELOG.md | head -n 1)"; do
	[ "$said" = "$VERSION" ] || {
		echo "make dist: the Makefile has version $VERSION, debian/changelog or CHANGELOG.md begins with '$said'" >&2
		exit 1
	}
done
mkdir -p "$(dirname "$file")"
list=$(mktemp)
part=$file.$$
trap 'rm -f "$list" "$part" "$part.gz"' EXIT
if [ -e .git ] && command -v git >/dev/null; then
	git ls-files >"$list"
	[ -z "$(git status --porcelain --untracked-files=no)" ] ||
		echo 'make dist: with what is not committed yet' >&2
else
	find . \( -path ./build -o -path ./.git \) -prune -o \( -type f -o -type l \) \
		! -name '*.tprof' ! -name '*.tprof.lock' -print | sed 's|^\./||' >"$list"
fi
date=$(sed -n 's/^ -- .*>  //p' debian/changelog | head -n 1)
LC_ALL=C sort -o "$list" "$list"
tar --create --file="$part" --format=gnu --no-recursion --mtime="$date" --owner=0 --group=0 --numeric-owner \
	--mode='u=rwX,go=rX' --transform="s|^|$name/|S" --verbatim-files-from --files-from="$list"
gzip -9n <"$part" >"$part.gz"
mv "$part.gz" "$file"
echo "$file"
