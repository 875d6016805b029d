# An import that is interrupted or killed leaves the store as it was, and the next one cleans up.
# The dump comes through a pipe that stays open, so the import is waiting when the signal comes, and it is
# the signal that ends it.
tprof-import -o "$TMP/s.tprof" testdata/checkout-1.19.trace >/dev/null
before=$(cksum <"$TMP/s.tprof")
mkfifo "$TMP/pipe"
begun() {
	for part in "$TMP"/s.tprof.part-*; do
		[ ! -e "$part" ] || return 0
	done
	return 1
}
for signal in TERM KILL; do
	tprof-import -o "$TMP/s.tprof" - <"$TMP/pipe" 2>/dev/null &
	import=$!
	exec 3>"$TMP/pipe"
	# It has begun when this is through, which is more than a pipe holds; soon it has its part, too, but
	# for builds without a jail, which read all of their input first.
	head -c 100000 testdata/checkout.trace >&3
	n=0
	until begun || [ $((n += 1)) -gt 20 ]; do sleep 0.1; done
	kill -$signal $import
	wait $import
	echo "status $?"
	# Its decoder ends with it, but not at once; until then the pipe has a reader, and the part an owner.
	n=0
	while sleep 0.1 && (trap '' PIPE; echo >&3) 2>/dev/null; do
		[ $((n += 1)) -le 300 ] || { echo 'its decoder lives on'; break; }
	done
	exec 3>&-
	[ "$before" = "$(cksum <"$TMP/s.tprof")" ] && echo 'left as it was'
	# What is killed leaves its part, to the next import.
	[ $signal = KILL ] || ! begun || echo 'its part is left'
done
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace >/dev/null
ls "$TMP"
