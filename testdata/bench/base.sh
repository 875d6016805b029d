#!/bin/sh
# make bench BASE=COMMIT: what a change costs. Builds COMMIT in build/base, runs the hot commands of
# both in turn, and counts their instructions (valgrind).
#
#   testdata/bench/base.sh COMMIT BIN_FOLDER [NAME …]     all rows, or those whose name begins with NAME
#
# A row passes where instructions are at most 1.02 of the commit's, and the 95 % interval of the ratio
# of times includes 1.02 or lies below it. It exits with 1 where one does not; a noisy machine makes
# intervals wide, and never a row fail for that. RUNS (21) pairs; inputs as in run.sh.
set -eu
base=$1
bin=$(cd "$2" && pwd)
shift 2
only=$*
dir=${BENCH_DIR:-build/bench}
runs=${RUNS:-21}
top=$(pwd)
commit=$(git rev-parse --verify "$base^{commit}")
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

old=build/base/$commit
if [ ! -x "$old/build/out/bin/tprof" ]; then
	echo "building $base in $old" >&2
	rm -rf "$old"
	git clone -q . "$old"
	git -C "$old" checkout -q "$commit"
	make -C "$old" all >"$dir/base.log" 2>&1 || { echo "$base does not build; see $dir/base.log" >&2; exit 1; }
fi
old=$(cd "$old" && pwd)/build/out/bin

trace=$dir/web-1.27.trace
[ -s "$trace" ] || trace=$top/testdata/checkout.trace
for side in old new; do
	[ $side = old ] && tools=$old || tools=$bin
	XDG_CACHE_HOME=$dir/$side "$tools/tprof-import" -o "$dir/$side.part" "$trace" >/dev/null
	mv -f "$dir/$side.part" "$dir/$side.tprof"
done

[ -s "$dir/new.cpu" ] || { "$bin/makeprofile" "$dir/old.cpu" && "$bin/makeprofile" -s 2 -c 10 "$dir/new.cpu"; }
mkdir -p "$dir/catalogs"
for i in $(seq 100); do [ -s "$dir/catalogs/$i.heap" ] || cp testdata/catalog.heap "$dir/catalogs/$i.heap"; done

instructions() { # command line
	sh -c "valgrind --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null $1" 2>&1 >/dev/null |
		awk '/Collected :/ { n += $4 } END { print n }'
}

# row NAME COMMAND: in COMMAND, BIN stands for the folder of the commands, STORE for the store that
# they made, and SIDE for old or new.
slower=
row() {
	case " $only" in ' ') ;; *)
		for w in $only -; do case $1 in "$w"*) break ;; esac; done
		[ "$w" != - ] || return 0
		;;
	esac
	a=$(echo "$2" | sed "s,BIN,$bin,g; s,STORE,$dir/new.tprof,g; s,SIDE,new,g")
	b=$(echo "$2" | sed "s,BIN,$old,g; s,STORE,$dir/old.tprof,g; s,SIDE,old,g")
	times=$("$bin/bench" -n "$runs" "$a" "$b")
	counts="$(instructions "$a") $(instructions "$b")"
	echo "$times $counts" | awk -v name="$1" '{
		ratio = $8 / $9
		verdict = ratio > 1.02 || $6 > 1.02 ? "slower" : "passed"
		printf "| %s | %.3f s | %.3f s | %.3f (%.3f to %.3f) | %.3f | %s |\n", name, $3, $1, $5, $6, $7, ratio, verdict
		exit verdict == "slower"
	}' || slower="$slower${slower:+, }$1"
}

echo "$(nproc) processors, $(uname -sr); $runs pairs; $(basename "$trace"), $(stat -c %s "$trace") bytes; $commit and this tree"
echo
echo '| what | before | after | ratio of times, 95 % interval | of instructions | |'
echo '|---|---|---|---|---|---|'
row import "env XDG_CACHE_HOME=$dir/SIDE BIN/tprof-import -o $dir/SIDE.new.tprof $trace >/dev/null; rm -f $dir/SIDE.new.tprof"
for report in goroutines block groups procs gc tasks; do
	row "top $report" "BIN/tprof-top STORE $report >/dev/null"
done
row 'top profile' "BIN/tprof-top $top/testdata/prices/new.cpu >/dev/null"
row 'top profile, 100,000 stacks' "BIN/tprof-top $dir/old.cpu >/dev/null"
row 'top profile, 100 heap profiles' "BIN/tprof-top $dir/catalogs/* >/dev/null"
row 'diff, 100,000 stacks' "BIN/tprof-diff $dir/old.cpu $dir/new.cpu >/dev/null"
row 'SQL, events by type' "BIN/tprof-query STORE 'select type, count(*) from event group by type' >/dev/null"
row 'SQL, spans by state' "BIN/tprof-query STORE 'select state, count(*), sum(dur_ns) from span group by state' >/dev/null"
row diff "BIN/tprof-diff $top/testdata/prices/old.cpu $top/testdata/prices/new.cpu >/dev/null"
row 'diff of traces' "BIN/tprof-diff $trace $top/testdata/errands.trace >/dev/null"
row path "BIN/tprof-path STORE >/dev/null"
row flame "BIN/tprof-flame -o /dev/null STORE >/dev/null"
row report "BIN/tprof-report -o /dev/null STORE >/dev/null"
row 'pictures of timelines' "BIN/lanes STORE 70 250 >/dev/null"
echo
echo "slower than $base: ${slower:-nothing}"
[ -z "$slower" ]
