# Raw numbers in all formats; several statements in one JSON object.
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
for format in table csv tsv json; do
	tprof-query --format=$format "$TMP/shop.tprof" "select seq, ts_ns, type, goroutine as g, text
		from event where run = :run and ts_ns between ns('1ms') and ns('1.1ms') limit 3"
done
tprof-query --format=json "$TMP/shop.tprof" "select 1 as a; select null as b, 1.5 as c, x'00ff' as d"
tprof-query "$TMP/shop.tprof" <<END
.mode csv
select 'a,b' as x;
.mode
.mode json
select count(*) as n from goroutine where id < 0;
.quit
select 1;
END
