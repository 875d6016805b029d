#!/bin/sh
# make test-recorder: what make test checks of the recorder and more of it, with Go's own readers as
# judges beside ours, and with programs as people have them: redis, memcached, sqlite3, xz, zstd, a
# C++ and a Rust program, jemalloc. Servers listen on the loopback address only, and end with this.
#
#   sh testdata/recorder/real.sh BUILD_FOLDER
#
# Needs the peers oracle, oracle-legacy, gotrace and gopprof in ${PEERS:-~/.cache/tprof-peers}/bin
# and the Debian packages named in `packages`, which it installs where it may. What is missing is a
# failure. One line per check; T=TEXT,TEXT: only those whose
# name holds one of them.
set -u
cd "$(dirname "$0")/../.." || exit 4
BUILD=$1
. testdata/recorder/lib.sh
. "$source/testdata/recorder/others.sh"

# ---- what is needed ----

wanted() {
	case ",${T:-}," in ,,) return 0 ;; esac
	echo "$T" | tr , '\n' | while read -r text; do
		case $1 in *"$text"*) echo yes ;; esac
	done | grep -q yes
}

# Programs, each with its package and a check that wants it.
packages='redis-server:redis-server:redis redis-cli:redis-tools:redis redis-benchmark:redis-tools:redis
	memcached:memcached:memcached memcaslap:libmemcached-tools:memcached memcping:libmemcached-tools:memcached
	sqlite3:sqlite3:sqlite3 xz:xz-utils:xz zstd:zstd:zstd rustc:rustc:Rust c++:g++:C++
	debuginfod:debuginfod:debuginfod curl:curl:debuginfod'
