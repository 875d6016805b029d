#!/bin/sh
# make bench: what tprof takes, beside its peers where they are there, in one run on one machine.
#
#   testdata/bench/run.sh BIN_FOLDER [NAME …]     all rows, or those whose name begins with NAME
#
# Peers are looked for in ${PEERS:-~/.cache/tprof-peers}/bin: `gopprof` (Go's pprof), `oracle` (Go's own trace reader:
# `oracle read FILE` reads and orders every event and stores nothing), `gotrace` (go tool trace) and
# the sample programs web-1.27, web-1.19 that make the inputs. Without them the rows are ours alone,
# over the traces that are in ${BENCH_DIR:-build/bench} (web-1.27.trace, web-1.19.trace: any trace of
# that kind). Numbers are medians of RUNS (5) runs; ratios are medians of pairs run in turn. What the
# recorder costs is a table of its own: recorder.sh, or NAME `recorder`, with words that its rows begin with.
set -eu
bin=$1
shift
only=$*
peers=${PEERS:-$HOME/.cache/tprof-peers}/bin
dir=${BENCH_DIR:-build/bench}
runs=${RUNS:-5}
mkdir -p "$dir"
export XDG_CACHE_HOME="$dir/cache"
rm -rf "$dir/cache"

say() { printf '%s\n' "$*"; }
have() { [ -x "$peers/$1" ]; }
wanted() { # row name
	[ -z "$only" ] && return 0
	for w in $only; do case $1 in "$w"*) return 0 ;; esac; done
	return 1
}
# The recorder's rows are a table of their own.
# What its CPU profile says beside perf's, and its heap profile beside heaptrack's, are others: cpu.sh and heap.sh, or NAME
# `cpu` and `heap`.
case " $only " in *' heap '*)
	# shellcheck disable=SC2086
	exec sh testdata/bench/heap.sh "${bin%/bin}" $only
	;;
*' cpu '*)
	# shellcheck disable=SC2086
	exec sh testdata/bench/cpu.sh "${bin%/bin}" $only
	;;
*' recorder '*)
	# shellcheck disable=SC2086
	exec sh testdata/bench/recorder.sh "${bin%/bin}" $only
	;;
esac

# record NAME PROGRAM ARGS…: the input trace, recorded once
record() {
	[ -s "$dir/$1" ] && return 0
	have "$2" || return 1
	program=$2
	name=$1
	shift 2
	say "recording $name with $program $*" >&2
	"$peers/$program" -o "$dir/$name.part" "$@" >/dev/null 2>&1 && mv "$dir/$name.part" "$dir/$name"
}

