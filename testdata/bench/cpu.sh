#!/bin/sh
# make bench T=cpu: the CPU profile beside that of perf, on real programs: a row per function that has
# 5 % of the CPU time in either (2 % of cc1, which has none with more), with its share in both. Needs perf and root (perf sees the kernel, too).
#
#   sh testdata/bench/cpu.sh BUILD_FOLDER [NAME …]
#
# The last table is what sampling costs (cost-cpu, cost-pid).
#
# The rows of --pid compare tprof-record --pid with perf record --call-graph dwarf -p, both on the same
# running program at the same time.
#
# Each program runs once under each. A function is a range of addresses in .eh_frame, so that code
# without symbols is compared as well. A sample in a system call is [kernel] in both; one in a page
# fault belongs to the function that touched the page. Shares may differ by three standard errors of
# their difference. HZ (97) is how often both sample. The exit status is 1 if any differs by more.
set -eu
build=$PWD/$1
shift
only=$*
bin=$build/bin
hz=${HZ:-97}
dir=${BENCH_DIR:-build/bench}/cpu
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir"
export LC_ALL=C XDG_CACHE_HOME="$PWD/cache"
command -v perf >/dev/null && [ "$(id -u)" -eq 0 ] || {
	echo 'cpu: needs perf, and root' >&2
	exit 2
}
# Rows whose name is one of the words beside "cpu".
wanted() {
	all=yes
	for w in $only; do
		[ "$w" = cpu ] && continue
		all=no
		[ "$w" = "$1" ] && return 0
	done
	[ $all = yes ]
}

