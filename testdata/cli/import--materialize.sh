# Rows for programs that have only SQLite, in a new store and in one that is there already.
tprof-import --materialize -o "$TMP/s.tprof" testdata/checkout-1.19.trace >/dev/null
tprof-import --materialize -o "$TMP/s.tprof" testdata/checkout.trace >/dev/null
for t in event span goroutine string stack; do
	tprof-query --format=csv "$TMP/s.tprof" "SELECT '$t', (SELECT count(*) FROM ${t}_rows), (SELECT count(*) FROM $t),
		(SELECT count(*) FROM (SELECT * FROM ${t}_rows EXCEPT SELECT * FROM $t)) AS other" | tail -n 1
done
tprof-query "$TMP/s.tprof" "SELECT count(*) AS tables FROM sqlite_schema WHERE name LIKE '%\_rows' ESCAPE '\'"
# A store may be filled either way.
tprof-import -o "$TMP/s.tprof" testdata/checkout-cut.trace >/dev/null 2>&1
tprof-query "$TMP/s.tprof" 'SELECT DISTINCT run FROM event_rows'
