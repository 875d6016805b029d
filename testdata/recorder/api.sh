# To be read by check.sh and real.sh, which call the functions: libtprof-record. Its example has
# coroutines of its own and says, by its own clock, when it told the library what of them.

# What the program logged against the spans of its trace: each moment of each coroutine lies between
# the two looks at the clock around the call that told of it. There may be more: what
# a coroutine made its thread wait for (a pthread_mutex_lock), and when its thread was on no processor. Sets $said.
coroutines_agree() { # LOG TRACE
	rm -f coroutines.tprof
	"$bin/tprof-import" --strict -o coroutines.tprof "$2" >import.out 2>&1 || {
		said=$(tail -n 1 import.out)
		return 1
	}
	offset=$("$bin/tprof-query" --format=tsv coroutines.tprof \
		'select mono_ns - ts_ns from clock where mono_ns limit 1' | sed 1d)
	"$bin/tprof-query" --format=tsv coroutines.tprof 'select goroutine, state, start_ns, end_ns,
		reason from span order by goroutine, start_ns' | sed 1d >coroutines.tsv
	awk -F '\t' -v offset="${offset:-none}" -v slack=3000 '
	function wrong(text) { if (wrongs++ < 5) print text; }
	# Does its coroutine run again after line l, before it has told of its stop? Then it runs again
	# before the program looked at its clock for the next start.
	function runs_on(l, g, i,    k, f) {
		for (k = l + 1; k < nlines; k++) {
			split(line[k], f)
			if (f[1] != g) return 0
			if (f[2] == "Running") {
				if (!((g, "start", i + 1) in from)) return 1
				return f[3] + offset < from[g, "start", i + 1] - slack
			}
		}
		return 0
	}
	function check(g, k, i, t) {
		moments++
		if (!((g, k, i) in from))
			wrong("goroutine " g " has no " k " number " i " in the log")
		else if (t + offset < from[g, k, i] - slack || t + offset > to[g, k, i] + slack)
			wrong("goroutine " g ": " k " number " i " is " t + offset - from[g, k, i] " ns off")
	}
	# Moments of goroutine g, by kind, in the order of the log.
	NR == FNR { split($0, f, " "); g = f[1]; k = f[2] ~ /^(block|yield|end)/ ? "stop" : f[2]
		i = ++n[g, k]; what[g, k, i] = f[2]; from[g, k, i] = f[3]; to[g, k, i] = f[4]
		known[g] = 1; next }
	!($1 in known) { next }
	{ line[nlines++] = $0 }
	# A trace without a clock: where each began bounds what its times have to be moved by.
	$2 == "Running" && !begun[$1]++ {
		if (low == "" || from[$1, "start", 1] - $3 > low) low = from[$1, "start", 1] - $3
		if (high == "" || to[$1, "start", 1] - $3 < high) high = to[$1, "start", 1] - $3
	}
	END {
		if (offset == "none") offset = (low + high) / 2
		for (l = 0; l < nlines; l++) {
			$0 = line[l]
			g = $1
			if ($2 == "Running") {
				if (!inside[g]) check(g, "start", ++runs[g], $3)
				inside[g] = runs_on(l, g, runs[g])
				if (inside[g]) extra++; else check(g, "stop", runs[g], $4)
			} else if ($2 == "Waiting" && !inside[g]) {
				check(g, "ready", ++waits[g], $4)
				r = what[g, "stop", runs[g]]; sub(/^block:/, "", r); sub(/-/, " ", r)
				if (r != $5) wrong("goroutine " g ": a wait for " $5 " was one for " r)
			}
		}
		for (g in known) {
			goroutines++
			if (runs[g] != n[g, "start"]) wrong("goroutine " g " ran " runs[g] " times, not " n[g, "start"])
			if (waits[g] + 0 != n[g, "ready"] + 0) wrong("goroutine " g " waited " waits[g] " times, not " n[g, "ready"])
		}
		print goroutines + 0 " goroutines, " moments + 0 " moments, " wrongs + 0 " wrong" ", " extra + 0 " more waits"
		exit wrongs || goroutines < 2 || moments < 100
	}' "$1" coroutines.tsv >agree.out
	status=$?
	said=$(tail -n 1 agree.out)
	return $status
}

# How many goroutines ran on one P, one after the other; of what coroutines_agree imported.
several_per_p() {
	"$bin/tprof-query" --format=tsv coroutines.tprof "select max(n) from (select count(distinct goroutine) as n
		from span where state = 'Running' and p >= 0 group by p)" | sed 1d
}

