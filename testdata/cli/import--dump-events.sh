# The order of events, straight from the dump.
tprof-import --dump=events testdata/checkout.trace >"$TMP/events"
head -n 5 "$TMP/events"
cut -f 5 "$TMP/events" | sort | uniq -c
wc -l <"$TMP/events"
# Go's reader stops at damage, and so does --strict, after the same events; otherwise there are more.
tprof-import --dump=events --strict testdata/checkout-cut.trace 2>&1 >"$TMP/strict"
echo "status $?"
tprof-import --dump=events testdata/checkout-cut.trace 2>/dev/null >"$TMP/kept"
wc -l <"$TMP/strict"
wc -l <"$TMP/kept"