# row NAME FLOOR AIM OPTIONS COMMAND [PEER]: a ratio where there is a peer, seconds where not
row() {
	wanted "$1" || return 0
	if [ $# -gt 5 ] && [ -n "$6" ]; then
		# shellcheck disable=SC2086
		"$bin/bench" -n "$runs" $4 "$5" "$6"
	else
		# shellcheck disable=SC2086
		"$bin/bench" -n "$runs" $4 "$5"
	fi | awk -v name="$1" -v floor="$2" -v aim="$3" '
		NF >= 5 { printf "| %s | %.3f s, %d MiB | %.3f s, %d MiB | %.3f | %s | %s |\n", name, $1, $2, $3, $4, $5, floor, aim; next }
		{ printf "| %s | %.3f s, %d MiB | | | %s | %s |\n", name, $1, $2, floor, aim }'
}

# fact NAME VALUE FLOOR AIM
fact() { wanted "$1" && printf '| %s | %s | | | %s | %s |\n' "$1" "$2" "$3" "$4" || :; }

head_line() {
	cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
	say "$(nproc) processors (${cpu:-unknown}), $(uname -sr); medians of $runs runs, warm page cache."
	say
	say '| what | tprof | peer | ratio | at least | aim |'
	say '|---|---|---|---|---|---|'
}

import() { say "rm -f $dir/$1.tprof; exec $bin/tprof-import ${2:-} -o $dir/$1.tprof $dir/$1"; }
oracle() { have oracle && say "exec $peers/oracle read $1" || :; }

v2=web-1.27.trace
v1=web-1.19.trace
long=web-1.27-8x.trace
head_line
if record $v2 web-1.27 -n 10000 -pp 40000; then
	row 'import v2' 0.28 0.17 '' "$(import $v2)" "$(oracle "$dir/$v2")"
	row 'import v2, one core' 0.45 0.26 -1 "$(import $v2)" "$(oracle "$dir/$v2")"
	row 'import v2, --compress=high' '' '' '' "$(import $v2 --compress=high)" "$(oracle "$dir/$v2")"
	high=$(stat -c %s "$dir/$v2.tprof" 2>/dev/null || echo 0)
	if wanted 'import v2 against go tool trace' && have gotrace; then
		runs=1 row 'import v2 against go tool trace until ready' 0.0100 0.0055 "-u browser" \
			"$(import $v2)" "exec $peers/gotrace -http=127.0.0.1:0 $dir/$v2"
	fi
	[ -s "$dir/$v2.gz" ] || gzip -1 -k "$dir/$v2"
	row 'import v2 from .gz' '300 MiB' '160 MiB' '' "rm -f $dir/gz.tprof; exec $bin/tprof-import -o $dir/gz.tprof $dir/$v2.gz"
	row 'import v2 from stdin' '300 MiB' '160 MiB' '' "rm -f $dir/in.tprof; exec $bin/tprof-import -o $dir/in.tprof - <$dir/$v2"
	sh -c "$(import $v2)" >/dev/null
	s=$dir/$v2.tprof
	events=$("$bin/tprof-query" --format=tsv "$s" 'select events from run' | tail -n 1)
	fact 'store, bytes per event' "$(awk "BEGIN{printf \"%.2f\", $(stat -c %s "$s")/$events}")" 3 ''
	[ "$high" -gt 0 ] && fact 'store, bytes per event, --compress=high' "$(awk "BEGIN{printf \"%.2f\", $high/$events}")" '' 2
	for r in $("$bin/tprof-top" --help=all | sed -nE '/^Reports/,$s/^  ([a-z]+)  .*/\1/p'); do
		# Single tasks and regions, and what makes them slow, are read from events; utilisation
		# is made of all that the collector did.
		case $r in
		task | region | outliers | story | logs | mmu | heap | incident) row "top $r" '0.500 s' '0.100 s' '' "exec $bin/tprof-top $s $r" ;;
		*) row "top $r" '0.080 s' '0.020 s' '' "exec $bin/tprof-top $s $r" ;;
		esac
	done
	row 'top incident, short' '0.500 s' '0.100 s' '' "exec $bin/tprof-top $s incident --last=10ms"
	row 'top tasks, one' '0.500 s' '0.100 s' '' "exec $bin/tprof-top $s tasks --task=70000"
	row 'top tasks, by latency' '0.500 s' '0.100 s' '' "exec $bin/tprof-top $s tasks --task=request --min=10ms"
	row 'top regions, slowest' '0.500 s' '0.100 s' '' "exec $bin/tprof-top $s regions --slowest=1%"
	row 'top breakdown, each' '0.500 s' '0.100 s' '' "exec $bin/tprof-top $s breakdown --each"
	row 'top groups, in a task' '0.500 s' '0.100 s' '' "exec $bin/tprof-top $s groups --task=request"
	row 'top groups, of a request' '0.500 s' '0.100 s' '' "exec $bin/tprof-top $s groups --request=5000 --request-key=counter"
	row 'top groups, time range' '0.500 s' '0.150 s' '' "exec $bin/tprof-top $s groups --from=30% --to=60%"
	row 'top block, time range' '0.500 s' '0.150 s' '' "exec $bin/tprof-top $s block --from=30% --to=60%"
	row 'top groups, frame filter' '0.500 s' '0.150 s' '' "exec $bin/tprof-top $s groups --focus=net/http"
	row 'top block, frame filter' '0.500 s' '0.150 s' '' "exec $bin/tprof-top $s block --focus=net/http"
	row 'top groups, range and filter' '0.500 s' '0.150 s' '' "exec $bin/tprof-top $s groups --from=30% --to=60% --focus=net/http"
	row 'metrics over two runs' '0.500 s' '0.100 s' '' "exec $bin/tprof-top --over=run $s $s"
	row 'path of the run' '2.000 s' '0.500 s' '' "exec $bin/tprof-path $s"
	row 'path of a task' '0.500 s' '0.100 s' '' "exec $bin/tprof-path $s --task=request --slowest"
	row 'path of a region' '0.500 s' '0.100 s' '' "exec $bin/tprof-path $s --region=decode --slowest"
	row 'path of a goroutine' '0.500 s' '0.100 s' '' "exec $bin/tprof-path $s --goroutine=serve --slowest"
	row 'path of every task' '2.000 s' '0.700 s' '' "exec $bin/tprof-path $s --task=request"
	row 'path, blame of every task' '0.500 s' '' '' "exec $bin/tprof-path $s --task=request blame"
	row 'path, what if in a task' '0.500 s' '' '' "exec $bin/tprof-path $s --task=request --slowest '--what-if=main -50%'"
	row 'path, who wakes whom' '2.000 s' '0.700 s' '' "exec $bin/tprof-path $s wakers"
	row 'report page' '2.000 s' '0.500 s' '' "exec $bin/tprof-report $s"
	# 20,000 goroutines, each of which waits for a lock that another has.
	awk 'BEGIN { for (i = 1; i <= 20000; i++) printf "goroutine %d [sync.Mutex.Lock, 2 minutes]:\nsync.(*Mutex).lockSlow(0xc%08x)\n\tsync/mutex.go:149 +0x15a\nmain.move(0xc%08x, 0xc%08x)\n\tmain.go:33 +0xb7\ncreated by main.main in goroutine 1\n\tmain.go:44 +0x145\n\n", i, i * 64 + 16, (i + 1) % 20000 * 64, i * 64 }' >"$dir/stuck.d2"
	row 'deadlock' '0.500 s' '0.100 s' '' "exec $bin/tprof-top --deadlock $dir/stuck.d2"
	row 'leaks' '0.500 s' '0.100 s' '' "exec $bin/tprof-leaks $s"
	for k in net sync syscall sched; do
		peer=
		[ $k != sched ] || ! have gotrace || peer="exec $peers/gotrace -pprof=$k $dir/$v2"
		runs=$([ -z "$peer" ] && echo "$runs" || echo 1) row "export --pprof=$k" '2.000 s' '0.500 s' '' "exec $bin/tprof-export --pprof=$k $s" "$peer"
	done
	row 'export --pprof=sync, time range' '0.500 s' '0.100 s' '' "exec $bin/tprof-export --pprof=sync --from=50% --to=60% $s"
	row 'export pprof, view sched' '0.500 s' '0.100 s' '' "exec $bin/tprof-export --format=pprof --view=sched $s"
	row 'export folded, view wall' '0.500 s' '0.100 s' '' "exec $bin/tprof-export --format=folded --view=wall $s"
	row 'export trace, whole' '2.000 s' '1.500 s' '' "exec $bin/tprof-export --format=trace $s"
	row 'export trace, time range' '2.000 s' '0.500 s' '' "exec $bin/tprof-export --format=trace --from=90% --to=95% $s"
	row 'export trace, anonymised' '2.000 s' '1.500 s' '' "exec $bin/tprof-export --format=trace --anonymise $s"
	row 'export perfetto, time range' '2.000 s' '0.500 s' '' "exec $bin/tprof-export --format=perfetto --from=50% --to=51% $s"
	row 'export speedscope, view wall' '0.500 s' '0.100 s' '' "exec $bin/tprof-export --format=speedscope --view=wall $s"
	for r in groups block sched syscalls gc; do
		row "top $r, as pprof" '0.500 s' '0.100 s' '' "exec $bin/tprof-top --format=pprof $s $r"
	done
	row 'export footprint' '2.000 s' '0.500 s' '' "exec $bin/tprof-export --format=footprint $dir/$v2"
	row 'export csv, tasks' '2.000 s' '0.500 s' '' "exec $bin/tprof-export --format=csv --table=task $s"
	row 'export csv, all events' '' '' '' "exec $bin/tprof-export --format=csv --table=event $s"
	row 'export raw, all events' '' '' '' "exec $bin/tprof-export --format=raw $dir/$v2"
	row 'export parsed, all events' '' '' '' "exec $bin/tprof-export --format=parsed $s"
	# Pictures of a timeline, 70 rows by 250 columns, at every zoom: how long the slowest takes when
	# what is in it has been read, from sums alone, and exactly for the first time (the whole run).
	if wanted timeline; then
		"$bin/lanes" "$s" 70 250 >"$dir/lanes.out"
		for k in groups unfolded goroutines procs threads tasks; do
			# shellcheck disable=SC2046
			set -- $(awk -v k=$k '$1 == k && $4 != "begin" { if (!n++) { first = $6; whole = $7 }
				if ($5 > coarse) coarse = $5
				if (n > 1 && $7 > moved) moved = $7 }
				END { printf "%.4f %.4f %.4f %.4f\n", whole / 1e3, moved / 1e3, coarse / 1e3, first / 1e3 }' "$dir/lanes.out")
			fact "timeline, $k, whole run, moved" "$1 s" '0.050 s' '0.016 s'
			fact "timeline, $k, any other zoom" "$2 s" '0.050 s' '0.016 s'
			fact "timeline, $k, first time, from sums" "$3 s" '0.500 s' '0.050 s'
			fact "timeline, $k, first time, exact" "$4 s" '2.000 s' '0.500 s'
		done
	fi
	if { [ -z "$only" ] || case " $only" in *' tui'*) ;; *) false ;; esac; } && command -v python3 >/dev/null; then
		# Every key is drawn at once, with what is known; final is what took the worker.
		PYTHONDONTWRITEBYTECODE=1 python3 testdata/tui/latency.py --rounds "$runs" "$bin/tprof-tui" "$s" >"$dir/latency"
		tab=$(printf '\t')
		while IFS=$tab read -r name n drawn drawn_most full final final_most; do
			case $name in start*) floor='150 ms' aim='50 ms' ;; *) floor='50 ms' aim='16 ms' ;; esac
			fact "tui, $name ($n times)" \
				"drawn in $drawn ms, at most $drawn_most ms; full in $full ms; final in $final ms, at most $final_most ms" \
				"$floor" "$aim"
		done <"$dir/latency"
	fi
	for q in 'select count(*), max(ts_ns) from event' 'select type, count(*) from event group by type' \
		'select state, count(*), sum(dur_ns) from span group by state'; do
		wanted "SQL: $q" || continue
		t=$("$bin/bench" -n "$runs" "exec $bin/tprof-query $s '$q'" | awk '{print $1}')
		rows=$events
		case $q in
		*span*)
			rows=$("$bin/tprof-query" --format=tsv "$s" 'select count(*) from span' | tail -n 1)
			floor=6 aim=
			;;
		*group*) floor=2.2 aim=25 ;;
		*) floor=10 aim=25 ;;
		esac
		fact "SQL: $q" "$t s, $(awk "BEGIN{printf \"%.1f\", $rows/$t/1e6}") M rows/s" "$floor M" "${aim:+$aim M}"
	done