coroutines() { # name, how its own trace is to be (-f: go 1.5), with tprof-record's options instead
	name=$1 flag=$2 options=$3
	rm -rf dumps own
	mkdir own
	if [ -n "$options" ]; then
		# shellcheck disable=SC2086
		run coroutines record -o dumps $options -- "$programs/coroutines" $flag -o own -l coroutines.log
	else
		mkdir dumps
		run coroutines timeout 60 "$programs/coroutines" $flag -o own -l coroutines.log
	fi
	trace=own/trace.out
	[ -z "$options" ] || trace=dumps/trace.out
	if [ "$status" -ne 0 ]; then
		bad "$name" "status $status" coroutines.err
	elif ! judge own 4 || { [ -n "$options" ] && ! judge dumps; }; then
		bad "$name" "$why"
	elif ! ask_others own || ! ask_others dumps; then
		bad "$name" "$why"
	elif ! coroutines_agree coroutines.log "$trace"; then
		bad "$name" "$said" agree.out
	elif [ "$(several_per_p)" -lt 4 ]; then
		bad "$name" "no P has several goroutines, but $(several_per_p)"
	else
		ok "$name" "$said"
	fi
}

# All four, and that the comparison notices what is not so: they depend on time.
all_coroutines() {
	coroutines 'coroutines, go 1.26' '' ''
	coroutines 'coroutines, go 1.5' -f ''
	coroutines 'coroutines, recorded' '' '--all'
	coroutines 'coroutines, recorded as go 1.5' '' '--trace-format=1.5'
	# The comparison notices what is not so.
	awk '{ if ($2 == "ready" && !n++) { $3 += 900000; $4 += 900000 } print }' coroutines.log >spoilt.log
	if coroutines_agree spoilt.log "$trace"; then
		bad 'coroutines can disagree' "$said"
	else
		ok 'coroutines can disagree' "$said"
	fi
}

# Traces that begin while it runs have all goroutines as they are.
middle() { # name, format
	rm -rf own
	mkdir own
	run coroutines timeout 60 "$programs/coroutines" $2 -o own -n 4
	if [ "$status" -ne 0 ]; then
		bad "$1" "status $status" coroutines.err
	elif ! judge own 8 || ! ask_others own; then
		bad "$1" "$why"
	else
		said=$("$bin/tprof-import" -o middle.tprof own/trace.4.out 2>&1)
		case $said in
		*' 19 goroutines,'*) ok "$1" "$n dumps" ;;
		*) bad "$1" "$said" ;;
		esac
		rm -f middle.tprof
	fi
}

# Programs that call it in any order have traces all the same.
soup() {
	rm -rf own
	mkdir own
	for seed in 1 2 3 4 5; do
		run soup timeout 60 "$programs/soup" $seed own
		[ "$status" -eq 0 ] || break
	done
	if [ "$status" -ne 0 ]; then
		bad 'calls in no order' "status $status" soup.err
	elif judge own 15 && ask_others own; then
		ok 'calls in no order' "$n traces"
	else
		bad 'calls in no order' "$why"
	fi
}

# ---- the library as a stranger has it ----

library() {
	nm -D --defined-only "$bin/../lib/libtprof-record.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >visible
	grep -oE '\btprof_[a-z_]+\(' "$source/cmd/tprof-record/api/tprof-record.h" | tr -d '(' | sort -u >promised
	if cmp -s visible promised; then
		ok 'what the library shows is what its header has' "$(wc -l <promised) functions"
	else
		diff visible promised >differs
		bad 'what the library shows is what its header has' 'differs' differs
	fi

	grep -oE '^\.F[no] tprof_[a-z_]+' "$source/man/tprof-record.3" | sed 's/.* //' | sort -u >described
	if cmp -s described promised; then
		ok 'the page describes what the library has'
	else
		diff described promised >differs
		bad 'the page describes what the library has' 'differs' differs
	fi
}

