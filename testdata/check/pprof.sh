#!/bin/sh
# tprof-top on profiles against Go's pprof, row by row, over a matrix of options.
#
#   testdata/check/pprof.sh BIN_FOLDER [PROFILE …]
#
# pprof is ${PEERS:-~/.cache/tprof-peers}/bin/gopprof; profiles are those of testdata and of
# ${CORPUS:-../shared/corpus}/profiles unless named. Ends with 77 where pprof is missing. OPTIONS
# overrides the matrix (one set of options per line). Text dumps whose names pprof passes over are
# left out.
#
# pprof takes receivers of generic methods, "(*T)", and parameters in type arguments of Go for
# parameters of C++ and drops them, which makes several functions one (go 1.27). Right are the names
# of the dump: pprof shows those of testdata/generic by -symbolize=none.
set -u
cd "$(dirname "$0")/../.." || exit 4
top=$1/tprof-top
shift
pprof=${PEERS:-$HOME/.cache/tprof-peers}/bin/gopprof
corpus=${CORPUS:-../shared/corpus}/profiles
[ -x "$pprof" ] || { echo "pprof: no peer, nothing compared"; exit 77; }
[ $# -gt 0 ] || set -- testdata/*.cpu testdata/*.heap testdata/*.block testdata/*.mutex testdata/generic/*.heap \
	testdata/corpus/profiles/*.pb "$corpus"/*.d0 "$corpus"/*.pb.gz "$corpus"/pproftest-*
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export TZ=UTC XDG_CACHE_HOME="$scratch"
unset COLUMNS

matrix=${OPTIONS:-'-trim=false
-trim=false -sample_index=0
-trim=false -sample_index=1
-cum
-nodecount=10
-nodefraction=0.05
-lines
-lines -trim=false -showcolumns
-files -trim=false
-filefunctions
-addresses -trim=false
-addresses -noinlines
-noinlines -trim=false
-mean
-mean -lines -trim=false
-unit=auto -trim=false
-unit=us
-unit=kb
-divide_by=3 -trim=false
-focus=runtime
-focus=main.*work|http -relative_percentages
-ignore=runtime|Malloc -cum
-hide=^runtime\. -trim=false
-show=main|net -trim=false
-show=\.go$ -lines
-hide=sys -show=http|runtime -noinlines
-show_from=main\.|http -trim=false
-show_from=(?i)MAIN -lines -trim=false
-prune_from=runtime\.|http\.\(\*conn\) -trim=false
-focus=a -ignore=b -hide=c -show_from=r -trim=false
-tagfocus=bytes
-tagfocus=16b:1mb
-tagfocus=:4kb -cum
-tagignore=32kb:
-tagfocus=tier=gold|silver
-tagfocus=[a-z]+:[a-z]
-tagignore=gold
-tagroot=tier,bytes -trim=false
-tagleaf=bytes,tier -trim=false -cum
-tagroot=bytes -tagleaf=tier -focus=.. -trim=false
-all_frames -trim=false
-drop_negative -trim=false
-compact_labels -edgefraction=0.2

'}

# Both as words; pprof's heading for the columns is another.
words() { awk '!NF { next } { $1 = $1 } /^flat flat% sum% cum cum%$/ || /^FLAT FLAT% SUM% CUM CUM% NAME$/ { next } { print }'; }
# pprof leaves the order of rows that look the same to chance: then without the running sum, sorted.
loose() { awk '/^(-?[0-9]|-?\.)[^ ]* +[0-9.e-]+% / { $3 = "" } { print }' "$1" | sort; }

same=0 differ=0 none=0
for f in "$@"; do
	case $f in *.txt | *.sha256) continue ;; esac
	[ -r "$f" ] || continue
	case $f in testdata/generic/*) names=-symbolize=none ;; *) names= ;; esac
	printf '%s' "$matrix" >"$scratch/matrix"
	while read -r options; do
		# shellcheck disable=SC2086
		"$pprof" -top $names $options "$f" >"$scratch/theirs" 2>"$scratch/their-errors" || {
			none=$((none + 1)) # pprof refuses some: labels as frames where ids are the largest
			continue
		}
		# shellcheck disable=SC2086
		"$top" -top $options "$f" 2>"$scratch/our-errors" | sed 1d >"$scratch/ours"
		[ -s "$scratch/ours" ] || echo "no report" >"$scratch/ours"
		words <"$scratch/theirs" >"$scratch/a"
		words <"$scratch/ours" >"$scratch/b"
		if cmp -s "$scratch/a" "$scratch/b"; then
			same=$((same + 1))
			continue
		fi
		loose "$scratch/a" >"$scratch/la"
		loose "$scratch/b" >"$scratch/lb"
		if cmp -s "$scratch/la" "$scratch/lb"; then
			same=$((same + 1))
		else
			differ=$((differ + 1))
			echo "DIFFERS: $f $options"
			diff "$scratch/a" "$scratch/b" | head -n "${LINES_SHOWN:-6}"
			head -n 2 "$scratch/our-errors"
		fi
	done <"$scratch/matrix"
done
echo "pprof: $same reports equal, $differ differ, $none that pprof refuses"
echo "tops equal to pprof's: $same passed, $differ failed"
[ $differ -eq 0 ] && [ $same -gt 0 ]
