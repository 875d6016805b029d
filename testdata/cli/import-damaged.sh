# What a cut trace still says is kept, with a warning; --strict refuses, and leaves nothing behind.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/'; }
tprof-import -o "$TMP/s.tprof" testdata/checkout-cut.trace >"$TMP/out" 2>&1
echo "status $?"
plain <"$TMP/out"
tprof-import -o "$TMP/strict.tprof" --strict testdata/checkout-cut.trace 2>&1
echo "status $?"
ls "$TMP"
