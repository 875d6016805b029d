#!/bin/sh
# Profiles as text: the samples that Go's pprof reads of them against those of tprof-top: values and
# addresses, of all of them. Names are left out: pprof passes over those a text has, and labels. It
# looks for names in the program itself; where it finds them it leaves out the frames of allocators,
# where it does not they stay: ours are to be equal with them or without.
#
#   testdata/check/pprof-texts.sh BIN_FOLDER TEXT …
#
# pprof is ${PEERS:-~/.cache/tprof-peers}/bin/gopprof. Ends with 77 where it is missing.
set -u
top=$1/tprof-top
shift
pprof=${PEERS:-$HOME/.cache/tprof-peers}/bin/gopprof
[ -x "$pprof" ] || { echo "pprof-texts: no peer, nothing compared"; exit 77; }
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export TZ=UTC XDG_CACHE_HOME="$scratch" PPROF_TMPDIR="$scratch"

# pprof -raw, its samples only: addresses in place of the numbers of locations, sorted.
samples() {
	awk '
		/^Samples:/ { part = 1; next }
		/^Locations/ { part = 2; next }
		/^Mappings/ { part = 3 }
		part == 1 && /^ *-?[0-9]+( +-?[0-9]+)*:/ { sample[++n] = $0 }
		part == 1 && !n { type = $0 }
		part == 2 && /^ *[0-9]+: 0x/ { id = $1; sub(":", "", id); address[id] = $2 }
		END {
			print type
			for (i = 1; i <= n; i++) {
				split(sample[i], half, ":")
				gsub(/^ +| +$/, "", half[1])
				gsub(/ +/, " ", half[1])
				line = half[1] " @"
				m = split(half[2], ids, " ")
				for (k = 1; k <= m; k++) line = line " " (ids[k] in address ? address[ids[k]] : "?")
				print line | "sort"
			}
		}'
}

same=0 differ=0 total=0
for f in "$@"; do
	"$pprof" -raw "$f" 2>"$scratch/errors" | samples >"$scratch/theirs"
	"$top" -raw "$f" 2>>"$scratch/errors" | samples >"$scratch/ours"
	cmp -s "$scratch/theirs" "$scratch/ours" ||
		"$top" -raw -all_frames "$f" 2>>"$scratch/errors" | samples >"$scratch/ours"
	# The first line is the types.
	if cmp -s "$scratch/theirs" "$scratch/ours" && [ "$(head -n 1 "$scratch/ours")" ]; then
		same=$((same + 1))
		total=$((total + $(wc -l <"$scratch/ours") - 1))
	else
		differ=$((differ + 1))
		echo "DIFFERS: $f"
		diff "$scratch/theirs" "$scratch/ours" | head -n 6
		head -n 2 "$scratch/errors"
	fi
done
echo "pprof-texts: $total samples in $same texts equal, $differ differ"
[ $differ -eq 0 ]
