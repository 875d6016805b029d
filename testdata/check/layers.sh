#!/bin/sh
# Dependencies point one way: cmd → libreport → libparse, and inside libparse along the path of the
# data. Libraries do not print, exit or read the environment. Prints what breaks a rule, and a count.
set -u
cd "$(dirname "$0")/../.." || exit 4
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
: >"$scratch/passed"
: >"$scratch/failed"

rule() { # what the rule is; standard input: lines that break it
	broken=$(cat)
	if [ -z "$broken" ]; then
		echo "$1" >>"$scratch/passed"
	else
		echo "$1" >>"$scratch/failed"
		printf 'FAILED %s\n%s\n' "$1" "$broken"
	fi
}

sources() { find "$@" -name '*.[ch]' 2>/dev/null | sort; }
# What the files given include with quotes: FILE HEADER.
includes() { grep -Ho '^#include "[^"]*"' /dev/null "$@" | sed 's/:#include "\([^"]*\)"/ \1/'; }
# Tests may look at anything to the right of what they test; code may not.
code() { sources "$@" | grep -Ev '_(test|fuzz)\.c$|/testing(_[a-z]+)?\.h$'; }

grep -n '^#include <sqlite3' $(sources cmd libparse libreport) |
	grep -Ev '^(libparse/(store|sql|api)/|libreport/|cmd/extension/|testdata/tools/)' |
	rule 'SQLite stays in libparse/store, sql and api, and in libreport'
grep -nE '^#include <(ncurses|curses|panel)' $(sources cmd libparse libreport) |
	grep -v '^cmd/tprof-tui/' | rule 'ncurses stays in cmd/tprof-tui'
grep -n '^#include <libxml/' $(code cmd libparse libreport) | rule 'libxml2 is for tests'
grep -nE '^#include <(elfutils/|gelf|libelf|dwarf)' $(sources cmd libparse libreport) |
	grep -vE '^(libparse/symbol/|cmd/tprof-record/parent/(program|debuginfod)\.c)' |
	rule 'elfutils stays in libparse/symbol, and where the recorder looks at programs'
grep -n '^#include <curl/' $(sources cmd libparse libreport) |
	grep -v '^cmd/courier/' | rule 'libcurl stays in cmd/courier'
grep -n '^#include <regex' $(sources cmd libparse libreport) |
	grep -v '^libparse/base/regex\.c' | rule 'there is one dialect of regular expressions, that of base/regex.h'
grep -n '^#include <argp' $(sources libparse libreport) | rule 'arguments are for commands'

# A header is found in the folder of the file that names it or below one of the roots. No program is
# started for each of them: there are thousands.
includes $(code libparse libreport) | while read -r file header; do
	root='?'
	for dir in "${file%/*}" libparse libreport cmd; do
		[ ! -e "$dir/$header" ] || { root=$dir && break; }
	done
	echo "$file $root/$header"
done >"$scratch/used"
used=$scratch/used

awk '$2 ~ /^\?/' "$used" | rule 'every header that is included is there'
awk '$1 ~ /^libparse/ && $2 !~ /^libparse/' "$used" | rule 'libparse needs nothing of libreport or cmd'
awk '$1 ~ /^libreport/ && $2 ~ /^cmd/' "$used" | rule 'libreport needs nothing of cmd'

# The path of the data.
awk '
	BEGIN { n = split("base open decode symbol order store timeline sql api", names); for (i = 1; i <= n; i++) stage[names[i]] = i }
	function of(path,  part) { split(path, part, "/"); return part[1] == "libparse" ? stage[part[2]] : 0 }
	of($1) && of($2) && of($2) > of($1)' "$used" |
	rule 'inside libparse each stage needs only those before it'
sh testdata/check/circles.sh | sed '$d' | rule 'no folders include each other in a circle'

grep -nE '(^|[^a-z_.>])(printf|puts|perror|exit|_exit|abort|getenv|secure_getenv|system|popen)[ ]*\(|std(out|err)\b' \
	$(code libparse libreport) | grep -vE ':[0-9]+:[[:space:]]*(\*|/\*|//)|/\*.*(stdout|stderr)' |
	rule 'libraries do not print, exit or read the environment'
grep -nE '[^_a-z]assert\(' $(code libparse libreport) | rule 'nothing is asserted'
grep -nE '[^_a-z](strcpy|strcat|sprintf|gets|atoi|atol|strtok)\(' $(code libparse libreport) |
	rule 'no functions without bounds'

ls | grep -vxE 'Makefile|cmd|libparse|libreport|testdata|man|completions|debian|build|[A-Z]+\.md|LICENSE' |
	rule 'the top level holds what it should and no more'

failed=$(wc -l <"$scratch/failed")
echo "layers: $(($(wc -l <"$scratch/passed"))) passed, $((failed)) failed"
[ "$failed" -eq 0 ]
