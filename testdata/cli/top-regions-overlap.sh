# Regions that end out of order (testdata/programs/overlap.go): each is matched by its name and
# task, the innermost of one name first, on its own goroutine. Nothing is lost. Go's reader refuses
# such traces, and so does --strict.
for v in 1.27 1.19; do
	t=testdata/overlap/$v.trace
	tprof-import -o "$TMP/$v.tprof" "$t" 2>&1 | grep -o 'nothing lost\|with losses'
	tprof-query "$TMP/$v.tprof" "SELECT name, task, goroutine, cast(round((end_ns - start_ns) / 1.1e6) AS int) AS about_ms FROM region ORDER BY goroutine, start_ns"
	tprof-query "$TMP/$v.tprof" "SELECT count(*) AS losses FROM loss"
	tprof-top --format=csv "$TMP/$v.tprof" regions | cut -d, -f1-3 | sort
	tprof-import --strict -o "$TMP/strict.tprof" "$t" 2>&1 | sed 's/ on M [0-9]*//; s/ at 0x[0-9a-f]*//'
done
