# Raw numbers in all formats but tables, and the columns that tables have no room for.
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
for format in table csv tsv json; do
	tprof-top --format=$format -n 2 "$TMP/shop.tprof" sched
done
tprof-top --format=csv "$TMP/shop.tprof" groups | wc -l
