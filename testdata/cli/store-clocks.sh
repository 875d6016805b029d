# Two processes that traced themselves at the same time, one waking the other over a pipe; and a
# trace that says no time of day, known by its file's.
cp testdata/checkout-1.19.trace "$TMP/old.trace"
touch -d '2026-11-21 10:00:00 UTC' "$TMP/old.trace"
tprof-import -o "$TMP/s.tprof" testdata/pipe-parent.trace testdata/pipe-child.trace "$TMP/old.trace" >/dev/null 2>&1
cat testdata/convoy.trace | tprof-import -o "$TMP/s.tprof" - >/dev/null 2>&1
cat testdata/counter-1.5.trace | tprof-import -o "$TMP/s.tprof" - >/dev/null 2>&1
tprof-store clocks "$TMP/s.tprof"
tprof-store clocks --run=1 --format=csv "$TMP/s.tprof"
# What one sends comes before what the other receives.
tprof-export --format=perfetto testdata/pipe-child.trace testdata/pipe-parent.trace |
	sed -n 's/.*"ts":\([0-9.]*\),"name":"\([a-z]* [0-9]\)","cat":"log".*/\1 \2/p' | sort -n | cut -d ' ' -f 2-
# Moments of the day pick the same time in both.
for run in 1 2; do
	tprof-top --run=$run --from=2026-11-22T00:20:34Z --to=2026-11-22T00:20:34.01Z -n 2 "$TMP/s.tprof" groups
done
tprof-export --format=perfetto --run=all "$TMP/s.tprof" 2>&1 >/dev/null; echo "status $?"
