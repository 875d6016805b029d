# One label may stand for profiles of several kinds, and for a trace: the sample type says which.
s=$TMP/s.tprof
tprof-import -o "$s" --label=rev=old testdata/catalog.heap testdata/catalog.cpu >/dev/null
tprof-import -o "$s" --label=rev=new testdata/prices/new-1.heap testdata/catalog.mutex \
	testdata/checkout.trace >/dev/null
tprof-top --run=rev=new -alloc_space -n 1 "$s" 2>&1
tprof-top --run=rev=old -sample_index=cpu -n 1 "$s" 2>&1
tprof-flame --run=rev=old -sample_index=cpu --format=folded "$s" 2>&1 | head -n 1
tprof-diff --base-label=rev=old --label=rev=new -alloc_space -n 1 "$s" 2>&1
tprof-diff --base-label=rev=old --label=rev=new -sample_index=cpu -n 1 "$s" 2>&1
tprof-top --run=rev=old "$s" 2>&1
tprof-top --run=rev=mine "$s" 2>&1
tprof-top --run=mine "$s" 2>&1
echo "status $?"
