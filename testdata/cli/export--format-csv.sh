# Tables of a run as CSV: what SQL shows of them, one at a time or all into a folder.
export TZ=UTC
tprof-export --format=csv --table=task testdata/checkout-1.19.trace | head -n 4
tprof-export --format=csv --table=sample_type testdata/catalog.heap
tprof-import -o "$TMP/s.tprof" testdata/checkout-1.19.trace testdata/catalog.heap >/dev/null
for table in event span goroutine region; do
	tprof-export --format=csv --table=$table --run=checkout-1.19.trace "$TMP/s.tprof" >"$TMP/a"
	tprof-query --format=csv "$TMP/s.tprof" "SELECT * FROM $table WHERE run = 1" | cmp - "$TMP/a" && wc -l <"$TMP/a"
done
tprof-export --format=csv -o "$TMP/all" testdata/checkout-1.19.trace | sed "s,$TMP,TMP," | grep -E '/(run|goroutine|event|span|task)\.csv'
ls "$TMP/all" | grep -c '\.csv$' | awk '{ print ($1 > 20 ? "and many more" : $1) }'; ls "$TMP/all" | grep -v '\.csv$'
tprof-export --format=csv -o "$TMP/some" --table=log --table=loss testdata/checkout-1.19.trace | sed "s,$TMP,TMP,"
head -n 2 "$TMP/some/log.csv" "$TMP/some/loss.csv" | sed "s,$TMP,TMP,"
# Again: what was there is replaced.
tprof-export --format=csv -o "$TMP/some" --table=log --table=cpu_sample testdata/checkout-1.19.trace | sed "s,$TMP,TMP,"
ls "$TMP/some"
try() { tprof-export "$@" 2>&1 | sed "s,$TMP,TMP,"; }
try --format=csv testdata/checkout.trace
try --format=csv --table=log --table=task testdata/checkout.trace
try --format=csv --table=nosuch testdata/checkout.trace
try --format=csv --table=block testdata/checkout.trace
try --format=events --table=log testdata/checkout.trace
try --format=csv --table=log --run=all "$TMP/s.tprof"
try --format=csv --table=log --view=wall testdata/checkout.trace
: >"$TMP/file"
try --format=csv -o "$TMP/file" testdata/checkout.trace
# A folder's name may end as such names do.
try --format=csv -o "$TMP/some//" --table=log --table=loss testdata/checkout-1.19.trace
