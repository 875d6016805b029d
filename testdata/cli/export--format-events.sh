# A run of a store lists the events that the dump itself does, and so does a dump given in its place.
for trace in checkout.trace checkout-1.19.trace checkout-cut.trace checkout-1.19-cut.trace; do
	tprof-import -o "$TMP/s.tprof" testdata/$trace >/dev/null 2>&1
	tprof-import --dump=events testdata/$trace 2>/dev/null >"$TMP/direct"
	tprof-export --format=events --run=$trace "$TMP/s.tprof" 2>/dev/null >"$TMP/stored"
	tprof-export --format=events testdata/$trace 2>/dev/null >"$TMP/cached"
	cmp "$TMP/direct" "$TMP/stored" && cmp "$TMP/direct" "$TMP/cached" && wc -l <"$TMP/direct"
done
