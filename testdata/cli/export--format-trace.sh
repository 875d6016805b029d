# A part of a trace is a trace: it is read without losses, and its events are those of the original.
tprof-export --format=trace -o "$TMP/whole.trace" testdata/checkout.trace; echo "status $?"
tprof-export --format=events testdata/checkout.trace >"$TMP/a"
tprof-export --format=events "$TMP/whole.trace" | cmp - "$TMP/a" && echo a whole trace is the same, event by event
head -c 13 "$TMP/whole.trace"; echo
# A time range: what is told before its first event is how things are.
tprof-export --format=trace --from=20ms --to=21ms testdata/checkout.trace >"$TMP/part.trace"
tprof-export --format=events "$TMP/part.trace" | cut -f 5 | sort | uniq -c
tprof-export --format=events "$TMP/part.trace" | sed -n '/P 0 Undet/p;/TaskBegin/p;$p' | cut -c 1-75 | head -6
# Who waits all the time is told of when the first generation ends, maybe after the range.
for r in --to=50% '--from=1us --to=50%'; do
	tprof-top --format=csv -n 0 $r testdata/inbox/inbox.trace goroutines | tail -n +2 | wc -l
	tprof-export --format=trace $r -o "$TMP/part.trace" testdata/inbox/inbox.trace
	tprof-query --format=tsv "$TMP/part.trace" "SELECT goroutines FROM run"
	tprof-leaks "$TMP/part.trace" | head -1
done
# Of some goroutines, with and without those that wake them.
for w in '' --wakers; do
	tprof-export --format=trace --goroutine=customer $w -o "$TMP/some.trace" testdata/checkout.trace
	tprof-query "$TMP/some.trace" "SELECT count(*), count(DISTINCT name) FROM goroutine"
done
# From go 1.19 to go 1.26, and from a damaged trace.
tprof-export --format=trace --from=25% --to=75% -o "$TMP/old.trace" testdata/checkout-1.19.trace
tprof-query "$TMP/old.trace" "SELECT format, goroutines, lost_events, (SELECT count(*) FROM loss) FROM run"
tprof-export --format=trace -o "$TMP/cut.trace" testdata/checkout-cut.trace
tprof-query "$TMP/cut.trace" "SELECT format, lost_events, (SELECT count(*) FROM loss) FROM run"
# Wrong arguments, and ranges where nothing is.
try() { tprof-export --format=trace "$@" testdata/checkout.trace 2>&1; echo "status $?"; }
try -o "$TMP/none" --from=5h
try -o "$TMP/none" --from=2ms --to=1ms
try -o "$TMP/none" --goroutine=nosuch
try -o "$TMP/none" --task=order
try --wakers -o "$TMP/none"
ls "$TMP"
