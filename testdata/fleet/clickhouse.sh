#!/bin/sh
# Runs in ClickHouse: two servers on loopback, whose tables are spread over both. What is asked there is
# what the store answers, byte by byte; a server that is killed in the middle of a load costs nothing and
# doubles nothing; and what goes wrong is said. Everything is in a scratch folder and gone at the end.
#
#   [CORPUS=FOLDER] sh testdata/fleet/clickhouse.sh [BIN_FOLDER]
set -u
export LC_ALL=C.UTF-8 TZ=UTC
cd "$(dirname "$0")/../.." || exit 4
bin=${1:-build/out/bin}
case $bin in /*) ;; *) bin=$PWD/$bin ;; esac
corpus=${CORPUS-}
passed=0 failed=0

for tool in clickhouse-server:clickhouse-server python3:python3 curl:curl; do
	command -v "${tool%%:*}" >/dev/null && continue
	echo "clickhouse: ${tool%%:*} is missing (Debian: ${tool#*:})"
	[ "${CI-}" = true ] && exit 4
	echo 'clickhouse: 0 passed, 0 failed'
	exit 0
done

scratch=$(mktemp -d) || exit 4
pid1='' pid2=''
stop() { # pid
	[ -z "$1" ] || { kill -KILL "$1" && wait "$1"; } 2>/dev/null
}
finish() {
	stop "$pid1"
	stop "$pid2"
	rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP
export TMPDIR=$scratch/tmp HOME=$scratch/home XDG_CACHE_HOME=$scratch/cache
unset XDG_CONFIG_HOME
mkdir -p "$TMPDIR" "$HOME/.config/tprof"

ok() { passed=$((passed + 1)); }
wrong() {
	failed=$((failed + 1))
	echo "FAILED $*"
}
is() { # what, expected, got
	if [ "$2" = "$3" ]; then ok; else wrong "$1: $2 is expected, not $3"; fi
}
says() { # what, text that the last standard error has
	if grep -qF -- "$2" "$scratch/err"; then ok; else
		wrong "$1: not said: $2"
		cat "$scratch/err"
	fi
}

# ---- two servers ----

set -- $(python3 -c '
import socket
kept = [socket.socket() for _ in range(6)]
for s in kept: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in kept))')
http1=$1 tcp1=$2 inter1=$3 http2=$4 tcp2=$5 inter2=$6
secret='s3cret-"<&'
configure() { # number, http, tcp, interserver
	mkdir -p "$scratch/$1"
	cat >"$scratch/$1/config.xml" <<END
<yandex>
 <logger><level>warning</level><log>$scratch/$1/log</log><errorlog>$scratch/$1/errors</errorlog></logger>
 <http_port>$2</http_port><tcp_port>$3</tcp_port><interserver_http_port>$4</interserver_http_port>
 <listen_host>127.0.0.1</listen_host><max_concurrent_queries>50</max_concurrent_queries>
 <uncompressed_cache_size>67108864</uncompressed_cache_size><mark_cache_size>67108864</mark_cache_size>
 <path>$scratch/$1/data/</path><tmp_path>$scratch/$1/tmp/</tmp_path>
 <user_files_path>$scratch/$1/files/</user_files_path><format_schema_path>$scratch/$1/schemas/</format_schema_path>
 <users_config>users.xml</users_config><default_profile>default</default_profile>
 <default_database>default</default_database><timezone>UTC</timezone>
 <remote_servers><fleet>
  <shard><replica><host>127.0.0.1</host><port>$tcp1</port><user>within</user></replica></shard>
  <shard><replica><host>127.0.0.1</host><port>$tcp2</port><user>within</user></replica></shard>
 </fleet></remote_servers>
 <macros><cluster>fleet</cluster></macros>
</yandex>
END
	cat >"$scratch/$1/users.xml" <<END
<yandex><profiles><default><max_memory_usage>1000000000</max_memory_usage></default></profiles><users>
 <default><password>none can say</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default>
 <within><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></within>
 <loader><password>s3cret-"&lt;&amp;</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></loader>
</users><quotas><default/></quotas></yandex>
END
}
start() { # number; the pid in $started
	(cd "$scratch/$1" && exec clickhouse-server --config-file=config.xml >>out 2>&1) &
	started=$!
}
wait_for() { # http port
	for i in $(seq 600); do
		curl -s -o /dev/null "http://127.0.0.1:$1/ping" && return
		sleep 0.5
	done
	echo "FAILED a server does not start"
	cat "$scratch"/[12]/out "$scratch"/[12]/errors
	echo "clickhouse: $passed passed, $((failed + 1)) failed"
	exit 1
}
ask() { # SQL; the first server's answer
	curl -sS "http://127.0.0.1:$http1/?user=within&insert_distributed_sync=1" --data-binary "$1"
}
ask_in() { # database, SQL; the first server's answer
	curl -sS "http://127.0.0.1:$http1/?user=within&database=$1" --data-binary "$2"
}
ask_server() { # number, SQL
	eval "curl -sS \"http://127.0.0.1:\$http$1/?user=within&insert_distributed_sync=1\"" --data-binary '"$2"'
}
# Waits until there are rows in a table of the first server. Before, it may answer that there is no such
# table, or no such database.
until_rows() { # table
	i=0
	while [ $i -lt 10000 ]; do
		case $(ask "SELECT count() FROM $1" 2>/dev/null) in
		'' | 0 | *[!0-9]*) ;;
		*) return ;;
		esac
		i=$((i + 1))
		sleep 0.02
	done
}
configure 1 "$http1" "$tcp1" "$inter1"
configure 2 "$http2" "$tcp2" "$inter2"
start 1; pid1=$started
start 2; pid2=$started
wait_for "$http1"
wait_for "$http2"
echo "127.0.0.1 loader $secret" >"$HOME/.config/tprof/clickhouse"
chmod 600 "$HOME/.config/tprof/clickhouse"

address=clickhouse://127.0.0.1:$http1
load() { # database, store, options …
	database=$1 from_store=$2
	shift 2
	"$bin/tprof-export" "$@" --clickhouse="$address/$database" \
		--clickhouse="clickhouse://127.0.0.1:$http2/$database" --cluster=fleet "$from_store" \
		>"$scratch/out" 2>"$scratch/err"
}

# ---- the same from both ----

# Command with @ in place of the source; the store, the address.
same() { # store, address, command …
	from=$1 to=$2
	shift 2
	for where in store engine; do
		source=$from
		[ $where = engine ] && source=$to
		for word do
			shift
			case $word in
			@) set -- "$@" "$source" ;;
			*=@) set -- "$@" "${word%@}$source" ;;
			*) set -- "$@" "$word" ;;
			esac
		done
		name=$1
		shift
		"$bin/$name" "$@" >"$scratch/$where" 2>"$scratch/$where.err"
		echo "status $?" >>"$scratch/$where"
		# The second time the words name the source: put the sign back.
		set -- "$name" "$@"
		for word do
			shift
			case $word in
			"$source") set -- "$@" @ ;;
			*="$source") set -- "$@" "${word%"$source"}@" ;;
			*) set -- "$@" "$word" ;;
			esac
		done
	done
	if cmp -s "$scratch/store" "$scratch/engine"; then
		ok
	else
		wrong "$* is not the same from the engine"
		diff "$scratch/store" "$scratch/engine" | head -n 5
		head -n 3 "$scratch/engine.err"
	fi
}

reports='goroutines breakdown block sched syscalls cpu gc tasks regions logs outliers procs overview mmu pauses stops heap'

# Every run by what there is to ask; of runs that are like another the most of it. (A few of each kind are
# asked for all.)
all_of() { # store, address, names of the traces and every how manieth profile that are asked for all
	"$bin/tprof-query" --format=csv "$1" 'SELECT id, kind, name FROM run' | tr -d '\r' | tail -n +2 >"$scratch/runs"
	while IFS=, read -r id kind name; do
		if [ "$kind" = trace ]; then
			same "$1" "$2" tprof-top "--run=$id" -n 0 @
			case " $3 " in
			*" $name "* | '  ') ;;
			*) continue ;;
			esac
			for report in $reports; do
				same "$1" "$2" tprof-top "--run=$id" -n 0 @ "$report"
			done
			same "$1" "$2" tprof-top "--run=$id" --from=20% --to=60% @ block
			same "$1" "$2" tprof-flame "--run=$id" --view=offcpu --format=text @
			same "$1" "$2" tprof-top "--run=$id" --view=wall --cum -n 0 @
		else
			same "$1" "$2" tprof-top "--run=$id" --traces @
			[ $((id % $4)) -eq 0 ] || continue
			same "$1" "$2" tprof-top "--run=$id" -n 0 @
			same "$1" "$2" tprof-top "--run=$id" --tree @
			same "$1" "$2" tprof-top "--run=$id" --raw @
			same "$1" "$2" tprof-top "--run=$id" --granularity=addresses -n 0 @
			same "$1" "$2" tprof-flame "--run=$id" --format=svg @
		fi
	done <"$scratch/runs"
}

store=$scratch/some.tprof
for f in testdata/ledger/*.heap testdata/prices/* testdata/catalog.* testdata/parcels/* testdata/inbox/* \
	testdata/*.trace; do
	"$bin/tprof-import" -o "$store" --label=of="$(basename "$(dirname "$f")")" --label=file="$(basename "$f")" \
		--label="odd=it's \"x\" \\ %41 \`y\`	ä" "$f" >/dev/null 2>&1
done
load some "$store" --spans
is 'a store is loaded' 0 $?
runs=$("$bin/tprof-query" --format=csv "$store" 'SELECT count(*) FROM run' | tr -d '\r' | tail -n 1)
is 'all of its runs' "$runs" "$(ask 'SELECT count() FROM some.run')"
is 'on both servers' 1 "$(ask 'SELECT count() > 0 AND count() < (SELECT count() FROM some.run) FROM some.run_local')"
is 'what counts, as the manual says' \
	"$("$bin/tprof-query" --format=csv "$store" "SELECT sum(v.value) FROM bucket_value v JOIN sample_type t ON t.run = v.run AND t.row = v.type WHERE t.type = 'inuse_space'" | tr -d '\r' | tail -n 1)" \
	"$(ask_in some "SELECT sum(values[indexOf(types, 'inuse_space')]) FROM bucket GLOBAL ALL INNER JOIN (SELECT min(load) AS load, any(name) AS name, any(types) AS types FROM run GROUP BY run) USING load")"
whole=$address/some
all_of "$store" "$whole" 'checkout.trace checkout-1.19.trace errands.trace checkout-cut.trace callbacks.trace' 4
for of in ledger prices parcels; do
	same "$store" "$whole" tprof-top "--run=of=$of" -n 0 @
done
same "$store" "$whole" tprof-top --run=of=ledger --traces @
same "$store" "$whole" tprof-top --run=of=ledger -alloc_space -cum --focus=Index @
same "$store" "$whole" tprof-top --run=of=ledger --over=run @
same "$store" "$whole" tprof-top --run=all -inuse_space @
same "$store" "$whole" tprof-top --run=all -alloc_space --tree @
same "$store" "$whole" tprof-top --run=all --view=cpu @
for form in svg html text folded speedscope; do
	same "$store" "$whole" tprof-flame --run=of=ledger --format=$form @
done
same "$store" "$whole" tprof-flame --run=of=ledger --format=folded --base=@ -inuse_objects @
same "$store" "$whole" tprof-flame --run=all --format=folded @
same "$store" "$whole" tprof-diff --base-label=file=ledger-1.heap --label=file=ledger-8.heap @
same "$store" "$whole" tprof-diff --base-label=of=prices --label=of=ledger -inuse_space @
same "$store" "$whole" tprof-diff --base-label=file=old-1.trace --label=file=new-1.trace @
same "$store" "$whole" tprof-diff --base-label=file=old-1.trace --label=file=new-1.trace --view=offcpu @
same "$store" "$whole" tprof-diff --base-label=of=prices --label=of=ledger --gate='inuse_space>+1%' @

# Hosts, compared with hosts: a gate that finds what makefleet planted.
"$bin/makefleet" -S 1 -H 8 -d 4 -n 60 "$scratch/hosts" >/dev/null
"$bin/tprof-import" -o "$scratch/hosts.tprof" "@$scratch/hosts/list" >/dev/null 2>&1
load hosts "$scratch/hosts.tprof"
is 'a fleet is loaded' 0 $?
for sample in cpu inuse_space; do
	for form in text json junit; do
		same "$scratch/hosts.tprof" "$address/hosts" tprof-diff --base-label=service=shop,version=v1 \
			--label=service=shop,version=v2 "--sample-index=$sample" --normalize --average-by=host \
			--gate='flat(.)>+10%,share=0.5%' "--format=$form" @
	done
done
is 'the gate finds something' 'status 1' "$(tail -n 1 "$scratch/engine")"
"$bin/tprof-top" --run=of=ledger --format=pprof "$store" >"$scratch/store.pb"
"$bin/tprof-top" --run=of=ledger --format=pprof "$whole" >"$scratch/engine.pb"
is 'a profile for pprof' "$("$bin/tprof-top" --raw "$scratch/store.pb")" "$("$bin/tprof-top" --raw "$scratch/engine.pb")"

# Labels of the address, with whatever they hold.
is 'labels of the address' "$("$bin/tprof-top" --run=of=ledger -n 5 "$store" 2>/dev/null)" \
	"$("$bin/tprof-top" --run=all -n 5 "$address/some?label=of=ledger" 2>/dev/null)"
is 'odd labels' "$("$bin/tprof-top" --run=of=ledger -n 5 "$store" 2>/dev/null)" \
	"$("$bin/tprof-top" --run=all -n 5 "$address/some?label=odd%3Dit's%20%22x%22%20%5C%20%2541%20%60y%60%09%C3%A4&label=of=ledger" 2>/dev/null)"
"$bin/tprof-top" "$address/some?label=of=nothing" >/dev/null 2>"$scratch/err"
is 'no such label' 3 $?
says 'no such label' 'no run has these labels'

# Of several loads of a run only the least counts, whatever the labels of the others are.
columns=$(ask "SELECT arrayStringConcat(groupArray(name), ', ') FROM system.columns WHERE database = 'some' AND table = 'run'")
ask "INSERT INTO some.run ($columns) SELECT $(echo "$columns" |
	sed "s/, load,/, load + 1,/; s/, labels,/, arrayMap(l -> if(l LIKE 'of=%', 'of=other', l), labels),/") FROM some.run"
is 'a second load of each run' "$((2 * runs))" "$(ask 'SELECT count() FROM some.run')"
is 'labels of the load that counts' "$("$bin/tprof-top" --run=of=ledger -n 5 "$store" 2>/dev/null)" \
	"$("$bin/tprof-top" --run=all -n 5 "$address/some?label=of=ledger" 2>/dev/null)"
"$bin/tprof-top" "$address/some?label=of=other" >/dev/null 2>"$scratch/err"
is 'labels of a load that does not count' 3 $?
says 'labels of a load that does not count' 'no run has these labels'
for n in 1 2; do
	ask_server "$n" "ALTER TABLE some.run_local DELETE WHERE load NOT IN (SELECT load FROM some.load_local)"
done
i=0
while [ $i -lt 1000 ] && [ "$(ask 'SELECT count() FROM some.run')" != "$runs" ]; do
	i=$((i + 1))
	sleep 0.1
done

# Spans are those of the store, by state; SQLite's rows end in CR LF.
spans="count(*), sum(s.start_ns), sum(s.end_ns), sum(dur_ns), count(nullif(stack, 0)), count(nullif(waker_stack, 0)), count(m), count(p), count(waker), sum(s.inferred), sum(open)"
"$bin/tprof-query" --format=csv "$store" "SELECT r.hash, state, $spans FROM span s JOIN run r ON r.id = s.run GROUP BY 1, 2 ORDER BY 1, 2" |
	tr -d '\r' | tail -n +2 >"$scratch/store.spans"
with_stack="s/count(nullif(\\([a-z_]*\\), 0))/countIf(\\1 != toFixedString('', 16))/g"
ask "SELECT hash, state, $(echo "$spans" | sed "$with_stack; s/(\*)/()/; s/s\.//g") FROM some.span
	GLOBAL ANY INNER JOIN (SELECT load, run AS hash FROM some.run) USING load
	GROUP BY hash, state ORDER BY hash, state" | tr '\t' , >"$scratch/engine.spans"
is 'spans, by run and state' '' "$(diff "$scratch/store.spans" "$scratch/engine.spans" | head -n 5)"
is 'there are some' 1 "$(($(wc -l <"$scratch/store.spans") > 20))"
is 'stacks of spans have names' 0 "$(ask "SELECT count() FROM some.span
	WHERE stack != toFixedString('', 16) AND stack GLOBAL NOT IN (SELECT stack FROM some.stack)")"
is 'where was waited, as the manual says' \
	"$("$bin/tprof-query" --format=csv "$store" "SELECT func_of(run, stack) AS at, sum(dur_ns) FROM span JOIN label USING(run)
		WHERE state = 'Waiting' AND stack > 0 AND key = 'of' AND value = 'testdata' GROUP BY at ORDER BY 2 DESC, 1" | tr -d '\r' | tail -n +2)" \
	"$(ask_in some "SELECT functions[length(functions)] AS at, sum(dur_ns) AS waited
		FROM span GLOBAL ANY INNER JOIN stack USING stack
		WHERE state = 'Waiting' AND load GLOBAL IN (SELECT min(load) FROM run GROUP BY run)
		AND load GLOBAL IN (SELECT load FROM run WHERE has(labels, 'of=testdata'))
		GROUP BY at ORDER BY waited DESC, at" | tr '\t' ,)"
tasks="count(*), sum(end_ns - start_ns), count(nullif(stack, 0)), sum(regions), sum(logs)"
is 'tasks' "$("$bin/tprof-query" --format=csv "$store" "SELECT name, $tasks FROM task GROUP BY 1 ORDER BY 1" | tr -d '\r' | tail -n +2)" \
	"$(ask "SELECT name, $(echo "$tasks" | sed "$with_stack; s/(\*)/()/") FROM some.task GROUP BY name ORDER BY name" | tr '\t' ,)"
for t in region log; do
	is "rows of $t" "$("$bin/tprof-query" --format=csv "$store" "SELECT count(*) FROM $t" | tr -d '\r' | tail -n 1)" \
		"$(ask "SELECT count() FROM some.$t")"
done
is 'spans by day and load' "$("$bin/tprof-query" --format=csv "$store" 'SELECT count(*) FROM span' | tr -d '\r' | tail -n 1)" \
	"$(ask "SELECT count() FROM some.span WHERE (day, load) GLOBAL IN (SELECT day, load FROM some.run)")"

if [ -n "$corpus" ] && [ -d "$corpus" ]; then
	"$bin/tprof-import" -j 2 -o "$scratch/corpus.tprof" "$corpus/profiles" "$corpus/traces" >/dev/null 2>&1
	load corpus "$scratch/corpus.tprof"
	is 'the corpus is loaded' 0 $?
	all_of "$scratch/corpus.tprof" "$address/corpus" '' 1
fi

# Dictionaries that runs share in a store are each run's own in the engine.
"$bin/tprof-merge" -o "$scratch/merged.tprof" "$store" >/dev/null 2>&1
load merged "$scratch/merged.tprof"
is 'a merged store is loaded' 0 $?
for trace in checkout.trace errands.trace; do
	same "$scratch/merged.tprof" "$address/merged" tprof-top --run=file=$trace -n 0 @
	same "$scratch/merged.tprof" "$address/merged" tprof-flame --run=file=$trace --view=offcpu --format=text @
done

# ---- again and again ----

count_all() { # database: rows of every table
	for t in $(ask "SELECT name FROM system.tables WHERE database = '$1' AND engine = 'Distributed' ORDER BY name"); do
		echo "$t $(ask "SELECT count() FROM $1.\`$t\`")"
	done
}
count_all some >"$scratch/before"
load some "$store" --spans
is 'loaded again' 0 $?
grep -q ", $runs of them there before" "$scratch/out" && ok || wrong 'runs that are known'
count_all some >"$scratch/after"
cmp -s "$scratch/before" "$scratch/after" && ok || wrong 'loading again changes nothing'

# ---- what is other in the store now ----

# Labels, names and spans that were not there at first: such runs are loaded anew, and the other
# loads count no more.
cp "$store" "$scratch/anew.tprof"
load anew "$scratch/anew.tprof"
is 'a store without spans' 0 $?
heap=$("$bin/tprof-query" --format=csv "$store" "SELECT run FROM label WHERE value = 'ledger-3.heap'" | tr -d '\r' | tail -n 1)
"$bin/tprof-store" label "$scratch/anew.tprof" "$heap" of=elsewhere baseline=yes >/dev/null 2>&1
load anew "$scratch/anew.tprof"
is 'a run with other labels' 0 $?
grep -q "$runs of them there before (1 loaded anew" "$scratch/out" && ok || wrong "labels that are other: $(cat "$scratch/out")"
for label in of=ledger of=elsewhere; do
	same "$scratch/anew.tprof" "$address/anew" tprof-top --run=$label -n 0 -inuse_space @
done
is 'the new labels in an address' "$("$bin/tprof-top" --run=baseline=yes "$scratch/anew.tprof" 2>/dev/null)" \
	"$("$bin/tprof-top" --run=all "$address/anew?label=baseline=yes" 2>/dev/null)"
load anew "$scratch/anew.tprof" --run=file=checkout.trace --spans
grep -q '1 of them there before (1 loaded anew' "$scratch/out" && ok || wrong "spans that were missing: $(cat "$scratch/out")"
is 'spans that were missing' 1 "$(ask "SELECT count() > 0 FROM anew.span WHERE load GLOBAL IN (SELECT min(load) FROM anew.run GROUP BY run)")"
same "$scratch/anew.tprof" "$address/anew" tprof-top --run=file=checkout.trace @ outliers
load anew "$scratch/anew.tprof" --spans
# What counts no more is there until its time is over, and then goes, however much it is.
is 'loads that count no more are there' 1 "$(ask "SELECT count() > $runs FROM anew.run")"
load anew "$scratch/anew.tprof"
grep -q "$runs of them there before; 0B sent" "$scratch/out" && ok || wrong "nothing is other: $(cat "$scratch/out")"
is 'each run counts once' "$runs" "$(ask 'SELECT count(), 0 FROM anew.run WHERE load GLOBAL IN (SELECT min(load) FROM anew.run GROUP BY run)' | cut -f 1)"

ask "INSERT INTO anew.load (day, load, run, begun) SELECT today(), number + 1, 'gone', now() - 90000 FROM numbers(5000)"
load anew "$scratch/anew.tprof"
grep -q '; 5,000 loads removed that do not count' "$scratch/out" && ok || wrong "many loads to remove: $(cat "$scratch/out")"

# ---- a server is killed in the middle ----

many=$scratch/many.tprof
mkdir "$scratch/many"
i=0
while [ $i -lt 400 ]; do
	i=$((i + 1))
	"$bin/makeprofile" --heap --stacks=300 --functions=200 --seed=$i "$scratch/many/$i.heap" >/dev/null
done
"$bin/tprof-import" -j 2 -o "$many" --label=kind=many "$scratch/many" >/dev/null 2>&1
load cut "$many" &
loading=$!
until_rows cut.bucket_local
# Nobody who may list processes sees a password.
ps -eo args >"$scratch/ps"
is 'no password in the list of processes' 0 "$(grep -cF s3cret "$scratch/ps")"
stop "$pid2"
pid2=''
wait $loading
is 'a load whose server is killed fails' 4 $?
says 'a load whose server is killed' '127.0.0.1'
is 'part of it counts' 1 "$(ask 'SELECT count() < 400 FROM cut.run_local')"
"$bin/tprof-top" --run=all "$address/cut" >"$scratch/out" 2>"$scratch/err"
is 'asking while a server is away' '4 0' "$? $(wc -c <"$scratch/out")"
is 'in one line' 1 "$(wc -l <"$scratch/err")"
start 2; pid2=$started
wait_for "$http2"
load cut "$many"
is 'loading once more' 0 $?
is 'nothing is lost or there twice' '400 400' "$(ask 'SELECT count(), uniqExact(run) FROM cut.run' | tr '\t' ' ')"
expected=$("$bin/tprof-query" --format=csv "$many" 'SELECT count(*) FROM bucket' | tr -d '\r' | tail -n 1)
is 'samples that count' "$expected" "$(ask 'SELECT count() FROM cut.bucket WHERE load GLOBAL IN (SELECT min(load) FROM cut.run GROUP BY run)')"
same "$many" "$address/cut" tprof-top --run=all -n 0 @
same "$many" "$address/cut" tprof-top --run=kind=many -n 0 -alloc_objects --traces @
same "$many" "$address/cut" tprof-flame --run=all --format=text @
# What was cut off goes after a day. Here are two of which only some samples came.
columns=$(ask "SELECT arrayStringConcat(groupArray(name), ', ') FROM system.columns WHERE database = 'cut' AND table = 'bucket'")
first=$(ask 'SELECT load FROM cut.bucket LIMIT 1')
left=$((first + 1)) young=$((first + 2))
for cut in "$left 90000" "$young 80000"; do
	ask "INSERT INTO cut.load (day, load, run, begun) SELECT today(), toUInt64(${cut% *}), '${cut% *}', now() - ${cut#* }"
	ask "INSERT INTO cut.bucket ($columns) SELECT $(echo "$columns" | sed "s/, load,/, toUInt64(${cut% *}),/") FROM cut.bucket WHERE load = $first"
	is 'there is something to remove' 1 "$(ask "SELECT count() > 0 FROM cut.bucket WHERE load = ${cut% *}")"
done
is 'the engine says when a load began' 1 "$(ask 'SELECT min(begun) > now() - 7200 FROM cut.load WHERE length(run) = 32')"
load cut "$many"
grep -q '; 1 load removed that does not count' "$scratch/out" && ok || wrong "one load to remove: $(cat "$scratch/out")"
i=0
while [ $i -lt 1000 ] && [ "$(ask "SELECT count() FROM cut.bucket WHERE load = $left")" != 0 ]; do
	i=$((i + 1))
	sleep 0.1
done
is 'what was cut off is removed' '0 0' "$(ask "SELECT count() FROM cut.bucket WHERE load = $left") $(ask "SELECT count() FROM cut.load WHERE load = $left")"
is 'what another may be at is not' 1 "$(ask "SELECT count() > 0 FROM cut.bucket WHERE load = $young")"
is 'and nothing else' "$expected" "$(ask 'SELECT count() FROM cut.bucket WHERE load GLOBAL IN (SELECT min(load) FROM cut.run GROUP BY run)')"
same "$many" "$address/cut" tprof-top --run=all -n 0 @

# ---- two who load at the same time ----

state_of() { sed -n 's/.*) \(.\) .*/\1/p' "/proc/$1/stat" 2>/dev/null; }
# One is stopped in the middle of its load; the other takes nothing from him.
# An INSERT of samples into the first server's table takes three seconds more when they are there: so
# long a load waits by itself. The tables are made by one of a trace, which has no samples.
load both "$store" --run=file=convoy.trace
is 'a trace is loaded' 0 $?
ask_server 1 "CREATE MATERIALIZED VIEW both.slow ENGINE = Null AS SELECT sleep(3) AS waited FROM both.bucket_local"
load both "$many" &
loading=$!
until_rows both.bucket_local
exporter=$(pgrep -P $loading tprof-export)
[ -z "$exporter" ] || kill -STOP "$exporter"
i=0
while [ $i -lt 1000 ] && [ "$(state_of "$exporter")" != T ]; do
	i=$((i + 1))
	sleep 0.1
