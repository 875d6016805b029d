#!/bin/sh
# tprof-diff --exact-names against pprof's own -diff_base and -base: the same rows, flat and cum to
# the unit, and the same total that percentages are of, with -normalize and -drop_negative as well.
#
#   sh testdata/check/pprof-diff.sh BIN_FOLDER GOPPROF [CORPUS]
#
# GOPPROF is Go's pprof (go tool pprof, built as one program). Pairs are profiles of one kind made by
# two programs or releases: of CORPUS/profiles where that is there, and of testdata.
set -u
cd "$(dirname "$0")/../.." || exit 4
bin=$1 pprof=$2 corpus=${3:-../shared/corpus}
passed=0 failed=0
scratch=$(mktemp -d) || exit 4
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C PPROF_TMPDIR="$scratch" HOME="$scratch"

# Both as lines "flat cum name", sorted, and "total N" first.
theirs() { # options…
	"$pprof" -top -nodecount=1000000 -nodefraction=0 -edgefraction=0 "$@" 2>"$scratch/stderr" | awk '
		function number(text) { sub(/[a-zA-Z]+$/, "", text); return text }
		/^Showing nodes accounting for/ { total = number($(NF - 1)) }
		/^ *flat  flat%/ { rows = 1; print "total", total; next }
		rows {
			flat = number($1); cum = number($4)
			name = $0
			sub(/^ *[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+  /, "", name)
			sub(/ \((partial-)?inline\)$/, "", name)
			print flat, cum, name
		}' | sort
}
ours() { # options…
	"$bin/tprof-diff" --exact-names --format=tsv --rows=0 "$@" 2>"$scratch/stderr" | awk -F '\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["status"] == "total" { next }
		{
			flat = $at["flat_delta"]; cum = $at["cum_delta"]
			# What 100 % is, from the greatest share there is.
			share = $at["cum_share"]
			if (share * share > most * most) { most = share; total = cum / share }
			if (flat != 0 || cum != 0) print flat, cum, $NF
		}
		END { printf "total %.0f\n", total }' | sort
}
compare() { # what, old, new, unit, type, pprof base option, our share, more options of both…
	what=$1 old=$2 new=$3 unit=$4 type=$5 base=$6 share=$7
	shift 7
	pp=
	for o in "$@"; do
		case $o in
		--normalize) pp="$pp -normalize" ;;
		--drop-negative) pp="$pp -drop_negative" ;;
		esac
	done
	# shellcheck disable=SC2086
	theirs $pp -sample_index="$type" -unit="$unit" $base="$old" "$new" >"$scratch/theirs"
	ours "$@" --sample-index="$type" --share-of="$share" "$old" "$new" >"$scratch/ours"
	# Where nothing changed there is nothing to tell the total from.
	[ "$(wc -l <"$scratch/ours")" -gt 1 ] || sed -i '/^total /d' "$scratch/ours" "$scratch/theirs"
	if cmp -s "$scratch/theirs" "$scratch/ours"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $what $type $base $* (< pprof, > tprof-diff)"
		diff "$scratch/theirs" "$scratch/ours" | head -n 8
	fi
}
pair() { # old, new, "type:unit …"
	[ -e "$1" ] && [ -e "$2" ] || return 0
	for t in $3; do
		for more in '' --normalize --drop-negative '--normalize --drop-negative'; do
			# shellcheck disable=SC2086
			compare "$(basename "$1")" "$1" "$2" "${t#*:}" "${t%:*}" -diff_base old $more
			# shellcheck disable=SC2086
			compare "$(basename "$1")" "$1" "$2" "${t#*:}" "${t%:*}" -base change $more
		done
	done
}

p=$corpus/profiles
heap='alloc_objects:count alloc_space:bytes inuse_objects:count inuse_space:bytes'
delay='contentions:count delay:nanoseconds'
# Of text dumps pprof does not know the names, which are in comments; so no .d1.
pair "$p/go1.19.heap.d0" "$p/go1.27.heap.d0" "$heap"
pair "$p/go1.27.heap.d0" "$p/go1.27.allocs.d0" "$heap"
pair "$p/go1.19.block.d0" "$p/go1.27.block.d0" "$delay"
pair "$p/go1.27.block.d0" "$p/go1.27.mutex.d0" "$delay"
pair "$p/go1.19.goroutine.d0" "$p/go1.27.goroutine.d0" goroutine:count
pair "$p/go1.27.goroutine.d0" "$p/labels-1.27.goroutine.d0" goroutine:count
pair "$p/go1.19.threadcreate.d0" "$p/go1.27.threadcreate.d0" threadcreate:count
pair "$p/go1.19.cpu.pb.gz" "$p/go1.27.cpu.pb.gz" 'samples:count cpu:nanoseconds'
pair "$p/go1.27.cpu.pb.gz" "$p/labels-1.27.cpu.pb.gz" 'samples:count cpu:nanoseconds'
pair "$p/labels-1.27.cpu.pb.gz" "$p/pproftest-large.cpu" 'samples:count cpu:nanoseconds'
for n in 1 2 3 4 5 6; do
	pair "testdata/prices/old-$n.heap" "testdata/prices/new-$n.heap" "$heap"
done
pair testdata/prices/old.cpu testdata/prices/new.cpu 'samples:count cpu:nanoseconds'
echo "tprof-diff against pprof: $passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
