# What the prompt says first, and the words that end it: no statement begins with them.
for word in quit 'exit ;' .quit; do
	echo "-- $word"
	printf '%s\n' 'select 1 as a;' "$word" |
		INPUTRC=/dev/null timeout 100 script -qec 'tprof-query testdata/pool.trace' /dev/null >"$TMP/said" 2>&1
	echo "status $?"
	tr -d '\r' <"$TMP/said" | grep -o 'testdata/pool.trace: .*\|^a statement ends.*'
	echo "continued: $(grep -c '\.\.\.>' "$TMP/said")"
done
