#!/bin/sh
# How large the tree is, and where: lines of C by folder (product, tests, tools), long functions and files,
# circles between folders, and what should be in one place only.   make size
set -u
cd "$(dirname "$0")/../.." || exit 4

sources() { git ls-files '*.c' '*.h' '*.cpp' | grep -E '^(cmd|libparse|libreport|testdata/tools)/'; }
# product, test or tool
sources | while read -r file; do
	case $file in
	testdata/tools/*) kind=tools ;;
	*_test.c | */testing*.[ch] | cmd/tprof-record/tests/* | cmd/tprof-record/example/*) kind=tests ;;
	*) kind=product ;;
	esac
	echo "$kind $file"
done >build/size.files
awk '{
	n = 0
	while ((getline line <$2) > 0) n++
	close($2)
	split($2, part, "/")
	top = part[1]; room = part[1] "/" part[2]
	if (room ~ /\.[ch]$/) room = part[1]
	if ($1 == "tools") top = room = "testdata/tools"
	lines[top, $1] += n; lines["all", $1] += n
	if (room != top) lines[room, $1] += n
	files[top]++; files[room] += room != top; files["all"]++
	seen[top]; seen[room]; seen["all"]
	if (n > 500 && $1 == "product") long++
} END {
	printf "%-26s %6s %8s %7s %7s\n", "folder", "files", "product", "tests", "tools"
	for (s in seen)
		printf "%-26s %6d %8d %7d %7d\n", s, files[s], lines[s, "product"], lines[s, "tests"], lines[s, "tools"] | "sort"
	close("sort")
	printf "\nfiles of the product over 500 lines: %d\n", long
}' build/size.files
# A function ends with a brace in the first column, as .clang-format has it.
grep '^product .*\.c$' build/size.files | cut -d' ' -f2 | xargs awk '
	FNR == 1 { open = 0 }
	/^\{/ { open = FNR }
	/^\}/ && open { if (FNR - open > 60) n++; open = 0 }
	END { printf "functions over 60 lines: %d\n", n }'
count() { # words, pattern
	printf '%s: %d\n' "$1" "$(grep '^product' build/size.files | cut -d' ' -f2 | xargs grep -lE "$2" | wc -l)"
}
count 'files that say that memory is out' '"out of memory'
count 'files that decode spans which cross segments' 'REP_COL\(v, SPAN_CROSSING'
count 'files with a table by hash of their own' 'nslots - 1|& mask\]'
sh testdata/check/circles.sh
