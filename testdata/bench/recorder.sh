#!/bin/sh
# make bench T=recorder: what being recorded costs a program, beside heaptrack, gperftools' and
# jemalloc's sampling of the heap where they are there (Debian: heaptrack, libgoogle-perftools4,
# libjemalloc2; redis-server, redis-tools, memcached, libmemcached-tools, sqlite3, xz-utils, zstd).
#
#   sh testdata/bench/recorder.sh BUILD_FOLDER [NAME …]
#
# All variants of a row run in turn, RUNS (5) times after a first round that is not counted; numbers
# are medians, ratios medians of the ratios of one round. `ours` records everything (--all) unless
# the row says otherwise. Times of single operations are taken by the program itself (micro.c), those
# of whole programs by a clock that starts and ends with them; what it takes the recorder to write
# its files afterwards is a row of its own. An allocator that samples is compared with itself when it
# does not: `a (b)` is with and without.
set -eu
build=$PWD/$1
shift
only=$*
bin=$build/bin
programs=$build/record
runs=${RUNS:-5}
dir=${BENCH_DIR:-build/bench}/recorder
mkdir -p "$dir"
cd "$dir"
export LC_ALL=C.UTF-8 XDG_CACHE_HOME="$PWD/cache"
server=
trap '[ -z "$server" ] || kill $server 2>/dev/null' EXIT
trap 'exit 130' INT TERM

