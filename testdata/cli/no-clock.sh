# A trace that has lost its clock: times are ticks, which are shown as such, are not mixed with times, and
# are not asked for by a time that the trace does not have.
run() { "$@" >"$TMP/out" 2>&1; status=$?; sed "s,$TMP/,,g" "$TMP/out"; echo "status $status"; }
lost=$TMP/lost.trace
head -c 8000 testdata/checkout-1.19.trace >"$lost"
echo 'goroutine 9 [running]:
main.work()
	/src/work.go:9 +0x1d' >"$TMP/none.d2"
tprof-top -n 1 "$lost" 2>"$TMP/err"
# Goroutines that stay.
run tprof-leaks "$lost" 2>&1 | grep -v note:
tprof-leaks --format=csv "$lost" 2>/dev/null | cut -d, -f1-8 | head -n 2
# What has waited for long enough, nobody knows: a gate does not pass on that.
run tprof-leaks --gate=9 "$lost" | tail -n 2
run tprof-leaks --gate=9 --min-wait=5ms "$lost" | grep -v note:
run tprof-leaks --gate=11 --min-wait=5ms "$lost" | tail -n 1
run tprof-leaks --gate=9 --min-wait=5ms testdata/checkout-1.19.trace "$lost" | tail -n 2
run tprof-leaks --gate=2 --min-wait=5ms "$lost" testdata/checkout-1.19.trace | tail -n 2
run tprof-leaks --gate=2 --min-wait=5ms "$TMP/none.d2" testdata/checkout-1.19.trace | tail -n 2
# Ticks and times do not mix: over runs, and as a sum.
run tprof-top --over=run "$lost" testdata/checkout.trace | tail -n 2
run tprof-top --over=run testdata/checkout.trace "$lost" | tail -n 2
run tprof-top --over=run --view=offcpu "$lost" testdata/checkout.trace | tail -n 2
tprof-top --over=run -n 4 "$lost" "$lost" 2>/dev/null
tprof-import -o "$TMP/s.tprof" "$lost" testdata/checkout.trace >/dev/null 2>&1
for report in groups goroutines overview; do run tprof-top --run=all "$TMP/s.tprof" $report; done
run tprof-top --run=all --view=offcpu "$TMP/s.tprof" | tail -n 2
# In a list of runs.
tprof-store list --format=csv "$TMP/s.tprof" | cut -d, -f1,3,6
tprof-store clocks --format=csv "$TMP/s.tprof" | cut -d, -f1,2,6
# A time says nothing of it; a share of the run does, and so do ticks as csv has them.
run tprof-top --from=1ms "$lost" | tail -n 2
run tprof-top --to=2026-11-21T10:00:00Z "$lost" | tail -n 2
run tprof-path --from=10% --to=1ms "$lost" | tail -n 2
run tprof-path --min=1ms "$lost" | tail -n 2
run tprof-flame --from=1ms --format=folded "$lost" | tail -n 2
run tprof-diff --from=1ms "$lost" "$lost" | tail -n 2
run tprof-export --format=perfetto --to=1ms "$lost" | tail -n 2
run tprof-top --min=1ms "$lost" tasks | tail -n 2
run tprof-top --window=1000ns,1ms "$lost" mmu | tail -n 2
run tprof-top --run=all --from=1ms "$TMP/s.tprof" | tail -n 2
tprof-top -n 1 --from=0 --to=1000000ns "$lost" 2>/dev/null
tprof-top -n 1 --from=50% "$lost" 2>/dev/null
tprof-top --window=1000000ns -n 1 "$lost" mmu 2>/dev/null
# Where ticks become nanoseconds, that is said.
run tprof-export --format=trace -o "$TMP/cut.trace" "$lost" | tail -n 2
tprof-top -n 1 "$TMP/cut.trace" 2>/dev/null
run tprof-export --format=perfetto -o "$TMP/cut.json" "$lost" | tail -n 2
run tprof-export --view=offcpu --format=speedscope -o "$TMP/cut.speedscope" "$lost" | tail -n 1
grep -o '"unit":"[a-z]*"' "$TMP/cut.speedscope"
