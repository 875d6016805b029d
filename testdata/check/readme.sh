#!/bin/sh
# The README shows what the commands print: runs every line of its ```console blocks that begins with
# $ (lines that begin with > continue it) and compares the output with what follows. Seconds and sizes
# of an import differ from build to build and count as equal. A block ```screen NAME SCREEN shows that
# screen of testdata/tui/NAME.screens, which is compared where it is made (make tui).
#
#   BIN=FOLDER sh testdata/check/readme.sh            compares
#   BIN=FOLDER UPDATE=1 sh testdata/check/readme.sh   writes the output into README.md
set -u
cd "$(dirname "$0")/../.." || exit 4
root=$PWD
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/here"
cp -r testdata/*.trace testdata/catalog.* testdata/prices testdata/parcels testdata/inbox testdata/ledger testdata/corpus "$scratch/here"
export PATH="$BIN:$PATH" XDG_CACHE_HOME="$scratch/cache" LC_ALL=C.UTF-8 TZ=UTC COLUMNS=100 TERM=dumb

run() { # a command's text, collected in $scratch/command
	(cd "$scratch/here" && sh "$scratch/command" 2>&1 </dev/null)
}

inside= pending=
: >"$scratch/README.md"
flush() {
	[ -n "$pending" ] && run >>"$scratch/README.md"
	pending=
}
screen() { # NAME SCREEN, without blanks and blank lines at the ends
	awk -v want="==== $2" '
		$0 == want { on = 1; next }
		/^==== / { on = 0 }
		on { sub(/ +$/, ""); line[++n] = $0; if ($0 != "") last = n }
		END { for (i = 1; i <= last; i++) print line[i] }' "testdata/tui/$1.screens"
}
while IFS= read -r line; do
	[ "$inside" = screen ] && [ "$line" != '```' ] && continue
	case $line in
	'```console') inside=1 ;;
	'```screen '*)
		{ printf '%s\n' "$line"; screen ${line#'```screen '}; } >>"$scratch/README.md"
		inside=screen
		continue
		;;
	'```') flush; inside= ;;
	'$ '*)
		if [ -n "$inside" ]; then
			flush
			printf '%s\n' "${line#'$ '}" >"$scratch/command"
			pending=1
		fi
		;;
	'> '*) [ -n "$inside" ] && printf '%s\n' "${line#'> '}" >>"$scratch/command" ;;
	*) [ -n "$inside" ] && continue ;; # recorded output
	esac
	printf '%s\n' "$line" >>"$scratch/README.md"
done <README.md

plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/' "$1"; }
plain README.md >"$scratch/want"
plain "$scratch/README.md" >"$scratch/got"
if [ -n "${UPDATE:-}" ]; then
	cmp -s "$scratch/want" "$scratch/got" || { cp "$scratch/README.md" "$root/README.md" && echo 'recorded README.md'; }
elif ! diff -u "$scratch/want" "$scratch/got"; then
	echo 'FAILED README.md shows something else than the commands print'
	echo 'readme: 0 passed, 1 failed'
	exit 1
fi
echo 'readme: 1 passed, 0 failed'
