# Two dumps in one store, with a name and labels; default store names.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/'; }
tprof-import -o "$TMP/s.tprof" --name=noon --label=host=a1 --label=build=7 testdata/checkout.trace 2>&1 | plain
tprof-import --output="$TMP/s.tprof" testdata/checkout-1.19.trace.gz 2>&1 | plain
cp testdata/checkout-1.19.trace.gz "$TMP/b.trace.gz"
cp testdata/checkout-1.19.trace.zst "$TMP/c.zst"
cp testdata/checkout-1.19.trace "$TMP/.trace"
tprof-import "$TMP/b.trace.gz" "$TMP/c.zst" "$TMP/.trace" | plain
ls -A "$TMP"
