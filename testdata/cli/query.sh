# What the manual page shows, in every place SQL may come from.
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
q() { tprof-query "$@" "$TMP/shop.tprof"; }
tprof-query "$TMP/shop.tprof" "select name, count(*) as goroutines,
	fmt_ns(sum(running_ns)) as running, fmt_ns(max(runnable_ns)) as worst_wait
	from goroutine group by name order by sum(running_ns) desc limit 3"
tprof-query "$TMP/shop.tprof" "select reason, count(*) as n,
	fmt_ns(p50(dur_ns)) as p50, fmt_ns(p99(dur_ns)) as p99
	from span where state = 'Waiting' group by reason order by n desc limit 3"
tprof-query "$TMP/shop.tprof" "select func_of(waker_stack) as woken_from, count(*)
	from span where state = 'Waiting' and reason = 'sync' group by 1 order by 2 desc limit 3"
echo "select type, count(*) from event group by type limit 3" | q
echo "select count(*) from event where run = :run" >"$TMP/count.sql"
q --file="$TMP/count.sql"
# A dump in place of a store.
tprof-query testdata/checkout.trace "select stack_text(stack) as stack, fmt_ns(dur_ns) as waited
	from span where state = 'Waiting' and reason = 'sync' order by dur_ns desc limit 1" 2>/dev/null
