# An import that is killed loses what was not in the store yet, and the next one goes on. A pipe that
# nobody writes to holds the decoder where it is.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/ of [0-9.]*[KM]iB$/ of YKiB/'; }
cp testdata/ledger/*.heap "$TMP"
cd "$TMP"
mkfifo pipe
sleep 600 >pipe &
writer=$!
exec 9<>pipe
# Waits until process $1, or its decoder, has the pipe open.
wait_for() {
	for try in $(seq 2000); do
		for decoder in $(cat /proc/$1/task/$1/children 2>/dev/null) $1; do
			for fd in /proc/$decoder/fd/*; do
				[ "$(readlink "$fd")" = "$TMP/pipe" ] && return
			done
		done
		sleep 0.05
	done
}
run() { tprof-import -j 1 -o s.tprof ledger-1.heap ledger-2.heap pipe ledger-3.heap >out 2>err 9<&- & }

for signal in TERM KILL; do
	rm -f s.tprof
	tprof-import -o s.tprof ledger-8.heap >/dev/null
	before=$(cksum <s.tprof)
	run
	import=$!
	wait_for $import
	kill -$signal $import
	wait $import 2>/dev/null
	echo "status $?"
	plain <out
	cat err
	[ "$before" = "$(cksum <s.tprof)" ] && echo 'left as it was'
	# The decoder goes with it.
	for try in $(seq 3000); do kill -0 "$decoder" 2>/dev/null || break; sleep 0.02; done
	kill -0 "$decoder" 2>/dev/null && echo 'the decoder is still there'
done
tprof-import -j 2 -o s.tprof 'ledger-*' | plain
ls -x
kill $writer