fi
if record $v1 web-1.19 -n 10000 -pp 40000; then
	row 'import v1' 0.20 0.10 '' "$(import $v1)" "$(oracle "$dir/$v1")"
fi
if { wanted 'import v2, eight' || wanted long; } && record $long web-1.27 -n 80000 -pp 320000; then
	row 'import v2, eight times the events' '' '' '' "$(import $long)" "$(oracle "$dir/$long")"
	row 'import v2, eight times against once' 8.5 '' '' "$(import $long)" "$(import $v2)"
	# What a long run takes: 256 MiB are the aim of every row.
	s=$dir/$long.tprof
	[ -s "$s" ] || sh -c "$(import $long)" >/dev/null
	for r in overview mmu outliers block groups sched goroutines tasks logs gc; do
		case $r in overview | mmu) aim='0.400 s' ;; *) aim= ;; esac
		row "long run, top $r" '' "$aim" '' "exec $bin/tprof-top $s $r"
	done
	row 'long run, top mmu --include=all' '' '' '' "exec $bin/tprof-top $s mmu --include=all"
	row 'long run, path' '' '3.000 s' '' "exec $bin/tprof-path $s"
	row 'long run, report page' '' '3.000 s' '' "exec $bin/tprof-report $s"
	row 'long run, leaks' '' '' '' "exec $bin/tprof-leaks $s"
	row 'long run, diff with itself' '' '' '' "exec $bin/tprof-diff $s $s"
	row 'long run, series' '' '' '' "exec $bin/tprof-top --over=run $s $s"
	row 'long run, export --pprof=sync' '' '' '' "exec $bin/tprof-export --pprof=sync $s"
	row 'long run, export trace, time range' '' '' '' "exec $bin/tprof-export --format=trace --from=90% --to=95% $s"
	row 'long run, export perfetto, time range' '' '' '' "exec $bin/tprof-export --format=perfetto --from=50% --to=51% $s"