# What perf found, as lines "FILE OFFSET NAME", an offset in the file in hex; "[kernel] 0 [kernel]".
of_perf() {
	perf script --no-inline -i perf.data -F ip,sym,dso 2>/dev/null | awk '
		function put() { if (n) print (call ? "[kernel] 0 [kernel]" : user ? user : "? 0 ?"); n = call = 0; user = "" }
		NF == 0 { put(); next }
		{ n++; file = $NF; gsub(/[()]/, "", file); name = $2 }
		/entry_SYSCALL/ { call = 1 }
		!user && length($1) < 16 && $1 != "0" { user = file " " $1 " " name }
		END { put() }'
}
of_ours() {
	"$bin/tprof-import" -o ours.store ours/cpu.pb.gz >/dev/null
	"$bin/tprof-query" --format=tsv ours.store "
		select coalesce(m.file, '[kernel]'), printf('%x', case when m.file is null then 0
			else l.address - 1 - m.start_address + m.file_offset end), '?', sum(v.value)
		from bucket b join bucket_value v on v.bucket = b.row and v.type = 0
		join stack s on s.row = b.stack join frame f on f.row = s.frame
		join location l on l.row = f.location left join mapping m on m.row + 1 = l.mapping
		group by 1, 2" | awk -F '\t' 'NR > 1 { for (i = 0; i < $4; i++) print $1, $2, $3 }'
}
# The ranges of functions of a file, as offsets in it: "FILE FROM TO" in hex.
ranges() {
	while read -r file; do
		readelf -lW "$file" | awk '$1 == "LOAD" && / R E / { print $2, $3 }' >text.seg
		readelf --debug-dump=frames "$file" 2>/dev/null |
			sed -n 's/.* FDE .*pc=\([0-9a-f]*\)\.\.\([0-9a-f]*\)$/\1 \2/p' |
			sed "s|^|$file $(head -n 1 text.seg) |"
	done
}
# Reads "WHO FILE OFFSET NAME"; prints the rows of the table.
compare() {
	awk -v program="$1" -v least="${least:-5}" '
		function hex(s,  i, v) {
			sub(/^0x/, "", s)
			for (v = 0; s != ""; s = substr(s, 2)) v = v * 16 + index("123456789abcdef", substr(s, 1, 1))
			return v
		}
		# Of ranges that are sorted, the last that begins at or before the offset.
		function find(file, at,  lo, hi, mid) {
			lo = 0; hi = n[file]
			while (lo < hi) {
				mid = int((lo + hi + 1) / 2)
				if (from[file, mid] <= at) lo = mid; else hi = mid - 1
			}
			return lo && at < to[file, lo] ? lo : 0
		}
		FILENAME == "links" { real[$1] = $2; next }
		FILENAME == "ranges" {
			off = hex($2) - hex($3); k = ++n[$1]
			from[$1, k] = hex($4) + off; to[$1, k] = hex($5) + off
			next
		}
		{
			if ($2 in real) $2 = real[$2]
			k = find($2, hex($3)); key = k ? $2 " " k : $2 " ?"
			count[$1, key]++; all[$1]++; keys[key] = 1
			if ($4 != "?" && $4 != "[unknown]") name[key] = $4
			else if (!(key in name)) { base = $2; sub(/.*\//, "", base); other[key] = k ? sprintf("%s+0x%x", base, from[$2, k]) : base }
		}
		END {
			a = all["perf"]; b = all["ours"]; if (!a || !b) { print program ": no samples"; exit 1 }
			for (key in keys) {
				p = count["perf", key] / a; q = count["ours", key] / b
				if (p < least / 100 && q < least / 100) continue
				r = (count["perf", key] + count["ours", key]) / (a + b)
				e = sqrt(r * (1 - r) * (1 / a + 1 / b)); z = (q - p) / e
				bad = z > 3 || z < -3 || !p || !q
				printf "%5.1f\t| %s | %s | %.1f | %.1f | %.1f | %+.1f%s |\n", 100 * p, program, \
					key in name ? name[key] : other[key], 100 * p, 100 * q, 100 * e, z, bad ? " **differs**" : ""
			}
			printf "0\t| %s | (samples) | %d | %d | | |\n", program, a, b
		}' links ranges - | sort -rn >rows
	cut -f 2 rows
	! grep -q 'differs\|no samples' rows
}

failed=0
# row NAME COMMAND…
row() {
	name=$1
	shift
	wanted "$name" || return 0
	command -v "$1" >/dev/null || { echo "| $name | (not installed) | | | | |"; return 0; }
	perf record -q -e cpu-clock -F "$hz" -g -o perf.data -- "$@" >/dev/null 2>perf.err </dev/null
	rm -rf ours ours.store
	"$bin/tprof-record" -q --cpu="$hz" -o ours -- "$@" >/dev/null 2>ours.err </dev/null
	judge "$name"
}
judge() {
	of_perf | sed 's/^/perf /' >lines
	of_ours | sed 's/^/ours /' >>lines
	# The same file may have several names.
	cut -d ' ' -f 2 lines | sort -u | while read -r file; do
		[ ! -f "$file" ] || echo "$file $(readlink -f "$file")"
	done >links
	cut -d ' ' -f 2 links | sort -u | ranges | sort -k 1,1 -k 4,4 >ranges
	compare "$1" <lines || failed=1
}
# beside NAME SECONDS PID: both record a program that runs already.
beside() {
	rm -rf ours ours.store
	"$bin/tprof-record" -q --pid="$3" --for="$2s" --cpu="$hz" -o ours 2>ours.err &
	perf record -q -e cpu-clock -F "$hz" -g --call-graph dwarf -o perf.data -p "$3" -- sleep "$2" >/dev/null 2>perf.err
	wait $!
	judge "$1"
}
# running NAME SECONDS COMMAND…: starts a program that runs for longer, and ends it.
running() {
	name=$1 seconds=$2
	shift 2
	wanted "$name" || return 0
	command -v "$1" >/dev/null || { echo "| $name | (not installed) | | | | |"; return 0; }
	"$@" >/dev/null 2>&1 </dev/null &
	program=$!
	sleep 2
	beside "$name" "$seconds" $program
	kill $program
	wait $program 2>/dev/null || :
}

python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null || echo python3)
cc1=$(${CC:-gcc} -print-prog-name=cc1)
head -c 8000000 "$cc1" >data
cat >work.py <<'END'
import json, re
words = [("%d" % (i * 7919 % 100003)) * 3 for i in range(60000)]
for _ in range(8):
    text = json.dumps({w: [i, str(i)] for i, w in enumerate(words)})
    back = json.loads(text)
    found = re.findall(r"[1-9]+7[0-9]*", text)
    ordered = sorted(back.items(), key=lambda kv: (kv[1][0] % 97, kv[0]))
    sum(len(k) * v[0] % 13 for k, v in ordered if k in back)
END
cat >work.sql <<'END'
create table t(a, b, c);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000000)
insert into t select i * 7919 % 2000003, printf('%08d', i * 104729 % 2000003), i from n;
create index t_b on t(b);
select count(*), sum(length(x.b)) from t x join t y on x.b = y.b where y.a % 3 = 1;
select a % 1000, count(*), max(b) from t group by 1 order by 3 desc limit 5;
END
awk 'BEGIN { srand(5); for (i = 0; i < 500; i++) {
	printf "int f%d(int *a, int n) { int s = %d; for (int i = 0; i < n; i++) { switch (a[i] %% 7) {", i, i
	for (k = 0; k < 6; k++) printf " case %d: s += a[(i * %d) %% n] * %d; break;", k, int(rand() * 99) + 1, int(rand() * 99)
	printf " default: s ^= f%d(a, n / 2); } } return s; }\n", i ? int(rand() * i) : 0 } }' >work.c
