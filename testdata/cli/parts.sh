# Runs that are parts of a trace, as an earlier version made them, with rows of a table that there is
# no more: traces of their own, which say so, and are merged as such.
data=$PWD/testdata
store=$data/parts.store trace=$data/callbacks.trace
cd "$TMP" || exit 4
try() {
	{ echo "\$ $*" && "$@" 2>&1; } | sed "s,$data/,,g; s/; [0-9.]*KiB to.*/; SIZES/"
}
runs() { tprof-query --format=tsv "$1" 'SELECT name, substr(hash, 1, 8) AS hash, events FROM run ORDER BY 2'; }
try tprof-store list --format=csv "$store" | cut -d, -f1-4,7,9,10
try tprof-store verify "$store"
try tprof-top --run=1 "$store"
try tprof-top --run=all "$store" goroutines
try tprof-query "$store" 'SELECT count(*) FROM occupancy'
tprof-report --run=2 -o page.html "$store" >/dev/null 2>&1
grep -o 'only generation [^<]*' page.html
# Two parts are two runs, and the trace is a third; the same part twice is one.
cp "$store" again.tprof
cp "$store" first.tprof
try tprof-store delete first.tprof 2
try tprof-merge -o all.tprof "$store" again.tprof first.tprof
runs all.tprof
tprof-import -o whole.tprof "$trace" >/dev/null
try tprof-merge -o all.tprof whole.tprof
runs all.tprof
try tprof-store verify all.tprof
try tprof-merge -o other.tprof whole.tprof first.tprof
try tprof-merge -o other.tprof again.tprof
cmp all.tprof other.tprof && echo the same bytes
# The trace goes beside its parts, the blocks that nobody reads any more stay as they are.
cp "$store" grown.tprof
tprof-import -o grown.tprof "$trace" >/dev/null
runs grown.tprof
for s in "$store" all.tprof; do
	tprof-query --format=tsv "$s" "SELECT count(*) AS blocks, sum(length(data)) AS bytes FROM block WHERE stream IN ('cut', 'occupancy')"
done
tprof-import --materialize -o rows.tprof "$trace" >/dev/null
try tprof-merge -o rows.tprof "$store"
tprof-query rows.tprof 'SELECT count(*) FROM span_rows'
