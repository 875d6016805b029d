# :run is the run that --run picks; without it a statement sees all runs.
tprof-import -o "$TMP/s.tprof" --label=v=1 testdata/checkout.trace >/dev/null
tprof-import -o "$TMP/s.tprof" --label=v=2 testdata/checkout-1.19.trace >/dev/null
sql="select format, (select count(*) from event e where e.run = r.id) as events from run r where id = :run"
tprof-query "$TMP/s.tprof" "$sql"
tprof-query --run=v=1 "$TMP/s.tprof" "$sql"
tprof-query --run=all "$TMP/s.tprof" "$sql" 2>&1
tprof-query "$TMP/s.tprof" "select run, count(*), max(end_ns) from span group by run"
tprof-query "$TMP/s.tprof" "select stack_text(1)" 2>&1
echo "status $?"