say() { printf '%s\n' "$*"; }
# Rows whose name begins with one of the words beside "recorder".
wanted() {
	all=yes
	for w in $only; do
		[ "$w" = recorder ] && continue
		all=no
		case $1 in "$w"*) return 0 ;; esac
	done
	[ $all = yes ]
}
library() { ls /usr/lib/*/"$1" 2>/dev/null | head -n 1; }
tcmalloc=$(library libtcmalloc.so.4)
jemalloc=$(library libjemalloc.so.2)

# ---- the variants; $with holds what the recorder is told ----

with=--all
variants='none ours'
command -v heaptrack >/dev/null && variants="$variants heaptrack"
[ -z "$tcmalloc" ] || variants="$variants tc tcsample"
[ -z "$jemalloc" ] || variants="$variants je jesample"

# under VARIANT COMMAND…
under() {
	variant=$1
	shift
	case $variant in
	none) "$@" ;;
	ours) # shellcheck disable=SC2086
		rm -rf ours.dumps && "$bin/tprof-record" -o ours.dumps $with -- "$@" ;;
	heaptrack) rm -f heaptrack.out* && heaptrack -o heaptrack.out "$@" ;;
	tc) env LD_PRELOAD="$tcmalloc" "$@" ;;
	tcsample) env LD_PRELOAD="$tcmalloc" TCMALLOC_SAMPLE_PARAMETER=524288 "$@" ;;
	je) env LD_PRELOAD="$jemalloc" "$@" ;;
	jesample) env LD_PRELOAD="$jemalloc" MALLOC_CONF=prof:true,lg_prof_sample:19 "$@" ;;
	esac
}

# turns FUNCTION VARIANTS: FUNCTION VARIANT prints a number (its last line that is one); leaves the
# file `numbers`, a line per counted round, a column per variant, and `cpu` of what it left in
# seconds.txt.
turns() {
	: >numbers
	: >cpu
	round=0
	while [ $round -le "$runs" ]; do
		line='' cpus=''
		for v in $2; do
			rm -f seconds.txt
			n=$($1 "$v" 2>turn.err </dev/null | grep -xE '[0-9.]+' | tail -n 1) || n=
			line="$line ${n:--}"
			[ ! -s seconds.txt ] || cpus="$cpus $(sed -n 2p seconds.txt)"
		done
		[ $round -eq 0 ] || echo "$line" >>numbers
		[ $round -eq 0 ] || [ -z "$cpus" ] || echo "$cpus" >>cpu
		round=$((round + 1))
	done
}

# row NAME FUNCTION UNIT TARGET HOW: HOW is `less` (ours - none), `ratio`, or `plain`
row() {
	wanted "$1" || return 0
	turns "$2" "$variants"
	show "$@" <numbers
	[ -s cpu ] || return 0
	awk '{ for (i = 1; i <= NF; i++) $i *= 1000; print }' cpu >cpu.ms
	case $3 in
	s) show "$1, processor time" "$2" s '' "$5" <cpu ;;
	ms) show "$1, processor time" "$2" ms '' "$5" <cpu.ms ;;
	esac
}
show() {
	awk -v name="$1" -v unit="$3" -v target="$4" -v how="$5" -v variants="$variants" '
		function median(a, n,  i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
			return n ? (n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2) : "-"
		}
		function of(v,  n, i, a) {
			for (i = 1; i <= rounds; i++) if (got[v, i] != "-" && got[v, i] != "") a[++n] = got[v, i]
			return median(a, n)
		}
		function text(x) { return x == "-" || x == "" ? "" : x >= 1000 ? sprintf("%.0f", x) : x >= 100 ? sprintf("%.1f", x) : sprintf("%.3g", x) }
		function pair(v, bare,  x) { x = of(v); return x == "-" ? "" : text(x) (bare == "" ? "" : " (" text(of(bare)) ")") }
		BEGIN { n = split(variants, v, " ") }
		{ rounds++; for (i = 1; i <= n; i++) got[v[i], rounds] = $i }
		END {
			m = 0
			for (i = 1; i <= rounds; i++)
				if (got["ours", i] + 0 && got["none", i] != "-")
					d[++m] = how == "ratio" ? got["ours", i] / got["none", i] : got["ours", i] - got["none", i]
			x = median(d, m)
			if (x == "-") x = "failed"
			else x = how == "ratio" ? sprintf("%.3f ×", x) : how == "plain" ? "" : sprintf("%+.2f", x)
			printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, unit, text(of("none")), text(of("ours")), x,
				target, pair("heaptrack", ""), pair("tcsample", "tc"), pair("jesample", "je")
		}'
}

# ---- what is timed ----

alloc() { case $1 in heaptrack) n=0.5 ;; *) n=10 ;; esac; under "$1" "$programs/micro" alloc $n; }
lock() { under "$1" "$programs/micro" lock 20; }
contend2() { under "$1" "$programs/micro" contend 2 2; }
contend4() { under "$1" "$programs/micro" contend 4 2; }
create() { under "$1" "$programs/micro" create 0.01; }
grow() { under "$1" "$programs/micro" grow 100; }

# clocked VARIANT COMMAND…: leaves in seconds.txt what the command took. It is a child of the clock,
# and `ours` follows children; heaptrack does not, so that it is timed as a whole.
clocked() {
	clocks=$1
	shift
	if [ "$clocks" = heaptrack ]; then
		rm -f heaptrack.out*
		"$programs/stopwatch" seconds.txt heaptrack -o heaptrack.out "$@"
		return
	fi
	followed=$with
	with="$with --follow-children"
	under "$clocks" "$programs/stopwatch" seconds.txt "$@" && clocks=0 || clocks=$?
	with=$followed
	return "$clocks"
}
seconds() {
	clocked "$@" >seconds.out 2>&1 || return 1
	head -n 1 seconds.txt
}
nothing() { seconds "$1" "$programs/micro" nothing | awk '{ print $1 * 1000 }'; }
whole() { # of a recording that records nothing much, with all that is around it
	t=$(date +%s%N)
	under "$1" "$programs/micro" nothing >/dev/null 2>&1 || return 1
	awk -v a="$t" -v b="$(date +%s%N)" 'BEGIN { printf "%.3f\n", (b - a) / 1e6 }'
}
xz2() { seconds "$1" xz -T2 -3 --block-size=1MiB -c text; }
zstd2() { seconds "$1" zstd -q -T2 -9 -c text; }
made_code() { seconds "$1" "$programs/stacks" code 100000; }
many_stacks() { seconds "$1" "$programs/stacks" many; }
node1() { seconds "$1" node work.js; }
python1() { seconds "$1" env PYTHONMALLOC=malloc python3 -c 'import json
for i in range(40): json.loads(json.dumps([{"a": i, "b": [str(i), i + 1]} for i in range(4000)]))'; }
compiler() { seconds "$1" "$(g++ -print-prog-name=cc1plus)" -quiet -imultiarch "$(g++ -print-multiarch)" -O2 work.cc -o work.s; }
sqlite() { seconds "$1" sqlite3 -batch -init /dev/null :memory: '.read script.sql'; }

free_port() {
	awk -v seed="$$" 'NR == FNR { if (split($2, a, ":") == 2) used[a[2]] = 1 }
		END { srand(seed + systime()); do p = 20000 + int(rand() * 20000); while (sprintf("%04X", p) in used); print p }' /proc/net/tcp
}
await() {
	for _ in $(seq 200); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	return 1
}
timed() {
	t=$(date +%s%N)
	"$@" >timed.out 2>&1 || return 1
	awk -v a="$t" -v b="$(date +%s%N)" 'BEGIN { printf "%.6f\n", (b - a) / 1e9 }'
}
redis() {
	port=$(free_port)
	clocked "$1" redis-server --port "$port" --bind 127.0.0.1 --save '' --appendonly no >server.out 2>&1 &
	server=$!
	await redis-cli -p "$port" ping && timed redis-benchmark -p "$port" -q -n 60000 -c 20 -P 4 -t set,get,lpush,lrange_100
	redis-cli -p "$port" shutdown nosave >/dev/null 2>&1
	wait $server || :
	server=
}
memcached4() {
	port=$(free_port)
	clocked "$1" memcached -l 127.0.0.1 -p "$port" -U 0 -t 4 -m 256 -u "$(id -un)" -P "$PWD/memcached.pid" >server.out 2>&1 &
	server=$!
	await memcping --servers="127.0.0.1:$port" && timed memcaslap -s "127.0.0.1:$port" -T 1 -c 16 -x 100000
	kill "$(cat memcached.pid)" 2>/dev/null
	wait $server || :
	server=
}

if [ ! -s text ]; then
	awk 'BEGIN { srand(3); for (i = 0; i < 800000; i++) printf "%d line %d of something that repeats %.3f\n", i, rand() * 5000, rand() }' >text
	awk 'BEGIN {
		srand(7); print "create table t(id integer primary key, k integer, name text, x real);\nbegin;"
		for (i = 1; i <= 150000; i++) printf "insert into t values(%d, %d, \047name %d\047, %.6f);\n", i, rand() * 1000, rand() * 1e6, rand()
		print "commit;\ncreate index t_k on t(k);"
		for (i = 0; i < 300; i++) printf "select k, count(*), sum(x), max(name) from t where k between %d and %d group by k order by 3 desc limit 3;\n", i, i + 40
	}' >script.sql
fi

if [ ! -s work.js ]; then
	cat >work.js <<-'END'
		let n = 0
		for (let k = 0; k < 40; k++) {
			const all = []
			for (let i = 0; i < 3000; i++) all.push({ a: i, b: String(i), c: [i, i + 1] })
			n += JSON.parse(JSON.stringify(all)).length
			for (let i = 0; i < 2000; i++) n += Buffer.alloc(9000, i & 255).length
			for (let i = 0; i < 3000; i++) n += new TextEncoder().encode('abc' + i).length
		}
		console.log(n)
	END
	cat >work.cc <<-'END'
		#include <functional>
		#include <map>
		#include <regex>
		#include <set>
		#include <string>
		#include <unordered_map>
		int main(int, char **v)
		{
			std::map<std::string, std::set<std::string>> m;
			std::unordered_map<std::string, std::function<int(int)>> f;
			std::smatch found;
			std::string text = v[0];
			f["x"] = [](int i) { return i; };
			m["a"].insert(text);
			return std::regex_search(text, found, std::regex(v[0])) + f["x"](1);
		}
	END
fi

say '| recorder | unit | none | ours | ours less, or by, none | at most | heaptrack | gperftools (bare) | jemalloc (bare) |'
say '|---|---|---|---|---|---|---|---|---|'
with=--heap
row 'malloc + free, --heap' alloc ns +5 less
every=$variants
case " $variants " in *' heaptrack '*) variants='none ours heaptrack' ;; *) variants='none ours' ;; esac
with=--heap=1
row 'every block, 300,000 below made code' made_code s '' ratio
row 'every block, 131,072 stacks' many_stacks s '' ratio
! command -v node >/dev/null || row 'every block, node' node1 s '' ratio
! command -v python3 >/dev/null || row 'every block, python3' python1 s '' ratio
! command -v g++ >/dev/null || row 'every block, cc1plus' compiler s '' ratio
variants=$every
with=--all
row 'malloc + free' alloc ns +5 less
variants='none ours'
row 'mutex, uncontended, lock + unlock' lock ns +4 less
row 'mutex, two threads' contend2 ns '1.5 ×' ratio
row 'mutex, four threads' contend4 ns '1.5 ×' ratio
variants=$every
row 'thread, create + join' create ns '' less
row 'start-up of a program' nothing ms +2 less
row 'a program that does nothing, with all around it' whole ms '' less
row 'memory after a long run' grow MiB +16 less
! command -v redis-server >/dev/null || row 'redis-benchmark' redis s '1.08 ×' ratio
! command -v memcaslap >/dev/null || row 'memcached, 4 threads' memcached4 s '1.08 ×' ratio
! command -v sqlite3 >/dev/null || row 'sqlite3' sqlite s '1.08 ×' ratio
! command -v xz >/dev/null || row 'xz -T2' xz2 s '1.08 ×' ratio
! command -v zstd >/dev/null || row 'zstd -T2' zstd2 s '1.08 ×' ratio

# What is left to do when the program is over: three million events and more become a trace.
if wanted conversion; then
	: >numbers
	for _ in $(seq "$runs"); do
		rm -rf ours.dumps seconds.txt
		t=$(date +%s%N)
		"$bin/tprof-record" -q -o ours.dumps --trace --follow-children -- \
			"$programs/stopwatch" seconds.txt "$programs/micro" pingpong 0.5 >/dev/null
		t=$(($(date +%s%N) - t))
		trace=$(ls ours.dumps/*/trace.out)
		events=$("$bin/tprof-query" --format=tsv "$trace" 'select events from run' | tail -n 1)
		awk -v events="$events" -v all="$t" 'NR == 1 { s = all / 1e9 - $1; printf "%.3f %.3f %.2f\n", events / s / 1e6, s, events / 1e6 }' seconds.txt >>numbers
	done
	sort -n numbers | awk -v runs="$runs" 'NR == int((runs + 1) / 2) {
		printf "| conversion | M events/s | | %s | | 2 or more | | | |\n", $1
		print "\nconversion: " $3 " M events in " $2 " s after the program" >"/dev/stderr" }'
fi
