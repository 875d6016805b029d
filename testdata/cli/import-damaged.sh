# What a cut trace still says is kept, with a warning; --strict refuses, and leaves nothing behind.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/'; }
tprof-import -o "$TMP/s.tprof" testdata/checkout-cut.trace >"$TMP/out" 2>&1
echo "status $?"
plain <"$TMP/out"
tprof-import -o "$TMP/strict.tprof" --strict testdata/checkout-cut.trace 2>&1
echo "status $?"
ls "$TMP"
# The frequency of the clock stands before this cut; what is left of an event there is no other.
for f in checkout-1.19 checkout-1.19-cut; do
	tprof-query --format=csv testdata/$f.trace 'SELECT name, duration_ns FROM run' 2>/dev/null | tail -n 1
done