# The page's example, as a reader would type it.
page_example() {
	why='it leaves nothing'
	rm -rf page
	mkdir -p page/left
	sed -n '/^\.Sh EXAMPLES/,$p' "$source/man/tprof-record.3" | awk '/^\.Bd/ { inside = 1; next } /^\.Ed/ { exit } inside' |
		sed 's/\\e/\\/g; s/^\\&//' >page/batch.c
	if ! ${CC:-cc} -Wall -Wextra -Werror -I"$source/cmd/tprof-record/api" page/batch.c -L"$bin/../lib" -ltprof-record \
		-pthread -Wl,-rpath,"$bin/../lib" -o page/batch >compiled 2>&1; then
		bad "the page's example" 'does not compile' compiled
	elif ! (cd page && run batch timeout 60 ./batch && exit "$status"); then
		bad "the page's example" 'does not run' page/batch.err
	elif ! mv page/trace.out page/mutex.pb.gz page/left || ! judge page/left 2 || ! ask_others page/left; then
		bad "the page's example" "$why"
	else
		values page/left/mutex.pb.gz delay >got
		# It was held for 50 ms; where the worker was late, less was waited.
		if awk '$1 == "main" && $2 > 1000000 { found = 1 } END { exit !found }' got && grep -q '^release ' got; then
			ok "the page's example blames who held the lock" "$(head -n 1 got) ns"
			return 0
		fi
		bad "the page's example" 'main is not in the mutex profile' got
	fi
	return 1
}
# Under tprof-record the recording is the recorder's, and so are the children.
guest() {
	cat >guest.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tprof-record.h>

static int wrong;
#define IS(want, got) ((want) == (got) ? 0 : (wrong++, printf("line %d: %s\n", __LINE__, #got)))

__attribute__((noinline)) static void keep(void)
{
	for (int i = 0; i < 10; i++) {
		void *p = malloc(1000);

		__asm__ volatile("" : "+r"(p));
	}
}

int main(void)
{
	struct tprof_mem_record p[200];
	bool ok, found = false;
	size_t size, n;
	int status;

	IS(NULL, tprof_trace_read(&size));
	IS(0, tprof_trace_start(TPROF_GO_1_5));
	IS(EALREADY, tprof_trace_start(TPROF_GO_1_5));
	IS(NULL, tprof_trace_read(&size));
	tprof_log(0, "guest", "hello");
	/* malloc is seen. */
	tprof_set_heap_rate(1);
	keep();
	tprof_heap_snapshot();
	n = tprof_mem_profile(p, 200, false, &ok);
	for (size_t i = 0; ok && i < n; i++)
		found |= p[i].alloc_bytes == 10000 && p[i].alloc_objects == 10;
	IS(true, found);
	IS(true, tprof_g_current() == 1);
	if (!fork()) {
		IS(0, tprof_trace_to_file("child.trace", TPROF_GO_1_26));
		tprof_log(0, "child", "alone");
		IS(0, tprof_trace_stop());
		_exit(wrong);
	}
	wait(&status);
	IS(0, status);
	IS(0, tprof_trace_stop());
	IS(0, tprof_trace_stop());
	return wrong;
}
END
	if ! ${CC:-cc} -Wall -I"$source/cmd/tprof-record/api" guest.c -L"$bin/../lib" -ltprof-record -Wl,-rpath,"$bin/../lib" \
		-o guest >compiled 2>&1; then
		bad 'a program that is recorded, and would do it itself' 'does not compile' compiled
	else
		for options in --all --heap; do
			rm -rf dumps child.trace
			# shellcheck disable=SC2086
			run guest record -o dumps $options -- ./guest
			said="alone with $options"
			if [ "$status" -ne 0 ]; then
				cat guest.err >>guest.out
				bad "a program that is recorded with $options, and would do it itself" "status $status" guest.out
			elif ! judge dumps 1 || ! judge child.trace; then
				bad "a program that is recorded with $options, and would do it itself" "$why"
			elif ! "$bin/tprof-export" --format=events child.trace 2>&1 | grep -q alone; then
				bad "a program that is recorded with $options, and would do it itself" 'its child has no trace'
			else
				ok "a program that is recorded with $options, and would do it itself"
			fi
		done
		"$bin/tprof-export" --format=events dumps/trace.out >guest.events 2>&1
		if grep -q hello guest.events; then
			ok '… has the trace it switched on itself'
		else
			bad '… has the trace it switched on itself' 'there is none' guest.events
		fi
	fi
}

# System calls that it tells of are seen in both formats, one that was open when the trace began, too.
told_calls() { # format
	run library timeout 60 "$programs/library" calls calls.trace "$1"
	if [ "$status" -ne 0 ]; then
		bad "system calls that are told, go $1" "status $status" library.err
	elif ! judge calls.trace || ! ask_others calls.trace; then
		bad "system calls that are told, go $1" "$why"
	else
		"$bin/tprof-query" --format=tsv judged.tprof "select sum(iif(state like 'Syscall%', end_ns - start_ns, 0)) / 1000000,
			sum(iif(state = 'Running', end_ns - start_ns, 0)) / 1000000 from span where goroutine in
			(select goroutine from span where state like 'Syscall%')" | sed 1d >calls.tsv
		read -r in_calls running <calls.tsv
		# Five of 10 ms, and what was left of 60 ms.
		if [ "${in_calls:-0}" -ge 90 ] && [ "${running:-99}" -lt 30 ]; then
			ok "system calls that are told, go $1" "$in_calls ms, and $running ms running"
			return 0
		fi
		bad "system calls that are told, go $1" "${in_calls:-0} ms, and ${running:-0} ms running"
	fi
	return 1
}