fi

gopprof() { have gopprof && say "exec $peers/gopprof $*" || :; }
if wanted 'diff of two profiles with 100,000 stacks'; then
	[ -s "$dir/new.cpu" ] || { "$bin/makeprofile" "$dir/old.cpu" && "$bin/makeprofile" -s 2 -c 10 "$dir/new.cpu"; }
	row 'diff of two profiles with 100,000 stacks' '0.100 s' '0.040 s' '' \
		"exec $bin/tprof-diff $dir/old.cpu $dir/new.cpu"
	row 'diff of two profiles with 100,000 stacks, in turn with pprof' '' '' '' \
		"exec $bin/tprof-diff $dir/old.cpu $dir/new.cpu" \
		"$(gopprof -top -diff_base="$dir/old.cpu" "$dir/new.cpu")"
fi
if wanted 'diff of two traces' && [ -s "$dir/$v2" ]; then
	for s in old new; do
		rm -f "$dir/$s.tprof"
		"$bin/tprof-import" -o "$dir/$s.tprof" "$dir/$v2" >/dev/null 2>&1
	done
	row 'diff of two traces' '0.500 s' '0.100 s' '' "exec $bin/tprof-diff $dir/old.tprof $dir/new.tprof"
fi
if wanted 'series'; then
	[ -s "$dir/new.cpu" ] || { "$bin/makeprofile" "$dir/old.cpu" && "$bin/makeprofile" -s 2 -c 10 "$dir/new.cpu"; }
	row 'series over two profiles with 100,000 stacks' '0.500 s' '0.100 s' '' \
		"exec $bin/tprof-top --over=run $dir/old.cpu $dir/new.cpu"
