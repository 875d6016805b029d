#!/bin/sh
# README.md, TOUR.md and the skill for agents show what the commands print: runs every line of their ```console blocks that begins with
# $ (lines that begin with > continue it) and compares the output with what follows. Seconds and sizes
# of an import differ from build to build and count as equal. A block ```screen NAME SCREEN shows that
# screen of testdata/tui/NAME.screens, which is compared where it is made (make tui).
#
#   BIN=FOLDER sh testdata/check/readme.sh            compares
#   BIN=FOLDER UPDATE=1 sh testdata/check/readme.sh   writes the output into them
set -u
cd "$(dirname "$0")/../.." || exit 4
root=$PWD
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export PATH="$BIN:$PATH" XDG_CACHE_HOME="$scratch/cache" LC_ALL=C.UTF-8 TZ=UTC COLUMNS=100 TERM=dumb

screen() { # NAME SCREEN, without blanks and blank lines at the ends
	awk -v want="==== $2" '
		$0 == want { on = 1; next }
		/^==== / { on = 0 }
		on { sub(/ +$/, ""); line[++n] = $0; if ($0 != "") last = n }
		END { for (i = 1; i <= last; i++) print line[i] }' "testdata/tui/$1.screens"
}

run() { # a command's text, collected in $scratch/command
	(cd "$scratch/here" && sh "$scratch/command" 2>&1 </dev/null)
}

flush() {
	[ -n "$pending" ] && run >>"$scratch/page"
	pending=
}

write_anew() { # a page as it should be, into $scratch/page
	inside= pending=
	rm -rf "$scratch/here"
	mkdir "$scratch/here"
	cp -r testdata/*.trace testdata/catalog.* testdata/prices testdata/parcels testdata/inbox testdata/desk testdata/rush testdata/deadlock testdata/ledger \
		testdata/corpus "$scratch/here"
	: >"$scratch/page"
	while IFS= read -r line; do
		[ "$inside" = screen ] && [ "$line" != '```' ] && continue
		case $line in
		'```console') inside=1 ;;
		'```screen '*)
			{ printf '%s\n' "$line"; screen ${line#'```screen '}; } >>"$scratch/page"
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
		printf '%s\n' "$line" >>"$scratch/page"
	done <"$1"
}

plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/' "$1"; }

passed=0 failed=0
for page in README.md TOUR.md cmd/tprof/skill/SKILL.md cmd/tprof/skill/references/*.md; do
	write_anew $page
	plain $page >"$scratch/want"
	plain "$scratch/page" >"$scratch/got"
	if [ -n "${UPDATE:-}" ]; then
		cmp -s "$scratch/want" "$scratch/got" || { cp "$scratch/page" "$root/$page" && echo "recorded $page"; }
	elif ! diff -u "$scratch/want" "$scratch/got"; then
		echo "FAILED $page shows something else than the commands print"
		failed=$((failed + 1))
		continue
	fi
	passed=$((passed + 1))
done
echo "readme: $passed passed, $failed failed"
[ $failed -eq 0 ]
