# Recordings of programs that run already (--pid); to be read by check.sh.

# outside OPTIONS MODE…: runs the program `attached`, records it by its pid, and lets it go when recording has
# begun. Leaves dumps, outside.out (the program's), outside.err (the recorder's), $status and $ended of both.
outside() {
	options=$1
	shift
	rm -rf dumps line
	mkfifo line
	${AS:-} "$programs/attached" "$@" <line >outside.out 2>program.err &
	program=$!
	exec 9>line # 3 and 4 are the jobserver of make
	record --pid=$program -o dumps $options >recorder.out 2>outside.err &
	recorder=$!
	for i in $(seq 200); do
		grep -q 'recording process' outside.err || ! kill -0 $recorder 2>/dev/null || { sleep 0.02; continue; }
		break
	done
	echo go >&9
	exec 9>&-
	wait $program
	ended=$?
	wait $recorder
	status=$?
}

# Whether the kernel allows it at all here.
can_attach() {
	outside --for=1ms work
	[ $status -eq 0 ] && return 0
	grep -q 'the kernel allows no perf events' outside.err || return 0
	skip 'running programs' "$(tail -n 1 outside.err)"
	return 1
}

# The program's threads ran for as long as it says, but for the switches to those that end; samples are where it
# computed, with all callers.
pid_work() { # name, options
	outside "$2" work
	if [ $status -ne 0 ] || [ $ended -ne 3 ]; then
		bad "$1" "status $status, the program's $ended" outside.err
		return 1
	fi
	judge dumps 2 || { bad "$1" "$why"; return 1; }
	ask_others dumps || { bad "$1" "$why"; return 1; }
	"$bin/tprof-import" -o pid.tprof dumps/trace.out >/dev/null 2>&1
	"$bin/tprof-top" -n 0 --format=tsv dumps/trace.out goroutines |
		awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { n += $c["running_ns"] } END { print n }' >ran
	values dumps/cpu.pb.gz cpu >got
	awk 'FILENAME == "outside.out" { told = $1; next }
		FILENAME == "ran" { off = $1 - told; most = told / 20
			if (off > most || off < -most) { wrong = 1; printf "it ran for %.1f ms, not %.1f; ", $1 / 1e6, told / 1e6 }
			next }
		{ got[$1] = $2 }
		END { deep = got["site_deep"]; flat = got["site_flat"]
			if (deep < 200e6 || deep > 400e6 || flat < 60e6 || flat > 240e6) { wrong = 1; printf "site_deep %.0f ms, site_flat %.0f; ", deep / 1e6, flat / 1e6 }
			exit wrong }' outside.out ran got >said ||
		{ bad "$1" "$(cat said)" got; return 1; }
	if ! grep -q 'until it ended' outside.err || ! grep -q '^nothing lost' outside.err; then
		bad "$1" 'the summary' outside.err
		return 1
	fi
	ok "$1"
}

pid_code() {
	cat >loaded.c <<'C'
#include <stdint.h>
#include <time.h>
void site_loaded(uint64_t ns)
{
	struct timespec t;
	uint64_t end = 0, now;
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
		now = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
		end = end ? end : now + ns;
	} while (now < end);
}
C
	${CC:-cc} -O2 -g -shared -fPIC -o loaded.so loaded.c || return
	outside '' code ./loaded.so
	values dumps/cpu.pb.gz cpu >got
	if awk '$1 == "site_loaded" && $2 > 120e6 { found = 1 } END { exit !found }' got; then
		ok 'pid: a library that is loaded later'
	else
		bad 'pid: a library that is loaded later' 'no site_loaded' got
	fi
}

pid_ends() {
	outside '' exec sleep 0.2
	if [ $status -eq 0 ] && judge dumps 2 && grep -q 'until it executed another program' outside.err; then
		ok 'pid: another program'
	else
		bad 'pid: another program' "status $status $why" outside.err
	fi
	sleep 5 & program=$!
	timeout 20 "$bin/tprof-record" --pid=$program -o dumps >recorder.out 2>outside.err & recorder=$!
	for i in $(seq 200); do grep -q 'recording process' outside.err && break; sleep 0.02; done
	# timeout passes it on.
	kill -TERM $recorder
	wait $recorder
	status=$?
	if kill $program 2>/dev/null && judge dumps 2 && grep -q 'recorded for' outside.err; then
		ok 'pid: ended by a signal'
	else
		bad 'pid: ended by a signal' "status $status $why" outside.err
	fi
}

