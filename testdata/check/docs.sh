#!/bin/sh
# Manual pages and completions against --help=all: the same options, no more and no fewer, for every
# command that is installed. Pages are checked by mandoc, completions by their shells, where those
# are there.
#
#   sh testdata/check/docs.sh BIN_FOLDER
set -u
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../.." || exit 4
bin=$1
passed=0 failed=0
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT

ok() { passed=$((passed + 1)); }
wrong() { echo "FAILED $*"; failed=$((failed + 1)); }
check() { # what, command…
	what=$1
	shift
	if "$@" >"$scratch/out" 2>&1; then ok; else wrong "$what"; cat "$scratch/out"; fi
}
# check_by TOOL what command…: where the tool is; in CI it has to be.
check_by() {
	tool=$1
	shift
	if command -v "$tool" >/dev/null; then
		check "$@"
	elif [ "${CI:-}" = true ]; then
		wrong "$1 is not checked, as $tool is missing"
	else
		case " $missing " in *" $tool "*) ;; *) missing="$missing $tool" ;; esac
	fi
}
missing=
# The same list twice? $1 is where the second comes from.
same() {
	if cmp -s "$scratch/help" "$2"; then
		ok
	else
		wrong "$1 differs from what the command says (< only there, > only in $1):"
		diff "$scratch/help" "$2" | grep '^[<>]'
	fi
}
# The commands with a second page, and the headings of --help=all whose options are on that one.
pages2='tprof-top tprof-top-profile Profiles|Differences'
# mdoc: .It Fl o , Fl -output Ns = Ns Ar STORE
page_options() { sed -n '/^\.It .*Fl -/p' | grep -oE 'Fl -[a-z][a-z-]*' | sed 's/Fl -/--/' | sort -u; }
long_options() { grep -oE -- '(^|[^a-zA-Z0-9-])--[a-z][a-z-]*' | sed 's/^[^-]*//' | sort -u; }

for path in "$bin"/tprof*; do
	c=$(basename "$path")
	page=man/$c.1
	"$path" --help=all >"$scratch/text" || wrong "$c --help=all"
	# What --help says fits a screen, and names no option that there is not.
	"$path" --help >"$scratch/screen" || wrong "$c --help"
	if [ "$(wc -l <"$scratch/screen")" -le 24 ] && ! grep -qE '.{80}' "$scratch/screen"; then
		ok
	else
		wrong "$c --help does not fit 24 lines of 79 columns"
	fi
	for option in $(long_options <"$scratch/screen"); do
		grep -qE -- "(^| )$option([^a-z-]|$)" "$scratch/text" && ok ||
			wrong "$c --help names $option, which --help=all does not"
	done
	# An option begins its line, perhaps after its letter: "  -o, --output=STORE".
	sed -nE 's/^ +(-[a-zA-Z?], )?(--[a-z][a-z-]*).*/\2/p' "$scratch/text" | sort -u >"$scratch/help"
	# The dispatcher's own text is prose.
	[ -s "$scratch/help" ] || long_options <"$scratch/text" >"$scratch/help"

	# What its page describes, and what its second page does.
	second=$(echo "$pages2" | sed -n "s/^$c //p")
	set -- "$page"
	: >"$scratch/second"
	if [ "$second" ]; then
		set -- "$page" "man/${second%% *}.1"
		sed -nE "/^ (${second#* })/,/^\$/s/^ +(-[a-zA-Z?], )?(--[a-z][a-z-]*).*/\\2/p" "$scratch/text" |
			sort -u >"$scratch/second"
	fi
	cat "$@" | page_options >"$scratch/page"
	same "$*" "$scratch/page"
	comm -23 "$scratch/help" "$scratch/second" >"$scratch/first"
	for file in "$@"; do
		page_options <"$file" | comm -23 "$scratch/first" - >"$scratch/missing"
		[ ! -s "$scratch/missing" ] && ok || wrong "$file lacks $(tr '\n' ' ' <"$scratch/missing")"
		cp "$scratch/second" "$scratch/first"
		grep -q '^\.Sh EXAMPLES' "$file" || [ "$c" = tprof ] && ok || wrong "$file has no examples"
		check_by mandoc "$file" mandoc -T lint -W warning "$file"
	done

	for file in "completions/$c.bash" "completions/_$c" "completions/$c.fish"; do
		if [ ! -e "$file" ]; then
			wrong "$c has no $file"
			continue
		fi
		case $file in
		*.fish) # complete -c tprof-top -l format …
			grep -oE '(^| )-l [a-z][a-z-]*' "$file" | sed 's/.*-l /--/' | sort -u >"$scratch/list"
			check_by fish "$file" fish -n "$file"
			;;
		*.bash)
			long_options <"$file" >"$scratch/list"
			check "$file" bash -n "$file"
			;;
		*)
			long_options <"$file" >"$scratch/list"
			check_by zsh "$file" zsh -n "$file"
			;;
		esac
		same "$file" "$scratch/list"
	done
	# Reports follow "Reports (…):", with two blanks before each. --help and the completions list them in
	# this order, those of tprof-tui as well.
	"$bin/$c" --help 2>/dev/null | tr -s '\n ' '  ' >"$scratch/short"
	reports=$(sed -n '/^Reports /,$s/^  \([a-z][a-z]*\)  .*/\1/p' "$scratch/text" | tr '\n' ' ')
	for report in $reports; do
		grep -qE "^\.It Cm (.* )?$report( |\$)" "$page" && ok ||
			wrong "$page lacks the report $report"
		grep -qw "$report" "$scratch/short" && ok || wrong "$c --help lacks the report $report"
	done
	two=$(echo "$reports" | cut -d ' ' -f 1,2)
	[ "$reports" ] || continue
	for file in completions/*; do
		grep -F "$two" "$file" >"$scratch/lists" || continue
		grep -vF "${reports% }" "$scratch/lists" >"$scratch/list"
		[ ! -s "$scratch/list" ] && ok ||
			wrong "$file has a list of reports that is not: $reports"
	done
done

# Every table and column of a store is described, and no other.
"$bin/tprof-import" -o "$scratch/s.tprof" testdata/checkout-1.19.trace >/dev/null || wrong 'no store'
"$bin/tprof-query" "$scratch/s.tprof" .schema | awk '
	/^CREATE/ { virtual = /VIRTUAL/; table = $(virtual ? 4 : 3); sub(/\(.*/, "", table); print table; next }
	/^  [a-z]/ && !(virtual && ($1 == "run" || $1 == "row")) { print table "." $1 }' | sort >"$scratch/help"