cat >loop.py <<'END'
import threading
code = compile(open("work.py").read(), "work.py", "exec")
def work():
    while True:
        exec(code, {})
threading.Thread(target=work, daemon=True).start()
work()
END
cat >pairs.c <<'END'
#include <math.h>
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
static volatile double sink;
NOINLINE static double leaf(double x, int n) { for (int i = 0; i < n; i++) x = sin(x) + 0.1; return x; }
NOINLINE static double deep(double x, int n) {
	char room[512]; room[0] = (char)n; sink = room[0];
	return n ? deep(x, n - 1) + 1 : leaf(x, 900);
}
NOINLINE static double flat(double x) { double y = 0; for (int i = 1; i < 3000; i++) y += x / i; return y; }
static void *work(void *p) { for (;;) { sink = deep(sink, 10); sink = flat(sink); } return p; }
int main(void) {
	pthread_t t;
	for (int i = 0; i < 3; i++) pthread_create(&t, 0, work, 0);
	work(0);
}
END
${CC:-gcc} -O2 -g -fomit-frame-pointer -pthread -o pairs pairs.c -lm

echo '| program | function | perf, % | tprof-record, % | standard error | errors apart |'
echo '|---|---|---:|---:|---:|---:|'
row python3 "$python" work.py
row git git -C "${GIT_DIR_TO_PACK:-$OLDPWD}" pack-objects --all --no-reuse-delta --threads=2 --stdout
row xz xz -T1 -6 -c data
row zstd zstd -q -T2 -15 -c data
row sqlite3 sqlite3 :memory: '.read work.sql'
least=2 row cc1 "$cc1" -quiet -O2 work.c -o /dev/null
row openssl openssl speed -seconds 8 -bytes 4096 sha256 aes-128-cbc
running pid-python3 20 "$python" loop.py
running pid-threads 20 ./pairs
mkfifo endless
if wanted pid-xz; then
	while :; do cat data; done >endless 2>/dev/null & feeder=$!
	running pid-xz 20 xz -T2 -3 -c endless
	kill $feeder 2>/dev/null || :
fi
if command -v redis-benchmark >/dev/null && wanted pid-redis; then
	redis-server --port 7391 --save '' >/dev/null & server=$!
	sleep 1
	while redis-benchmark -p 7391 -q -n 100000 -P 8 -t set,get,lpush,sadd,zadd; do :; done >/dev/null 2>&1 &
	beside pid-redis 20 $server
	kill $server
	wait
fi
# cost NAME OPTIONS: what recording costs a program of two threads with fixed work, as its CPU time with the recorder by
# that without, in pairs: the median, and the interval that has it with 95 % (by order of 20 pairs). Fails if all of
# the interval is above 1.02.
cost() {
	wanted "$1" || return 0
	for _ in $(seq 20); do
		bare=$(./fixed)
		case $2 in
		--pid)
			rm -f fixed.out
			./fixed >fixed.out & program=$!
			"$bin/tprof-record" -q --pid=$program --cpu="$hz" -o ours 2>ours.err || :
			wait $program
			ours=$(cat fixed.out)
			;;
		*) ours=$("$bin/tprof-record" -q "$2=$hz" -o ours -- ./fixed 2>ours.err) ;;
		esac
		rm -rf ours
		echo "$bare $ours"
	done | awk '{ print $2 / $1, $1, $2 }' | sort -n >ratios
	awk -v name="$1" '{ r[NR] = $1; a += $2; b += $3 }
		END { printf "| %s | %.3f | %.3f | %.3f | %.3f to %.3f |\n", name, a / NR / 1e6, b / NR / 1e6, (r[10] + r[11]) / 2, r[6], r[15]
		exit NR != 20 || r[6] > 1.02 }' ratios || failed=1
}
cat >fixed.c <<'END'
#include <stdio.h>
#include <sys/resource.h>
#define main endless
#include "pairs.c"
#undef main
static void *some(void *p) { for (int i = 0; i < 12000; i++) { sink = deep(0.5, 10); sink = flat(0.5); } return p; }
int main(void) {
	struct rusage r;
	pthread_t t;
	pthread_create(&t, 0, some, 0);
	some(0);
	pthread_join(t, 0);
	getrusage(RUSAGE_SELF, &r);
	printf("%ld\n", (r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1000000 + r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}
END
${CC:-gcc} -O2 -g -fomit-frame-pointer -pthread -o fixed fixed.c -lm
echo
echo '| cost | CPU time without, s | with, s | ratio | 95 % of it |'
echo '|---|---:|---:|---:|---:|'
cost cost-cpu --cpu
cost cost-pid --pid
exit $failed
