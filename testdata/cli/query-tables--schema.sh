# What there is to query.
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
tprof-query "$TMP/shop.tprof" .tables | grep -E '^(name|run|clock|goroutine|event|span|string) '
tprof-query "$TMP/shop.tprof" ".schema clock"
tprof-query "$TMP/shop.tprof" ".schema span"
tprof-query "$TMP/shop.tprof" ".schema goroutines" 2>&1
tprof-query "$TMP/shop.tprof" .help
# Every table can be read, and every column has a meaning.
tprof-query --format=csv "$TMP/shop.tprof" .tables | tail -n +2 | cut -d, -f1 | while read -r table; do
	tprof-query --format=csv "$TMP/shop.tprof" "select * from \"$table\" limit 1" >/dev/null || echo "$table"
done
tprof-query "$TMP/shop.tprof" .schema | grep -v -e ' -- ' -e '^);' -e '^CREATE.*INDEX' -e '^)'