awk '
	/^\.Ss (Units|States)/ { table = ""; next }
	/^\.S[hs]/ { table = ""; if (/^\.Ss/) print table = $2; next }
	table && /^\.It Va/ { print table "." $3 }' man/tprof-store.5 | sort >"$scratch/page"
same man/tprof-store.5 "$scratch/page"

# The tables in tprof-json(5) have the columns that the commands have.
check 'columns in man/tprof-json.5' python3 testdata/check/columns.py "$bin"

# The page of tprof-web offers the reports and sort keys that there are.
check 'reports of tprof-web' python3 testdata/check/webreports.py "$bin"

# README.md and tprof(1) have one table of what is read, in two forms.
joined() { sed 's/ \([,;.]\)/\1/g; s/[`"]//g'; }
sed -n '/^| tprof reads /,/^$/p' README.md | sed '1,2d; /^$/d; s/^| //; s/ |$//; s/ | / /g' | joined >"$scratch/help"
sed -n '/^\.Ss What is read/,/^\.El/p' man/tprof.1 | sed '1,3d; /^\.El/d; s/^\.Li //; s/^\.It /@/' | tr '\n@' ' \n' |
	joined | sed '1d; s/ *$//; s/\.$//; s/ Written by / /; s/\. Recognised by / /; s/\. Becomes / /' >"$scratch/page"
echo >>"$scratch/page"
same 'tprof(1), What is read,' "$scratch/page"
for page in man/*.[3-8]; do
	check_by mandoc "$page" mandoc -T lint -W warning "$page"
done

for page in man/*.[1-8]; do
	# Every page that a page refers to is here (sqlite3 and the like are not ours).
	for ref in $(sed -nE 's/^\.Xr (tprof[a-z-]*) ([1-8]).*/\1.\2/p' "$page" | sort -u); do
		if [ -e "man/$ref" ]; then ok; else wrong "$page refers to $ref, which is missing"; fi
	done
done
for script in .ci/run .ci/setup .ci/install testdata/demo.sh testdata/*/*.sh; do
	shell=$(sed -n '1s:^#!/bin/::p' "$script")
	check "$script" "${shell:-sh}" -n "$script"
done
[ -z "$missing" ] || echo "not all of it is checked, as these are missing:$missing"
echo "documents: $passed passed, $failed failed"
[ $failed -eq 0 ]
