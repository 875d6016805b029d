# Standard input needs a store to go to; packing is found by content there too.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/'; }
tprof-import - <testdata/checkout.trace 2>&1
echo "status $?"
tprof-import -o "$TMP/s.tprof" - <testdata/checkout-1.19.trace.zst 2>&1 | plain
ls "$TMP"