pid_refused() {
	AS="$programs/refused"
	outside '' work
	AS=
	if [ $status -eq 4 ] && [ $ended -eq 3 ] && grep -q 'the kernel allows no perf events' outside.err; then
		ok 'pid: refused by the kernel'
	else
		bad 'pid: refused by the kernel' "status $status, the program's $ended" outside.err
	fi
}

# refuses NAME PID TEXT: a process that cannot be recorded is refused, and the message has this text.
refuses() {
	rm -rf dumps
	record --pid="$2" --for=100ms -o dumps >recorder.out 2>outside.err
	status=$?
	kill "$2"
	if [ $status -eq 3 ] && grep -q "$3" outside.err && [ ! -e dumps ]; then
		ok "$1"
	else
		bad "$1" "status $status" outside.err
	fi
}

pid_cannot() {
	cat >lives.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *stay(void *arg)
{
	sleep(60);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t;
	(void)argv;
	if (argc > 1)
		pthread_create(&t, NULL, stay, NULL);
	if (argc > 1)
		pthread_exit(NULL);
	sleep(60);
}
C
	if ! ${CC:-cc} -O1 -static -o lives lives.c -pthread 2>compiler.err; then
		skip 'pid: processes that cannot be recorded' "$(head -n 1 compiler.err)"
		return
	fi
	mkdir -p lacking/bin lacking/lib && cp "$bin/tprof-record" lacking/bin && cp "$bin/../lib/tprof-preload.so" lacking/lib
	sleep 60 & servers="$servers $!"
	(bin=$PWD/lacking/bin && record --pid=$! -o dumps) >lacking.out 2>lacking.err
	if grep -q -- '--pid=.*: tprof-symbols.so, which reads stacks, cannot be loaded' lacking.err &&
		! grep -q "another user's" lacking.err; then
		ok 'pid: a library is missing'
	else
		bad 'pid: a library is missing' 'does not say so' lacking.err
	fi
	./lives on & servers="$servers $!"
	sleep 0.3
	refuses 'pid: its main thread has ended' $! 'its main thread has ended, .*start the program with tprof-record'
	if [ "$(id -u)" -eq 0 ]; then
		mkdir -p root && cp lives root
		chroot root /lives & servers="$servers $!"
		sleep 0.3
		refuses 'pid: another root folder' $! 'another root folder than ours (a container); run tprof-record there'
	fi
	# pause(), by the 32-bit system call 29.
	python3 -c "import struct, sys
code = bytes([0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7])
head = b'\x7fELF\x01\x01\x01' + bytes(9) + struct.pack('<HHIIIIIHHHHHH', 2, 3, 1, 0x8048054, 52, 0, 0, 52, 32, 1, 40, 0, 0)
part = struct.pack('<8I', 1, 0, 0x8048000, 0x8048000, 84 + len(code), 84 + len(code), 5, 4096)
open('short', 'wb').write(head + part + code)" && chmod +x short
	./short 2>/dev/null & servers="$servers $!"
	sleep 0.3
	if kill -0 $! 2>/dev/null; then
		refuses 'pid: a 32-bit program' $! '32-bit programs cannot be recorded; record a 64-bit build'
	else
		skip 'pid: a 32-bit program' 'the kernel does not run it'
	fi
}

running_programs() {
	pid_refused
	can_attach || return
	thrice pid_work 'pid: work' ''
	thrice pid_work 'pid: work, go 1.5' --trace-format=1.5
	pid_code
	pid_ends
	if [ "$(id -u)" -eq 0 ] && chmod 777 "$scratch" && AS='setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all'; then
		thrice pid_work 'pid: as another user' ''
		if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 2 ] && ! grep -q '^not seen: time in the kernel' outside.err; then
			bad 'pid: what is not seen is said' 'it is not' outside.err
		fi
		AS=
	fi
}