done
is 'a load is stopped' T "$(state_of "$exporter")"
ask_server 1 'DROP TABLE both.slow'
is 'in its middle' 1 "$(ask 'SELECT count() < 400 FROM both.run')"
"$bin/tprof-export" --run=1 --clickhouse="$address/both" --clickhouse="clickhouse://127.0.0.1:$http2/both" --cluster=fleet \
	"$scratch/hosts.tprof" >"$scratch/out2" 2>"$scratch/err2"
is 'another load meanwhile' 0 $?
grep -q removed "$scratch/out2" && wrong 'a load that goes on is removed'
is 'the first one is stopped still' T "$(state_of "$exporter")"
[ -z "$exporter" ] || kill -CONT "$exporter"
wait $loading
is 'the first one goes on' 0 $?
samples_of_many() {
	ask "SELECT count() FROM both.bucket WHERE load GLOBAL IN (SELECT load FROM both.run WHERE has(labels, 'kind=many'))"
}
i=0
while [ $i -lt 600 ] && [ "$(samples_of_many)" != "$expected" ]; do
	i=$((i + 1))
	sleep 0.1
done
is 'all of its samples are there' "$expected" "$(samples_of_many)"
# ---- what goes wrong is said ----

refuses() { # what, status, text, command …
	what=$1 status=$2 text=$3
	shift 3
	"$@" >"$scratch/out" 2>"$scratch/err"
	is "$what" "$status" $?
	says "$what" "$text"
	grep -q 's3cret\|wrong-one' "$scratch/err" && wrong "$what: the message has the password"
}
refuses 'a wrong password' 4 'user or password is wrong' "$bin/tprof-top" "clickhouse://loader:wrong-one@127.0.0.1:$http1/some"
chmod 644 "$HOME/.config/tprof/clickhouse"
refuses 'credentials that others may read' 4 'open to other users' "$bin/tprof-top" "$address/some"
chmod 600 "$HOME/.config/tprof/clickhouse"
refuses 'no tables' 3 'tprof-export --clickhouse' "$bin/tprof-top" "$address/nowhere"
refuses 'nobody there' 4 'connect' "$bin/tprof-top" "clickhouse://127.0.0.1:1/some"
refuses 'no cluster' 3 'the engine'\''s system.clusters has no cluster nosuch; it has: fleet' "$bin/tprof-export" --clickhouse="$address/other" --cluster=nosuch "$store"
is 'nothing was made for it' 0 "$(ask "SELECT count() FROM system.databases WHERE name = 'other'")"
refuses 'labels to load into' 2 '--run=KEY=VALUE' "$bin/tprof-export" --clickhouse="$address/single?label=a=b" "$store"
refuses 'labels with a comma' 3 'label=KEY=VALUE&label=KEY=VALUE' "$bin/tprof-top" "$address/some?label=of=ledger,file=x"
refuses 'a timeout that is none' 2 'takes a number of seconds' "$bin/tprof-top" "$address/some?timeout=x"
refuses 'two timeouts' 2 'timeout= is given twice' "$bin/tprof-top" "$address/some?timeout=1&timeout=2"
refuses 'no address' 2 'in the address' "$bin/tprof-top" 'clickhouse://:wrong-one@/x'
refuses 'a cluster, of one server' 3 'over the cluster fleet; give --cluster' "$bin/tprof-export" --clickhouse="$address/some" "$store"
refuses 'another cluster' 3 'cluster fleet, not nosuch' "$bin/tprof-export" --clickhouse="$address/some" --cluster=nosuch "$store"
"$bin/tprof-export" --clickhouse="$address/single" "$store" >/dev/null
refuses 'one server, on a cluster' 3 'was made without --cluster' "$bin/tprof-export" --clickhouse="$address/single" --cluster=fleet "$store"
is 'nothing was made' 0 "$(ask "SELECT count() FROM system.tables WHERE database = 'single' AND engine = 'Distributed'")"
refuses 'another command' 2 'tprof-top, tprof-diff, tprof-flame and tprof-export' "$bin/tprof-leaks" "clickhouse://loader:wrong-one@127.0.0.1:$http1/some"
kill -STOP "$pid1"
# Ended with another status where the address's two seconds are not heeded: by itself it waits for 300.
refuses 'a server that does not answer' 4 '127.0.0.1' timeout 200 "$bin/tprof-top" "$address/some?timeout=2&connect-timeout=2"
kill -CONT "$pid1"
# A signal leaves nothing behind, whenever it comes; what a kill leaves goes with the next command.
# (A job in the background ignores ^C.)
for signal in TERM HUP; do
	for after in 0.05 0.2 0.4 0.8; do
		"$bin/tprof-top" --run=all -n 0 "$address/cut" >/dev/null 2>&1 &
		asking=$!
		sleep $after
		kill -$signal $asking 2>/dev/null
		wait $asking
		is "SIG$signal after $after s" '' "$(ls -A "$TMPDIR")"
	done
done
kill -STOP "$pid1"
"$bin/tprof-top" --run=all -n 0 "$address/cut" >/dev/null 2>&1 &
asking=$!
sleep 0.5
kill -TERM $asking
wait $asking
is 'it ends by the signal' 143 $?
kill -CONT "$pid1"
# It comes to no end while nobody reads what it writes.
mkfifo "$scratch/unread"
exec 8<>"$scratch/unread"
"$bin/tprof-top" --run=all --traces "$address/cut" >&8 2>/dev/null 8>&- &
asking=$!
i=0
while [ $i -lt 1000 ] && [ -z "$(ls -A "$TMPDIR")" ]; do
	i=$((i + 1))
	sleep 0.02
done
kill -KILL $asking
wait $asking 2>/dev/null
exec 8>&-
is 'a kill leaves its folder' 1 "$(ls -A "$TMPDIR" | wc -l)"
"$bin/tprof-top" --run=of=ledger -n 5 "$address/some" >/dev/null 2>&1
is 'nothing is left in the folder for temporary files' '' "$(ls -A "$TMPDIR")"

echo "clickhouse: $passed passed, $failed failed"
[ $failed -eq 0 ]
