# shellcheck disable=SC2154
# Names of code: of stripped programs, from separate files, from debuginfod, in Rust. Part of real.sh.

# has NAME FILE TEXT…: the functions of a dump have these texts; a text behind "!" must not occur.
has() {
	name=$1 dump=$2
	shift 2
	"$bin/tprof-top" -n 0 "$dump" >has.out 2>&1 && "$bin/tprof-top" -n 0 "${dump%/*}/trace.out" cpu >has.trace 2>&1
	for text in "$@"; do
		if case $text in !*) grep -qF -e "${text#!}" has.out has.trace ;; *) ! grep -qF -e "$text" has.out ;; esac; then
			bad "$name" "names: $text" has.out
			return 1
		fi
	done
	ok "$name"
}

# A program without symbols; "found" has its debugging information.
stripped() {
	cat >named.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
__attribute__((noinline)) static char *first(size_t n) { return memset(malloc(n), 1, n); }
__attribute__((noinline)) static char *second(size_t n) { return memset(malloc(n), 2, n); }
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *later(void *arg)
{
	usleep(20000);
	pthread_mutex_lock(&m); /* main waits by now */
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}
int main(void)
{
	pthread_t t;

	pthread_mutex_lock(&m);
	pthread_create(&t, NULL, later, NULL);
	pthread_cond_wait(&c, &m);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	return first(1 << 20)[5] + second(1 << 20)[5] - 3;
}
END
	mkdir -p apart/.debug found
	${CC:-cc} -O1 -g -o apart/named named.c -pthread && objcopy --only-keep-debug apart/named found/named.debug &&
		strip apart/named && cp apart/named bare || return
	objcopy --add-gnu-debuglink=found/named.debug apart/named
}

names_apart() {
	stripped || { skip 'names of a stripped program' 'there is no objcopy'; return; }
	run recorded record -o dumps --all --block=1ns --heap=1 -- ./bare
	has 'a stripped program: addresses are apart' dumps/heap.pb.gz bare+0x '!first' || return
	if [ "$("$bin/tprof-top" -n 0 dumps/heap.pb.gz | grep -c 'MB.* bare+0x')" -lt 4 ]; then
		bad 'a stripped program: addresses are apart' 'there are fewer than four' has.out
	fi
	# The same names in the trace and in the profile.
	"$bin/tprof-top" -n 0 dumps/block.pb.gz | grep -o 'bare+0x.*' | sort -u >names.profile
	"$bin/tprof-top" -n 0 dumps/trace.out block | grep Cond | grep -o 'bare+0x[0-9a-f]*' | sort -u >names.trace
	if [ -s names.trace ] && [ -z "$(comm -13 names.profile names.trace)" ]; then
		ok 'a stripped program: names in the trace and in profiles'
	else
		bad 'a stripped program: names in the trace and in profiles' 'differ' names.trace
	fi
	if "$bin/tprof-top" --symbol-path=found dumps/heap.pb.gz | grep -q first; then
		ok 'a stripped program: symbols that come later'
	else
		bad 'a stripped program: symbols that come later' 'do not name addresses' recorded.err
	fi
	for place in apart apart/.debug; do
		rm -rf dumps apart/named.debug
		cp found/named.debug $place/
		run recorded record -o dumps --all --heap=1 -- apart/named
		has "debugging information in $place" dumps/heap.pb.gz first second '!named+0x'
	done
	echo >>apart/.debug/named.debug
	rm -rf dumps
	run recorded record -o dumps --all --heap=1 -- apart/named
	has 'debugging information with another checksum' dumps/heap.pb.gz named+0x '!first'
}

# A server on the loopback address has the debugging information; then it has ended.
from_debuginfod() {
	stripped || { bad 'debuginfod' 'there is no objcopy'; return; }
	port=$(free_port)
	debuginfod -p "$port" -d :memory: -F "$PWD/found" >server.log 2>&1 &
	servers="$servers $!" server=$!
	for _ in $(seq 200); do
		[ "$(curl -s "http://127.0.0.1:$port/metrics" |
			grep -c 'found_debuginfo_total.* [1-9]\|thread_work_total{role="groom"} [1-9]\|thread_busy{role="scan"} 0')" = 3 ] && break
		sleep 0.1
	done
	export DEBUGINFOD_CACHE_PATH="$PWD/downloads" DEBUGINFOD_URLS="http://127.0.0.1:$port"
	run recorded record -o dumps --all --heap=1 -- ./bare
	has 'debuginfod' dumps/heap.pb.gz first second '!bare+0x'
	kill "$server" && wait "$server" 2>/dev/null
	rm -rf dumps
	DEBUGINFOD_CACHE_PATH=$PWD/empty
	run recorded record -o dumps --all --heap=1 -- ./bare
	if grep -q '^.*debuginfod: .*; check DEBUGINFOD_URLS' recorded.err; then
		has 'debuginfod that has ended' dumps/heap.pb.gz bare+0x
	else
		bad 'debuginfod that has ended' 'it is not told' recorded.err
	fi
	unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
}

# A server on the loopback address that never answers: ^C goes on without it, and the files are written.
from_silent_server() {
	stripped || { skip 'a download that is cancelled' 'there is no objcopy'; return; }
	port=$(free_port)
	python3 -c "import socket, time
s = socket.create_server(('127.0.0.1', $port))
open('listens', 'w').close()
c = s.accept()
open('asked', 'w').close()
time.sleep(100)" &
	servers="$servers $!"
	for _ in $(seq 200); do
		[ -e listens ] && break
		sleep 0.1
	done
	DEBUGINFOD_CACHE_PATH=$PWD/silent DEBUGINFOD_URLS=http://127.0.0.1:$port \
		"$bin/tprof-record" -o dumps --all --heap=1 -- ./bare 2>recorded.err &
	recorder=$!
	for _ in $(seq 100); do
		[ -e asked ] && break
		sleep 0.1
	done
	sleep 0.6
	kill -INT $recorder
	begun=$(date +%s)
	wait $recorder
	status=$?
	if grep -q 'built without debuginfod\|cannot be used' recorded.err; then
		skip 'a download that is cancelled' 'there is no libdebuginfod'
	elif [ $status = 0 ] && [ $(($(date +%s) - begun)) -lt 30 ] && grep -q 'the download was cancelled' recorded.err; then
		has 'a download that is cancelled' dumps/heap.pb.gz bare+0x
	else
		bad 'a download that is cancelled' "status $status, or it is not told" recorded.err
	fi
}

# Both manglings, without debugging information.
rust_names() {
	for mangling in legacy v0; do
		if ! RUSTC_BOOTSTRAP=1 rustc -O -Z unstable-options -C symbol-mangling-version=$mangling -o "$mangling" \
			"$source/cmd/tprof-record/tests/names.rs" >rust.log 2>&1; then
			bad "names of Rust, $mangling" 'rustc could not build it' rust.log
			continue
		fi
		rm -rf dumps
		run recorded record -o dumps --all --heap=1 -- "./$mangling"
		has "names of Rust, $mangling" dumps/heap.pb.gz '<names::Square as names::Shape>::grow' names::main \
			std::sys '!_RN' '!17h' '!_<'
	done
}
