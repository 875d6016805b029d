# Status, signals, streams and environment are the program's own.
cd "$TMP" || exit
quiet() { tprof-record -q -o run -- "$@"; echo "status $?"; }
quiet true
quiet false
quiet sh -c 'exit 42'
for s in TERM KILL SEGV INT; do
	(ulimit -c 0; quiet sh -c "kill -$s \$\$") 2>/dev/null
done
echo 'through it' | quiet cat
quiet sh -c 'echo out; echo err >&2' 2>/dev/null
quiet sh -c 'echo out; echo err >&2' 2>&1 >/dev/null
# Who reads its output is done when it is, not when the files are.
quiet sh -c 'exec >&-; exit 6'
# What the recorder ignores itself, the program does not.
quiet sh -c 'yes | head -n 1'
(trap '' HUP; tprof-record -q -o run -- sh -c 'kill -HUP $$; echo HUP was ignored before')
# A signal for the recorder is one for the program.
tprof-record -q -o run -- sh -c 'trap "echo asked to end; exit 9" TERM; echo >ready; while :; do sleep 0.02; done' &
until [ -e ready ]; do sleep 0.02; done
kill -TERM $!
wait $!
echo "status $?"
# A recorder that is killed does not take the program with it.
rm ready
tprof-record -q -o run -- sh -c 'echo >ready; until [ -e gone ]; do sleep 0.02; done; echo went on >after' &
until [ -e ready ]; do sleep 0.02; done
kill -KILL $!
wait $! 2>/dev/null
echo "status $?"
echo >gone
until [ -s after ]; do sleep 0.02; done
cat after