lacking() {
	for p in $packages; do
		name=${p##*:} p=${p%:*}
		! wanted "$name" || command -v "${p%:*}" >/dev/null 2>&1 || echo "${p#*:}"
	done | sort -u
	! wanted jemalloc || ls /usr/lib/*/libjemalloc.so.2 >/dev/null 2>&1 || echo libjemalloc2
	! wanted pgbench || ls /usr/lib/postgresql/*/bin/pgbench >/dev/null 2>&1 || echo postgresql
}
lack=$(lacking | tr '\n' ' ')
if [ -n "$lack" ] && command -v apt-get >/dev/null; then
	sudo=
	[ "$(id -u)" -eq 0 ] || sudo=sudo
	# Nothing is started by installing it.
	# shellcheck disable=SC2086
	{ $sudo apt-get update -qq && $sudo env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends $lack; } >apt.log 2>&1
	lack=$(lacking | tr '\n' ' ')
fi
[ -z "$lack" ] || bad 'packages' "missing: $lack" apt.log
needs_peers
jemalloc=$(ls /usr/lib/*/libjemalloc.so.2 2>/dev/null | head -n 1)

both='--trace-format=1.26_--profile-format=proto --trace-format=1.5_--profile-format=text'
# in_both NAME LEAST OPTIONS PROGRAM…: as `same`, in both formats of each.
in_both() {
	wanted "$1" || return 0
	formatted=$1 atleast=$2 with=$3
	shift 3
	for formats in $both; do
		formats=$(echo "$formats" | tr _ ' ')
		same "$formatted ($formats)" "$atleast" "$with $formats" "$@"
	done
}

# ---- round trip and accuracy ----

if wanted 'round trip'; then
	thrice trip 'round trip, go 1.26' '' 150 99
	thrice trip 'round trip, go 1.5' --trace-format=1.5 150 99
	thrice trip 'round trip, with everything else on' --all 150 99
fi
if wanted 'heap at rate 1'; then
	for seed in 3 4; do
		exact_heap "heap at rate 1, seed $seed" heap.pb.gz --heap=1 -- "$programs/heap" $seed
	done
	PRELOAD=$jemalloc
	exact_heap 'heap at rate 1, jemalloc' heap.pb.gz --heap=1 -- "$programs/heap" 5
	PRELOAD=
fi

# rms NAME RATE RUNS: estimates of what is in use, per site and in all, are as far from the truth as
# Poisson sampling says, at most 1.3 times. Sites are independent, so that RUNS runs are RUNS * 8
# trials; the sum over all of them is RUNS trials, and gets as many more where it fails.
rms() {
	: >trials
	for turn in 1 2; do
		for run in $(seq "$3"); do
			rm -rf dumps
			run truth record -o dumps --heap="$2" -- "$programs/heap" $((run + turn * 1000)) "$2"
			values dumps/heap.pb.gz inuse_space >got
			awk 'NR == FNR { got[$1] = $2; next }
				{ e = got[$1] - $5; sites += e * e / $6; n++; sum += e; variance += $6; all += $5 }
				END { print sites, n, sum * sum / variance, sum, all, variance }' got truth.out >>trials
		done
		awk '{ sites += $1; n += $2; sum += $3; runs++; e += ($4 / $5) ^ 2; theory += $6 / $5 ^ 2 }
			END { s = sqrt(sites / n); t = sqrt(sum / runs)
			printf "%.2f x theory over %d sites, %.2f x over %d sums; rms %.2f %% (theory %.2f %%)\n",
				s, n, t, runs, 100 * sqrt(e / runs), 100 * sqrt(theory / runs)
			exit s > 1.3 || t > 1.3 || n != runs * 8 }' trials >said && { ok "$1" "$(cat said)"; return; }
	done
	bad "$1" "$(cat said)"
}
if wanted 'heap sampled'; then
	rms 'heap sampled at 64 KiB' 65536 30
	rms 'heap sampled at 512 KiB' 524288 30
fi
if wanted 'block and mutex'; then
	thrice sums 'block and mutex, all' 5 '--block=1ns --mutex=1' 500 300 3
	thrice sums 'block and mutex, sampled' 5 '--block=500us --mutex=2' 150 4000 4
fi

! wanted 'CPU shares' || thrice cpu_shares

# ---- survival, with the peers ----

if wanted 'crash points'; then
	OPTIONS='-trim=false
'
	crash_points 100 --all
	crash_points 100 '--all --trace-format=1.5 --profile-format=text'
	OPTIONS=
fi
for how in segv abort kill _exit; do
	in_both "ends by $how" 3 --all "$programs/die" $how 9
done
in_both 'children' 3 --all "$programs/forks"
in_both 'children, recorded too' 12 '--all --follow-children' "$programs/forks"
in_both 'becomes another program' 3 '--all --follow-children' "$programs/forks" exec "$programs/die" return 3
in_both '5,500 threads' 3 --all "$programs/threads" many
in_both 'cancelled threads' 3 --all "$programs/threads" cancel
in_both 'threads that outlive main' 3 --all "$programs/threads" outlive
in_both 'signal handlers that allocate' 3 '--all --heap=1' "$programs/signals"
in_both 'full memory' 3 --all "$programs/tight"
if wanted ends; then
	. "$source/testdata/recorder/ends.sh"
	ends
fi
if wanted odd; then
	. "$source/testdata/recorder/odd.sh"
fi
. "$source/testdata/recorder/symbols.sh"
if wanted api; then
	. "$source/testdata/recorder/api.sh"
	api
fi

# ---- C++, Rust, jemalloc ----

in_both 'a C++ program' 3 --all "$programs/cxx"
if wanted 'a Rust program'; then
	if rustc -O -g -o std "$source/cmd/tprof-record/tests/std.rs" >rust.log 2>&1; then
		in_both 'a Rust program' 3 --all ./std
	else
		bad 'a Rust program' 'rustc could not build it' rust.log
	fi
fi
if wanted 'names of Rust'; then
	rust_names
fi
if wanted jemalloc; then
	PRELOAD=$jemalloc
	in_both 'jemalloc, preloaded' 3 '--all --heap=4096' "$programs/threads" cancel
	in_both 'jemalloc, preloaded, C++' 3 '--all --heap=4096' "$programs/cxx"
	PRELOAD=
	if cc -O2 -g -o linked "$source/cmd/tprof-record/tests/forks.c" -pthread "$jemalloc" >cc.log 2>&1; then
		in_both 'jemalloc, linked' 3 '--all --heap=4096' ./linked
	else
		bad 'jemalloc, linked' 'it could not be built' cc.log
	fi
fi

if wanted 'names of stripped programs'; then
	names_apart
fi
if wanted debuginfod; then
	from_debuginfod
fi

# ---- programs as people have them ----

if wanted sqlite3; then
	awk 'BEGIN {
		srand(7)
		print "create table t(id integer primary key, k integer, name text, x real);"
		print "begin;"
		for (i = 1; i <= 60000; i++)
			printf "insert into t values(%d, %d, \"name %d\", %.6f);\n", i, rand() * 1000, rand() * 1e6, rand()
		print "commit;"
		print "create index t_k on t(k);"
		for (i = 0; i < 300; i++)
			printf "select k, count(*), sum(x), max(name) from t where k between %d and %d group by k order by 3 desc limit 3;\n", i, i + 40
		print "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select sum(i), max(i % 977) from n;"
		print "update t set name = upper(name) where k % 3 = 0;"
		print "select count(*) from t a join t b on a.k = b.k where a.id < 3000;"
		print "delete from t where k > 500; select count(*), sum(length(name)) from t;"
	}' | sed "s/\"/'/g" >script.sql
	in_both 'sqlite3 on a large script' 3 --all sqlite3 -batch -init /dev/null :memory: '.read script.sql'
fi
if wanted 'xz -T2' || wanted 'zstd -T2'; then
	awk 'BEGIN { srand(3); for (i = 0; i < 250000; i++) printf "%d line %d of something that repeats %.3f\n", i, rand() * 5000, rand() }' >text
fi
in_both 'xz -T2' 3 --all xz -T2 -3 --block-size=1MiB -c text
in_both 'zstd -T2' 3 --all zstd -q -T2 -9 -c text

await() { # command that succeeds when it is up
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	return 1
}

# served NAME OPTIONS START CLIENT STOP: functions, called with a port; START runs the server by way of
# $@ before its own words. What the client sees is to be the same with and without the recorder.
served() {
	name=$1 options=$2 start=$3 client=$4 stop=$5
	for with in bare recorded; do
		port=$(free_port)
		rm -rf dumps data
		mkdir data
		if [ $with = bare ]; then
			$start "$port" >server.$with 2>&1 &
		else
			# shellcheck disable=SC2086
			$start "$port" timeout -k 5 120 "$bin/tprof-record" -o dumps $options -- >server.$with 2>&1 &
		fi
		server=$!
		servers=$server
		$client "$port" >client.$with 2>&1
		seen=$?
		$stop "$port" $server
		wait $server
		status=$?
		servers=
		[ $with = recorded ] || bare="$seen $status"
	done
	if [ "$seen $status" != "$bare" ]; then
		bad "$name" "status of client and server $seen $status, not $bare" server.recorded
	elif [ "$seen" -ne 0 ]; then
		bad "$name" "the client fails with $seen" client.recorded
	elif ! cmp -s client.bare client.recorded; then
		diff client.bare client.recorded >differs
		bad "$name" 'the client sees something else' differs
	elif ! judge dumps 3; then
		bad "$name" "$why" server.recorded
	elif ! ask_others dumps; then
		bad "$name" "$why"
	else
		ok "$name" "status $status, $n dumps"
	fi
}

start_redis() { # port, words before
	at=$1
	shift
	exec "$@" redis-server --port "$at" --bind 127.0.0.1 --save '' --appendonly no --dir data --io-threads 2
}
client_redis() {
	await redis-cli -p "$1" ping || return 9
	redis-benchmark -p "$1" -q -n 4000 -c 20 -t set,get,incr,lpush,lrange_100,zadd >benchmark.out 2>&1 || return 8
	grep -c 'requests per second' benchmark.out
	for i in 1 2 3; do
		echo "set key:$i value$i"
		echo "get key:$i"
		echo "rpush list $i"
		echo "object encoding list"
	done | redis-cli -p "$1"
	redis-cli -p "$1" eval 'local s = 0 for i = 1, 1000 do s = s + redis.call("incr", "n") end return s' 0
	redis-cli -p "$1" dbsize
	# A child that is forked while threads are about.
	redis-cli -p "$1" save
	redis-cli -p "$1" bgsave
	for _ in $(seq 100); do
		redis-cli -p "$1" info persistence | grep -q 'rdb_bgsave_in_progress:0' && break
		sleep 0.05
	done
	redis-cli -p "$1" info persistence | grep rdb_last_bgsave_status
}
stop_redis() { redis-cli -p "$1" shutdown nosave >/dev/null 2>&1; }

start_memcached() {
	at=$1
	shift
	# It does not run as root unless told to.
	exec "$@" memcached -l 127.0.0.1 -p "$at" -U 0 -t 4 -m 64 -u "$(id -un)"
}
client_memcached() {
	await memcping --servers="127.0.0.1:$1" || return 9
	memcaslap -s "127.0.0.1:$1" -T 2 -c 16 -x 20000 >benchmark.out 2>&1 || return 8
	grep -c 'Run time' benchmark.out
	awk '/^cmd_get|^cmd_set|^get_misses/ { print $1 }' benchmark.out
	echo 'of a file' >stored
	memccp --servers="127.0.0.1:$1" stored && memccat --servers="127.0.0.1:$1" stored
}
# The program under the recorder is told by way of the recorder.
stop_memcached() { kill -TERM "$2"; }

for formats in $both; do
	formats=$(echo "$formats" | tr _ ' ')
	if wanted redis; then
		served "redis-server under redis-benchmark ($formats)" "--all $formats" start_redis client_redis stop_redis
	fi
	if wanted memcached; then
		served "memcached with four threads ($formats)" "--all $formats" start_memcached client_memcached stop_memcached
	fi
done
# ---- running is what getrusage says ----

if wanted 'running: C++20'; then
	thrice running 'running: C++20' futex 0 "$programs/runningxx"
fi

# What a program has used by the account of the shell that started it, in ms; its trace is in dumps.
used() {
	rm -rf dumps
	record -o dumps --trace --follow-children -- bash -c '"$@" >used.out 2>&1; times >times' bash "$@" >used.err 2>&1
	awk 'NR == 2 { gsub(/[ms]/, " "); print 1000 * (60 * $1 + $2 + 60 * $3 + $4) }' times
}
# Its threads wait for the server some ten thousand times. What it takes to start is not in the trace.
ran_pgbench() {
	client="$postgres/pgbench -U tprof -h $PWD/pg -S -c 8 -j 8"
	before=$(used "$postgres/pgbench" --version)
	# shellcheck disable=SC2086
	cpu=$(used $client -T 3 postgres)
	if ! judge dumps 2; then
		bad 'running: pgbench' "$why" used.err
		return 1
	elif ! ask_others dumps; then
		bad 'running: pgbench' "$why"
		return 1
	fi
	rm -f running.tprof
	"$bin/tprof-import" -o running.tprof dumps/*-pgbench/trace.out >/dev/null 2>&1
	"$bin/tprof-query" --format=tsv running.tprof "select sum(end_ns - start_ns) / 1e6, count(*) from span
		where state = 'Running'" | sed 1d >ran
	if awk -v cpu="$cpu" -v before="$before" '{ room = cpu / 50 > 2 ? cpu / 50 : 2
		printf "ran %.1f ms in %d stretches, by getrusage %.1f - %.1f\n", $1, $2, cpu, before
		exit $1 < cpu - before - room || $1 > cpu - before + room }' ran >said; then
		ok 'running: pgbench' "$(cat said)"
	else
		bad 'running: pgbench' "$(cat said)" used.err
		return 1
	fi
}
if wanted 'running: pgbench'; then
	postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
	# It does not run as root.
	nobody=
	[ "$(id -u)" -ne 0 ] || nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	mkdir -m 777 pg && chmod 755 .
	(
		cd pg && $nobody "$postgres/initdb" -U tprof -A trust -D data &&
			$nobody "$postgres/pg_ctl" -D data -w -l log -o "-k $PWD -h ''" start &&
			"$postgres/pgbench" -U tprof -h "$PWD" -i postgres
	) >pg.log 2>&1
	if [ $? -eq 0 ]; then
		thrice ran_pgbench
	else
		bad 'running: pgbench' 'postgres does not start' pg.log
	fi
	$nobody "$postgres/pg_ctl" -D pg/data -m immediate stop >/dev/null 2>&1
fi
finish recorder
