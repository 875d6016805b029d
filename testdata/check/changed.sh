#!/bin/sh
# Of the source files on standard input, prints those that have changed since the commit named in
# testdata/check/linted, committed or not, and those that include a header that has. All of them where git
# does not know the commit.
#
#   … | sh testdata/check/changed.sh BUILD_FOLDER
set -u
cd "$(dirname "$0")/../.." || exit 4
build=$1
base=$(cat testdata/check/linted)
if ! git cat-file -e "$base^{commit}" 2>/dev/null; then
	echo "changed.sh: git does not know the commit $base of testdata/check/linted: all files" >&2
	exec cat
fi
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
{ git diff --name-only "$base" && git ls-files --others --exclude-standard; } | grep '\.[ch]$' >"$scratch/changed"
# A file's dependencies: "OBJECT: SOURCE HEADER…", over several lines.
find "$build" -name '*.d' -exec cat {} + | awk -v changed="$scratch/changed" '
	BEGIN { while ((getline line <changed) > 0) hit[line] = 1 }
	/^[^ ]+\.o:/ { source = "" }
	{
		for (i = 1; i <= NF; i++) {
			if ($i ~ /\.c$/ && source == "") source = $i
			if ($i in hit) print source
		}
	}' | cat - "$scratch/changed" | sort -u >"$scratch/wanted"
grep -xFf "$scratch/wanted"
exit 0
