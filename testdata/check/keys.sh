#!/bin/sh
# The section KEYS of tprof-tui(1) is what `tprof-tui --keys` lists: what stands between the comments
# "keys begin" and "keys end" is made of that, and compared.
#
#   BIN=FOLDER sh testdata/check/keys.sh            compares
#   BIN=FOLDER UPDATE=1 sh testdata/check/keys.sh   writes it
set -u
cd "$(dirname "$0")/../.." || exit 4
page=man/tprof-tui.1
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT

# Columns are two blanks or more apart. Lines with the same place come one after the other.
COLUMNS=1000 LC_ALL=C.UTF-8 "$BIN/tprof-tui" --keys >"$scratch/keys" || exit 1
awk '
	function quoted(text) { gsub(/\\/, "\\e", text); gsub(/"/, "\\(dq", text); return "\"\\&" text "\"" }
	function of(place) {
		return place == "everywhere" ? "Everywhere" : place == "tables" ? "\\&In tables" \
			: place == "" ? "Commands without a key" : place == "mouse" ? "By mouse" \
			: place ~ /^while/ ? "While" substr(place, 6) : "\\&In " place
	}
	NR == 1 {
		command = index($0, "COMMAND"); doc = index($0, "WHAT"); where = index($0, "WHERE")
		next
	}
	{
		key = substr($0, 1, command - 1); name = substr($0, command, doc - command)
		what = substr($0, doc, where - doc); place = substr($0, where)
		sub(/ +$/, "", key); sub(/ +$/, "", name); sub(/ +$/, "", what); sub(/ +$/, "", place)
		if (key == ":" && name != "palette") { place = "commands" }
		if (!(place in seen)) { seen[place] = 1; order[++n] = place }
		n_of[place]++
		line = place == "commands" || key == "" ? ".It " quoted(name) : ".It " quoted(key)
		known = place != "commands" && key != "" && name != "" ? ".Pq Ic " name "\n" : ""
		text[place] = text[place] line "\n" what "\n" known
	}
	END {
		for (i = 1; i <= n; i++) {
			print ".Ss " (order[i] == "commands" ? "Commands, behind a colon" : of(order[i]))
			print ".Bl -tag -width \"Esc Backspace ^O\" -compact"
			printf "%s", text[order[i]]
			print ".El"
		}
	}' "$scratch/keys" >"$scratch/part"

awk -v part="$scratch/part" '
	/^\.\\" keys begin/ { print; while ((getline line < part) > 0) print line; skip = 1; next }
	/^\.\\" keys end/ { skip = 0 }
	!skip' "$page" >"$scratch/page"
if [ -n "${UPDATE:-}" ]; then
	cmp -s "$page" "$scratch/page" || { cp "$scratch/page" "$page" && echo "recorded $page"; }
elif ! diff -u "$page" "$scratch/page"; then
	echo "FAILED $page lists other keys than tprof-tui --keys; make golden-tui records them"
	exit 1
fi

# Views are those of TUI_VIEWS in keys.h, in the manual and in completions.
views=$(sed -nE 's/^\tX\(([a-z]+), [A-Z]+\).*/\1/p' cmd/tprof-tui/keys.h | tr '\n' ' ')
views=${views% }
status=0
# Nothing would be found everywhere.
[ -n "$views" ] || { echo 'FAILED cmd/tprof-tui/keys.h has no views, or not as they are looked for here'; exit 1; }
for file in completions/tprof-tui.bash completions/_tprof-tui completions/tprof-tui.fish; do
	grep -qF -- "$views" "$file" || { echo "FAILED $file has other views than $views"; status=1; }
done
for view in $views; do
	grep -q "^\.It Ic $view\$" "$page" || { echo "FAILED $page does not describe the view $view"; status=1; }
done
exit $status
