# Ends that come from outside, and what is asked for while the program runs; part of check.sh and real.sh,
# which call the functions.

# Of the recorder: the program. Nothing where the kernel does not tell.
program_of() { cat "/proc/$1/task/$1/children" 2>/dev/null | awk '{ print $1 }'; }

# Killed at any moment from its very beginning, also before main.
early_kills() {
	kills=0
	for ms in 001 002 003 005 008 012 020 040; do
		rm -rf dumps.early
		{ "$bin/tprof-record" -o dumps.early --all -- "$programs/busy" 60000 >early.out 2>early.err </dev/null & } 2>/dev/null
		recorder=$!
		program=
		until program=$(program_of $recorder) && [ -n "$program" ]; do
			kill -0 $recorder 2>/dev/null || break
		done
		sleep "0.$ms"
		{ kill -KILL "$program"; wait $recorder; status=$?; } 2>/dev/null
		if [ "$status" -ne 137 ]; then
			bad "killed from outside after $ms ms" "status $status" early.err
		elif ! judge dumps.early 0 || ! ask_others dumps.early; then
			bad "killed from outside after $ms ms" "$why" early.err
		else
			kills=$((kills + 1))
		fi
	done
	[ $kills -eq 0 ] || ok 'killed from outside' "$kills times"
}

# Who may look at the children of processes.
sees_children() { # name
	[ -r "/proc/$$/task/$$/children" ] && return 0
	skip "$1" 'the kernel does not tell whose children there are'
	return 1
}

# The recorder itself is killed: the program does not notice.
recorder_killed() {
	rm -rf dumps begun left.out
	{ BUSY_BEGUN=begun "$bin/tprof-record" -o dumps --all -- "$programs/busy" 700 >left.out 2>left.err </dev/null & } 2>/dev/null
	recorder=$!
	until [ -e begun ]; do
		kill -0 $recorder 2>/dev/null || break
		sleep 0.02
	done
	program=$(program_of $recorder)
	{ kill -KILL $recorder; wait $recorder; } 2>/dev/null
	for _ in $(seq 2400); do
		[ ! -s left.out ] || break
		sleep 0.05
	done
	if [ "$(cat left.out)" = over ]; then
		ok 'the recorder is killed'
	else
		bad 'the recorder is killed' 'the program is not over' left.err
		[ -z "$program" ] || kill -KILL "$program" 2>/dev/null
	fi
}

# More events than anybody drains in time: what is lost is said, what is kept is a trace.
flood() {
	rm -rf dumps
	run flood record -o dumps --all --block=1ns -- "$programs/micro" contend 4 2
	if [ "$status" -ne 0 ]; then
		bad 'a flood of events' "status $status" flood.err
	elif ! judge dumps 3 || ! ask_others dumps; then
		bad 'a flood of events' "$why" flood.err
	else
		ok 'a flood of events' "$(grep -i 'lost\|dropped' flood.err | head -n 1)"
	fi
}

# Sets program, of a recorder, when it runs. Where the kernel does not tell, soon.
until_it_runs() { # recorder, what it is called
	until program=$(program_of "$1") && readlink "/proc/$program/exe" 2>/dev/null | grep -q "/$2\$"; do
		[ -r "/proc/$$/task/$$/children" ] || { sleep 0.1; return; }
		kill -0 "$1" 2>/dev/null || return
	done
}
# Until the first thread of a program has waited so often, or is over. Where the program is not known, for
# a while.
until_it_has_waited() { # program, times
	[ -n "$1" ] || { sleep 0.5; return; }
	while waited=$(sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status" 2>/dev/null) && [ -n "$waited" ]; do
		[ "$waited" -lt "$2" ] && ! grep -q '^State:.*zombie' "/proc/$1/status" || return
		sleep 0.02
	done
}

# The same with a recorder that is held up while the program waits 120,000 of 200,000 times: here events
# are lost, in the middle of everything.
held_up() { # trace format
	rm -rf dumps
	{ "$bin/tprof-record" -o dumps --all --trace-format=$1 -- "$programs/micro" pingpong 0.2 >held.out 2>held.err </dev/null & } 2>/dev/null
	recorder=$!
	until_it_runs $recorder micro
	kill -STOP $recorder
	until_it_has_waited "$program" 120000
	kill -CONT $recorder
	{ wait $recorder; status=$?; } 2>/dev/null
	if [ "$status" -ne 0 ]; then
		bad "a recorder that is held up ($1)" "status $status" held.err
	elif ! judge dumps 3 || ! ask_others dumps; then
		bad "a recorder that is held up ($1)" "$why" held.err
	else
		ok "a recorder that is held up ($1)" "$(grep -i 'lost' held.err | head -n 1)"
	fi
}

# Snapshots while it runs: each a profile, and what was ever allocated never shrinks.
series() {
	rm -rf dumps
	export BUSY_UNTIL=dumps/heap.0003.pb.gz
	run series record -o dumps --heap=1 --mutex --interval=100ms -- "$programs/busy" 1200
	unset BUSY_UNTIL
	before=0 shots=0 shrunk=
	for dump in dumps/heap.[0-9]*.pb.gz dumps/heap.pb.gz; do
		[ -f "$dump" ] || continue
		now=$("$bin/tprof-top" --format=tsv --no-trim -n 0 --sample-index=alloc_objects "$dump" 2>/dev/null |
			awk -F '\t' 'NR > 1 { n += $1 } END { print n + 0 }')
		[ "$now" -ge "$before" ] || shrunk="$shrunk $dump"
		before=$now
		shots=$((shots + 1))
	done
	if [ "$status" -ne 0 ] || [ $shots -lt 2 ]; then
		bad 'a series of snapshots' "status $status, $shots of them" series.err
	elif ! judge dumps 4 || ! ask_others dumps; then
		bad 'a series of snapshots' "$why"
	elif [ -n "$shrunk" ] || [ "$before" -eq 0 ]; then
		bad 'a series of snapshots' "fewer allocations than before:$shrunk"
	else
		ok 'a series of snapshots' "$shots of the heap, up to $before allocations"
	fi
}

ends() {
	! sees_children 'killed from outside' || early_kills
	recorder_killed
	flood
	held_up 1.26
	held_up 1.5
	series
}
