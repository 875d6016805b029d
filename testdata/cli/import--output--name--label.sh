# Two dumps in one store, with a name and labels; default store names.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/'; }
tprof-import -o "$TMP/s.tprof" --name=noon --label=host=a1 --label=build=7 testdata/checkout.trace 2>&1 | plain
tprof-import --output="$TMP/s.tprof" testdata/checkout-1.19.trace.gz 2>&1 | plain
cp testdata/checkout-1.19.trace.gz "$TMP/b.trace.gz"
cp testdata/checkout-1.19.trace.zst "$TMP/c.zst"
cp testdata/checkout-1.19.trace "$TMP/.trace"
tprof-import "$TMP/b.trace.gz" "$TMP/c.zst" "$TMP/.trace" | plain
ls -A "$TMP"

# A dump that is there already gets its new labels; a key has one value.
label() { tprof-import -o "$TMP/s.tprof" "$@" testdata/checkout.trace 2>&1; }
label --label=host=a1
label --label=rev=old
label --label=rev=new --label=host=a1 --label=os=linux
tprof-query --format=csv "$TMP/s.tprof" 'SELECT run, key, value FROM label ORDER BY 1, 2'
# A dump that is there already keeps its name, and says how to change that.
for name in zap "z'ap" first; do
	tprof-import -o "$TMP/kept.tprof" --name=first --label=rev=a testdata/checkout.trace >/dev/null 2>&1
	tprof-import -o "$TMP/kept.tprof" --name="$name" --label=rev=b testdata/checkout.trace 2>&1
done
tprof-store rename "$TMP/kept.tprof" 1 "z'ap"
tprof-store list "$TMP/kept.tprof" | grep -c "z'ap"
