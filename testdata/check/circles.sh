#!/bin/sh
# Folders of libparse and libreport that include each other in a circle, a line each, and how many.
set -u
cd "$(dirname "$0")/../.." || exit 4
find libparse libreport -name '*.[ch]' | grep -Ev '_(test|fuzz)\.c$|/testing(_[a-z]+)?\.h$' |
	xargs grep -Ho '^#include "[^"]*"' | sed 's/:#include "\([^"]*\)"/ \1/' | while read -r file header; do
	for root in libparse libreport; do
		[ ! -e "$root/$header" ] || echo "${file%/*} $root/${header%/*}" | sed 's, \(lib[a-z]*\)/[^/]*\.h$, \1,'
	done
done | awk '$1 != $2' | sort -u | tsort 2>&1 >/dev/null | sed -n '/loop/!s/^tsort: //p' >build/circles
sed 's/^/in a circle: /' build/circles
echo "circles: $(grep -c . build/circles)"
