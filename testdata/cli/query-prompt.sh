# What the prompt says first, and the words that end it: one that does not end is stopped here.
for word in quit 'exit ;' .quit; do
	echo "-- $word"
	printf '%s\n' 'select 1 as a;' "$word" |
		INPUTRC=/dev/null timeout 20 python3 -c '
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(["tprof-query", "testdata/pool.trace"])))' \
			>"$TMP/said" 2>&1
	echo "status $?"
	tr -d '\r' <"$TMP/said" | grep -o 'testdata/pool.trace: .*\|^a statement ends.*'
done
