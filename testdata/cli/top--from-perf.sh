# Samples with times are selected by --from and --to, counted from the first of them; awk counts the same.
export COLUMNS=80 LC_ALL=C.UTF-8
try() { "$@" 2>&1; echo "status $?"; }
f=testdata/perf/clock.perf
head() { tprof-top --sample-index=samples "$@" | sed -n '3,4p'; }
count() { awk -v from="$1" -v to="$2" '/cpu-clock/ { for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) t = $i + 0
	if (!n++) first = t
	if (t - first >= from && t - first < to) m++ } END { print m + 0, "samples by awk" }' "$f"; }
head "$f"
count 0 9
head --to=1s "$f"
count 0 1
head --from=2s --to=2.3s "$f"
count 2 2.3
head --from=50% "$f"
tprof-flame --from=2s --to=2.3s --sample-index=samples --format=folded "$f" | awk '{ n += $NF } END { print n, "in the flame graph" }'
tprof-diff --to=1s --sample-index=samples "$f" "$f" 2>/dev/null | grep "total)"
tprof-import -o "$TMP/s.tprof" "$f" >/dev/null
head --from=2s --to=2.3s "$TMP/s.tprof"
try tprof-top --from=3s "$f"
try tprof-top --from=2s --to=1s "$f"
try tprof-top --from=1 "$f"
try tprof-top --from=2026-11-21T10:00:00Z "$f"
try tprof-top --to=1s --state=running "$f"
try tprof-top --to=1s testdata/catalog.heap
try tprof-flame --to=1s testdata/catalog.heap