fi
if wanted 'flame graph'; then
	large=${CORPUS:-../shared/corpus}/profiles/pproftest-large.cpu
	[ -s "$dir/new.cpu" ] || { "$bin/makeprofile" "$dir/old.cpu" && "$bin/makeprofile" -s 2 -c 10 "$dir/new.cpu"; }
	row 'flame graph, 100,000 stacks' '0.300 s' '' '' "exec $bin/tprof-flame -o $dir/flame.svg $dir/old.cpu"
	fact 'flame graph, size of the file' "$(stat -c %s "$dir/flame.svg") B" '3 MB' ''
	row 'flame graph, 100,000 stacks, html' '' '' '' "exec $bin/tprof-flame -o $dir/flame.html $dir/old.cpu"
	row 'flame graph, 100,000 stacks, by leaf' '' '' '' "exec $bin/tprof-flame -r -o $dir/flame.svg $dir/old.cpu"
	row 'flame graph, 100,000 against 100,000' '' '' '' "exec $bin/tprof-flame --base=$dir/old.cpu -o $dir/flame.svg $dir/new.cpu"
	[ ! -s "$large" ] || row 'flame graph, pproftest-large.cpu' '0.300 s' '' '' "exec $bin/tprof-flame -o $dir/flame.svg $large"
fi
# Ratios are tprof's time by pprof's: 0.125 is eight times as fast.
if wanted 'profile'; then
	profiles=${CORPUS:-../shared/corpus}/profiles
	large=$profiles/pproftest-large.cpu
	if [ -s "$large" ]; then
		row 'profile top, pproftest-large.cpu' 0.125 0.050 '' "exec $bin/tprof-top $large" "$(gopprof -top "$large")"
		row 'profile top by line, pproftest-large.cpu' '' '' '' "exec $bin/tprof-top --granularity=lines $large" "$(gopprof -top -lines "$large")"
		row 'profile top under a filter, pproftest-large.cpu' '' '' '' "exec $bin/tprof-top --focus=main.next $large" "$(gopprof -top -focus=main.next "$large")"
		row 'profile tree, pproftest-large.cpu' '' '' '' "exec $bin/tprof-top --tree $large" "$(gopprof -tree "$large")"
		rm -f "$dir/large.tprof"
		"$bin/tprof-import" -o "$dir/large.tprof" "$large" >/dev/null
		row 'profile top, pproftest-large.cpu in a store' '0.020 s' '0.008 s' '' "exec $bin/tprof-top $dir/large.tprof"
	fi
	# Of one program in three states; what there is without the corpus is only one.
	if [ ! -d "$dir/heaps" ]; then
		mkdir -p "$dir/heaps"
		set -- "$profiles/go1.27.heap.d0" "$profiles/go1.27.allocs.d0" "$profiles/go1.19.heap.d0"
		[ -s "$1" ] || set -- testdata/catalog.heap testdata/catalog.heap testdata/catalog.heap
		n=0
		for i in $(seq 100); do
			for f; do
				n=$((n + 1))
				cp "$f" "$dir/heaps/$n.$(basename "$f")"
			done
		done
	fi
	row 'profile top, 300 heap profiles' 0.200 0.067 '' "exec $bin/tprof-top --sample-index=inuse_space $dir/heaps/*" "$(gopprof -top -sample_index=inuse_space "$dir/heaps/*")"
fi
# Many dumps: 1,000 heap profiles of one program and 200 traces, with as many processes as there are
# processors. The peer is the sum of their single decode times: one process, one thread, one dump after
# the other, opened, decoded and packed, each timed by itself (testdata/tools/onebyone); divided by the processors
# by us. The aim is a ratio of wall times of 1.3 with that; of processor time it holds on a busy
# machine, too.
if wanted 'many dumps'; then
	many=$dir/many
	if [ ! -d "$many" ]; then
		rm -rf "$many.part"
		mkdir -p "$many.part"
		for i in $(seq 1000); do
			"$bin/makeprofile" -H -n $((60 + i % 300)) -f 600 -s "$i" "$many.part/$i.heap"
		done
		# Parts of what is in the tree, at 40 times each.
		for t in checkout checkout-1.19 corpus/traces/oddities-1.27 pool errands; do
			"$bin/tprof-import" -o "$many.part/t.tprof" "testdata/$t.trace" >/dev/null
			for i in $(seq 0 39); do
				"$bin/tprof-export" --format=trace --from="$i%" --to="$((i + 60))%" \
					-o "$many.part/$(basename "$t").$i.trace" "$many.part/t.tprof" >/dev/null
			done
			rm "$many.part/t.tprof"
		done
		mv "$many.part" "$many"
	fi
	n=$(nproc)
	all="rm -f $dir/many.tprof; exec $bin/tprof-import -j $n -o $dir/many.tprof $many"
	one="exec $bin/onebyone $dir/many.tprof $many/*"
	if wanted 'many dumps, wall'; then
		# shellcheck disable=SC2046
		set -- $("$bin/bench" -n "$runs" "$all" "$one")
		fact 'many dumps, wall' "$(awk "BEGIN{printf \"%.3f s against %.3f s / $n: %.2f\", $1, $3, $5 * $n}")" '' '1.30'
	fi
	row 'many dumps, processor time' 1.30 1.15 -c "$all" "$one"
	row 'many dumps, all there already' '' '' '' "exec $bin/tprof-import -j $n -o $dir/many.tprof $many"
fi
if [ -z "$only" ]; then
	say
	sh testdata/bench/recorder.sh "${bin%/bin}"
fi
