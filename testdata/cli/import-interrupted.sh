# An import that is interrupted or killed leaves the store as it was, and the next one cleans up.
# The dump comes through a pipe that stays open, so the import is waiting when the signal comes.
tprof-import -o "$TMP/s.tprof" testdata/checkout-1.19.trace >/dev/null
before=$(cksum <"$TMP/s.tprof")
mkfifo "$TMP/pipe"
for signal in TERM KILL; do
	{ head -c 100000 testdata/checkout.trace; sleep 1; : >"$TMP/over"; } >"$TMP/pipe" &
	tprof-import -o "$TMP/s.tprof" - <"$TMP/pipe" 2>/dev/null &
	import=$!
	sleep 0.3
	kill -$signal $import
	wait $import
	echo "status $?"
	[ ! -e "$TMP/over" ] || echo 'only when there was no more to read'
	[ "$before" = "$(cksum <"$TMP/s.tprof")" ] && echo 'left as it was'
	wait
	rm "$TMP/over"
done
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace >/dev/null
ls "$TMP"
