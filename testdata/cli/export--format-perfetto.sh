# Chrome's JSON: processes for Ps, goroutines, tasks and counters; with a range, only that.
tprof-export --format=perfetto testdata/relay.trace >"$TMP/relay.json"; echo "status $?"
head -c 200 "$TMP/relay.json"; echo
grep -o '"ph":"."' "$TMP/relay.json" | sort | uniq -c
grep '"process_name"' "$TMP/relay.json"
grep '"pid":1,.*"name":"G' "$TMP/relay.json" | head -3
grep -A 1 '"ph":"s"' "$TMP/relay.json" | head -2
tail -3 "$TMP/relay.json"
tprof-export --format=chrome --from=50% --to=60% --goroutine=main.main testdata/relay.trace | grep -c '"ph"'
# Who waits all the time is told of when the first generation ends, maybe after the range: all are
# there that tprof-top has, for as long.
for r in '--to=50% testdata/inbox/inbox.trace' '--from=100ms --to=200ms testdata/checkout.trace'; do
	tprof-top --format=csv -n 0 $r goroutines | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ n++; ns += $at["blocked_ns"] }
		END { printf "%d goroutines, blocked for %.0fns\n", n, ns }'
	tprof-export --format=perfetto $r | awk -F '"dur":' '
		/"pid":2,.*"thread_name"/ { n++ }
		/"pid":2,.*"blocked/ { ns += $2 * 1000 }
		END { printf "%d goroutines, blocked for %.0fns\n", n, ns }'
done
# Compressed, if the name says so; what is large is told before.
tprof-export --format=perfetto -o "$TMP/relay.json.gz" testdata/relay.trace
gzip -dc "$TMP/relay.json.gz" | cmp - "$TMP/relay.json" && gzip -l "$TMP/relay.json.gz" | awk 'NR > 1 { print ($1 * 5 < $2) }'
t=testdata/checkout.trace
tprof-export --format=perfetto -o /dev/null $t $t $t $t $t $t $t $t $t $t $t $t $t $t 2>&1
tprof-export --format=perfetto --to=1% -o /dev/null $t $t $t $t $t $t $t $t $t $t $t $t $t $t 2>&1
# Several runs: on one clock, where that is known.
tprof-import -o "$TMP/two.tprof" testdata/relay.trace testdata/pool.trace >/dev/null 2>&1
tprof-export --format=perfetto --run=all "$TMP/two.tprof" | grep '"process_name"' | cut -d '"' -f 7-20
tprof-export --format=perfetto testdata/relay.trace testdata/pool.trace | head -c 90; echo
# As moments of the day.
tprof-export --format=perfetto --from=2001-01-01T00:00:00Z --to=@1000000000 testdata/relay.trace | grep -c '"ph":"X"'
try() { tprof-export --format=perfetto "$@" 2>&1; echo "status $?"; }
try --from=2026-11-21T10:00:00 testdata/relay.trace
try --from=@10 --to=@9 testdata/relay.trace
try --wakers testdata/relay.trace
try testdata/catalog.cpu
# A cut has the stacks of running goroutines at its beginning; this one is in a system call next.
tprof-export --format=trace --from=131ms --to=134ms -o $TMP/cut.trace testdata/checkout.trace 2>/dev/null
tprof-export --format=perfetto $TMP/cut.trace 2>/dev/null | grep '"running".*"sf"'
