#!/bin/sh
# make bench T=heap: the heap profile at rate 1 beside heaptrack's, of three programs with one thread: a row per
# number, with its value in both. Needs heaptrack.
#
#   sh testdata/bench/heap.sh BUILD_FOLDER [NAME …]
#
# Each program runs once under each. The exit status is 1 if the peak or the number of temporary blocks
# differs by more than 2 %, or if tprof-record has lost anything. What programs map themselves is left out
# (--no-mmap), as heaptrack does not count it; the 72,704 bytes that libstdc++ takes when it is loaded are taken
# off heaptrack's peak, as heaptrack brings that library into the program.
set -eu
build=$PWD/$1
shift
only=$*
bin=$build/bin
dir=${BENCH_DIR:-build/bench}/heap
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
export LC_ALL=C XDG_CACHE_HOME="$PWD/cache" PYTHONMALLOC=malloc PYTHONHASHSEED=0
command -v heaptrack >/dev/null || {
	echo 'heap: needs heaptrack' >&2
	exit 2
}
# Rows whose name is one of the words beside "heap".
wanted() {
	all=yes
	for w in $only; do
		[ "$w" = heap ] && continue
		all=no
		[ "$w" = "$1" ] && return 0
	done
	[ $all = yes ]
}
sum() {
	"$bin/tprof-top" --format=tsv --sample-index="$1" ours/heap.pb.gz |
		awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { n += $at["flat"] } END { printf "%.0f\n", n }'
}
of_heaptrack() {
	sed -n "s/^$1: \([0-9.]*\)\([KMG]*\).*/\1 \2/p" heaptrack.txt |
		awk '{ f["K"] = 1e3; f["M"] = 1e6; f["G"] = 1e9; printf "%.0f\n", $1 * ($2 == "" ? 1 : f[$2]) }'
}

brought=72704
failed=0
# number PROGRAM WHAT OURS HEAPTRACK'S
number() {
	awk -v program="$1" -v what="$2" -v ours="$3" -v theirs="$4" 'BEGIN {
		off = theirs ? 100 * (ours / theirs - 1) : 100
		bad = off > 2 || off < -2
		printf "| %s | %s | %s | %s | %+.2f%s |\n", program, what, theirs, ours, off, bad ? " **differs**" : ""
		exit bad }' || failed=1
}
# row NAME COMMAND…
row() {
	name=$1
	shift
	wanted "$name" || return 0
	command -v "$1" >/dev/null || { echo "| $name | (not installed) | | | |"; return 0; }
	rm -rf ours heaptrack.out*
	heaptrack -o heaptrack.out "$@" >/dev/null 2>&1 </dev/null
	heaptrack_print -p0 -a0 -T0 -l0 heaptrack.out* >heaptrack.txt 2>/dev/null
	"$bin/tprof-record" -q --heap=1 --no-mmap -o ours -- "$@" >/dev/null 2>ours.err </dev/null
	[ ! -s ours.err ] || { sed "s/^/$name: /" ours.err >&2; failed=1; }
	number "$name" 'peak, bytes' "$(sum peak_space)" $(($(of_heaptrack 'peak heap memory consumption') - brought))
	number "$name" 'temporary blocks' "$(sum temporary_objects)" "$(of_heaptrack 'temporary memory allocations')"
	number "$name" 'blocks in all' "$(sum alloc_objects)" "$(of_heaptrack 'calls to allocation functions')"
}

cat >work.py <<'END'
import json, re
words = [("%d" % (i * 7919 % 100003)) * 3 for i in range(6000)]
for _ in range(3):
    text = json.dumps({w: [i, str(i)] for i, w in enumerate(words)})
    back = json.loads(text)
    found = re.findall(r"[1-9]+7[0-9]*", text)
    ordered = sorted(back.items(), key=lambda kv: (kv[1][0] % 97, kv[0]))
END
cat >work.sql <<'END'
create table t(a, b, c);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)
insert into t select i * 7919 % 50021, printf('%08d', i * 104729 % 50021), i from n;
create index t_b on t(b);
select count(*), sum(length(x.b)) from t x join t y on x.b = y.b where y.a % 3 = 1;
select a % 1000, count(*), max(b), group_concat(b) from t group by 1 order by 3 desc limit 5;
END

echo '| program | number | heaptrack | tprof-record | ours more, % |'
echo '|---|---|---:|---:|---:|'
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || echo python3)
row python3 "$python" -S work.py
row sqlite3 sqlite3 :memory: '.read work.sql'
row perl perl -e 'my %h; for my $i (0 .. 60000) { push @{$h{$i * 7919 % 5003}}, "x" x ($i % 200); delete $h{$i % 4001} if $i % 3 == 0 } my @s = sort { @$a <=> @$b } values %h; print scalar(@s), join(",", map { length join "", @$_ } @s), "\n"'
exit $failed