# The library alone hears no context switches, but reads CPU clocks: running time is theirs, but for
# what the calls that begin and end the trace take.
told_untold() { # format
	run library timeout 60 "$programs/library" untold untold.trace "$1"
	if [ "$status" -ne 0 ]; then
		bad "CPU clocks, go $1" "status $status" library.err
	elif ! judge untold.trace || ! ask_others untold.trace; then
		bad "CPU clocks, go $1" "$why"
	else
		"$bin/tprof-query" --format=tsv judged.tprof "select sum(iif(state = 'Running', end_ns - start_ns, 0)),
			sum(iif(state = 'Waiting', end_ns - start_ns, 0)) from span" | sed 1d >untold.tsv
		if awk 'NR == FNR { cpu = $1; next } { room = 8e6
			printf "ran %.1f ms, by its clock %.1f; off %.0f ms\n", $1 / 1e6, cpu / 1e6, $2 / 1e6
			exit !cpu || $1 < cpu - room || $1 > cpu + room }' library.out untold.tsv >said; then
			ok "CPU clocks, go $1" "$(cat said)"
			return 0
		fi
		bad "CPU clocks, go $1" "$(cat said)"
	fi
	return 1
}

# A release that is told, and seen by a hook, is one.
told_posts() {
	for how in "" "$bin/tprof-record -q -o dumps --mutex --"; do
		rm -rf dumps
		# shellcheck disable=SC2086
		run library timeout 60 $how "$programs/library" posts
		if [ "$status" -ne 0 ]; then
			bad 'releases that are told' "$(cat library.out) ${how:+under tprof-record}"
			return 1
		fi
	done
	ok 'releases that are told' "$(cat library.out)"
}

# Whenever it dies, what it has written is a trace.
deaths() { # formats' times to live, s
	for after in "$@"; do
		for format in 1.26 1.5; do
			rm -f busy.trace busy.trace.symbols
			run library timeout -s KILL "$after" "$programs/library" busy busy.trace $format
			if [ ! -e busy.trace ]; then
				skip "killed after $after s, go $format" 'it had not begun'
			elif judge busy.trace && ask_others busy.trace; then
				ok "killed after $after s, go $format" "$(wc -c <busy.trace) bytes"
			else
				bad "killed after $after s, go $format" "$why"
			fi
		done
	done
}

# It finds its own leaked threads. The search takes any word that could be an address for one, so that a few of
# the eight locks may count as held by chance.
own_leaks() {
	run library timeout 60 "$programs/library" leaks leaks.pb.gz
	"$bin/tprof-top" --tags leaks.pb.gz >leaks.out 2>&1
	if [ "$status" -eq 1 ]; then
		skip 'leaked threads of its own' 'no process may look at another here'
	elif [ "$status" -ne 0 ]; then
		bad 'leaked threads of its own' "status $status" library.err
	elif grep -q lost leaks.out && ! grep -q held leaks.out; then
		ok 'leaked threads of its own'
	else
		bad 'leaked threads of its own' 'others are' leaks.out
	fi
	# The process that looks for them is no child of the program.
	for how in --all '--all --follow-children'; do
		# shellcheck disable=SC2086 # several words
		run recorded record -o dumps $how -- "$programs/library" leaks leaks.pb.gz
		if [ "$status" -ge 2 ] || grep -q 'not recorded\|-library/' recorded.err; then
			bad "leaked threads of its own, $how" "status $status, or a child" recorded.err
		else
			ok "leaked threads of its own, $how"
		fi
	done
}

header_in_cxx() {
	cat >header.cc <<'END'
#include <tprof-record.h>
int main()
{
	bool ok = false;
	const char *const labels[][2] = {{"a", "b"}};
	uint64_t task = tprof_task_begin(0, "t");
	tprof_set_labels(labels, 1);
	tprof_mem_profile(nullptr, 0, true, &ok);
	tprof_task_end(task);
	return tprof_set_mutex_fraction(-1);
}
END
	cxx=${CXX:-c++}
	if ! command -v "$cxx" >/dev/null; then
		skip 'the header in C++' "no $cxx"
	elif "$cxx" -std=c++11 -Wall -Wextra -Werror -pedantic -I"$source/cmd/tprof-record/api" header.cc \
		-L"$bin/../lib" -ltprof-record -Wl,-rpath,"$bin/../lib" -o header >compiled 2>&1 && ./header; then
		ok 'the header in C++'
	else
		bad 'the header in C++' 'does not compile, or run' compiled
	fi
}

api() {
	all_coroutines
	middle 'traces in the middle, go 1.26' ''
	middle 'traces in the middle, go 1.5' -f
	soup
	library
	thrice page_example
	guest
	header_in_cxx
	thrice told_calls 1.26
	thrice told_calls 1.5
	thrice told_posts
	own_leaks
	deaths 0.02 0.1 0.3 0.5 0.7 1 1.5 2 3 4
}
