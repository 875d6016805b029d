# A profile, several, or a view of a trace, as one profile.proto: what is read back from it says the
# same as what it was made of.
top() { tprof-top --no-trim "$@" 2>&1; }
tprof-export --format=pprof -o "$TMP/one.pb.gz" testdata/catalog.heap; echo "status $?"
head -c 2 "$TMP/one.pb.gz" | od -An -tx1
for index in 0 1 2 3; do
	top --sample-index=$index testdata/catalog.heap >"$TMP/from"
	top --sample-index=$index "$TMP/one.pb.gz" >"$TMP/to"
	sed 1d "$TMP/from" >"$TMP/a"; sed 1d "$TMP/to" >"$TMP/b"
	cmp "$TMP/a" "$TMP/b" && wc -l <"$TMP/b"
done
tprof-top --raw testdata/catalog.heap >"$TMP/a"
tprof-top --raw "$TMP/one.pb.gz" | cmp - "$TMP/a" && echo the same to the last number
# Added up; only part; without inlined calls; divided.
tprof-export --format=pprof testdata/catalog.cpu testdata/catalog.cpu >"$TMP/two.pb.gz"
tprof-top -n 3 "$TMP/two.pb.gz"
tprof-export --format=pprof -focus=sort --divide-by=2 --no-inlines testdata/catalog.cpu -o "$TMP/part.pb.gz"
tprof-top -n 3 "$TMP/part.pb.gz"
# From a store and from a trace.
tprof-import -o "$TMP/s.tprof" testdata/catalog.heap testdata/checkout.trace >/dev/null 2>&1
tprof-export --format=pprof --run=catalog.heap "$TMP/s.tprof" | cmp - "$TMP/one.pb.gz" && echo also from a store
tprof-export --format=pprof --view=wall testdata/checkout.trace -o "$TMP/wall.pb.gz"
tprof-top -n 3 "$TMP/wall.pb.gz"
# The same file twice.
tprof-export --format=pprof testdata/catalog.heap | cmp - "$TMP/one.pb.gz" && echo always the same
