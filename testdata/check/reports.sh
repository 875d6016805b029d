#!/bin/sh
# The reports of tprof-top beside pprof's, byte by byte: every report, with every option that bends
# it, on every profile of testdata and of a corpus.
#
#   sh testdata/check/reports.sh BIN_FOLDER [CORPUS]
#
# Needs Go's pprof as ${PEERS:-~/.cache/tprof-peers}/bin/gopprof. T=TEXT: only the cases whose line
# holds TEXT; V=N shows N lines of each difference. Where pprof's own output changes from run to run (ties that
# the order of its maps decides) one of its runs must be ours; else the case counts as unsettled.
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$1
corpus=${2:-../shared/corpus}
pprof=${PEERS:-$HOME/.cache/tprof-peers}/bin/gopprof
[ -x "$pprof" ] || { echo "pprof is not here ($pprof): its reports are not compared"; exit 77; }
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/home"
passed=0 failed=0 unsettled=0 meant=0
export TZ=UTC PPROF_TMPDIR="$scratch" XDG_CACHE_HOME="$scratch/home"
# pprof does not look for sources there.
export GOROOT=/nowhere GOPATH=/nowhere GOMODCACHE=/nowhere

# Options that bend a report, for one file of each kind; the others are given `few`.
few='
-sample_index=0
'
every='
-sample_index=0
-cum
-lines
-files
-filefunctions
-addresses
-noinlines
-nodecount=5
-nodefraction=0.05
-edgefraction=0.05
-trim=false
-unit=auto
-divide_by=3
-mean
-focus=runtime
-ignore=runtime
-hide=^runtime
-show=main|net
-show_from=main
-prune_from=main
-focus=runtime;-relative_percentages
-compact_labels
-lines;-nodecount=12
-addresses;-noinlines
-trim_path=/usr/lib
-drop_negative
'
labels='
-tagfocus=tier:gold
-tagignore=gold
-tagshow=tier
-taghide=tier
-tagroot=tier
-tagleaf=worker,tier
-tagfocus=worker=4
'

# What is meant to differ, and is compared after pprof's text has been made like ours:
# - raw: pprof numbers locations by the ids of the dump, and lists those that no sample uses, too; we
#   number those that are used, by order of appearance, which is the same for what Go writes. The
#   store does not keep the ids.
# - dot: pprof puts quotation marks of labels into its quoted texts as they are, and dot refuses
#   them; ours have backslashes.
# Of means, pprof draws edges to nodes it left out: not compared.
differs() { # arguments
	case $1 in
	-dot*-mean | -callgrind*-mean) return 0 ;;
	esac
	return 1
}

alike() { # arguments; leaves the two texts in like_theirs and like_ours
	case $1 in
	-raw*)
		awk -f testdata/check/rawids.awk "$scratch/theirs" >"$scratch/like_theirs"
		cp "$scratch/ours" "$scratch/like_ours"
		;;
	-dot*)
		sed 's/\\"/"/g' "$scratch/theirs" >"$scratch/like_theirs"
		sed 's/\\"/"/g' "$scratch/ours" >"$scratch/like_ours"
		;;
	*) return 1 ;;
	esac
	cmp -s "$scratch/like_ours" "$scratch/like_theirs"
}

run_pprof() { HOME="$scratch/home" "$pprof" "$@" 2>/dev/null; }

compare() { # arguments, separated by ';'; the file
	case "$1 $2" in *"${T:-}"*) ;; *) return ;; esac
	differs "$1" && return
	old=$IFS
	IFS=';'
	set -f
	# shellcheck disable=SC2086
	set -- "$2" $1
	IFS=$old
	set +f
	file=$1
	shift
	"$bin/tprof-top" "$@" "$file" >"$scratch/ours" 2>"$scratch/errors"
	status=$?
	if [ $status -gt 4 ]; then
		echo "FAILED tprof-top $* $file: status $status"
		failed=$((failed + 1))
		return
	fi
	varied=
	for try in 1 2 3 4 5 6 7 8 9; do
		run_pprof "$@" "$file" >"$scratch/theirs"
		if cmp -s "$scratch/ours" "$scratch/theirs"; then
			passed=$((passed + 1))
			return
		fi
		if alike "$1"; then
			meant=$((meant + 1))
			return
		fi
		[ $try -gt 1 ] || cp "$scratch/theirs" "$scratch/first"
		cmp -s "$scratch/first" "$scratch/theirs" || varied=1
	done
	if [ -n "$varied" ]; then
		unsettled=$((unsettled + 1))
		[ -z "${V:-}" ] || echo "unsettled: $* $file"
		return
	fi
	failed=$((failed + 1))
	echo "FAILED tprof-top $* $file"
	[ -n "${V:-}" ] || return
	diff "$scratch/theirs" "$scratch/ours" | head -n "$V"
	head -n 3 "$scratch/errors"
}

files=$(ls testdata/*.cpu testdata/*.heap testdata/*.mutex testdata/*.block 2>/dev/null
	ls "$corpus"/profiles/* 2>/dev/null | grep -vE '\.txt$|\.sha256$|\.d[12]$')
for file in $files; do
	case $file in
	*catalog.cpu | *catalog.heap | *go1.27.block.d0 | *go1.27.allocs.d0 | *cppbench.cpu | *cppbench.contention)
		options=$every ;;
	*) options=$few ;;
	esac
	case $file in *labels* | *catalog.cpu) options="$options $labels" ;; esac
	compare -comments "$file"
	for report in -tree -traces -tags -raw -dot -callgrind -peek=runtime -peek=main -list=main; do
		compare "$report" "$file"
		for option in $options; do
			compare "$report;$option" "$file"
		done
	done
done
echo "equal but for what is meant to differ (ids in raw, quotation marks in dot): $meant"
echo "unsettled, as pprof differs from itself: $unsettled"
echo "reports equal to pprof's: $passed passed, $failed failed"
[ $failed -eq 0 ]
