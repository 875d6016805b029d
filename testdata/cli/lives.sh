# Goroutine 17 ends and comes again, twice: three lives, called 17/1 to 17/3.
t=testdata/callbacks.trace
run() {
	echo "\$ $*" | sed "s,$TMP/,,g"
	"$@" 2>&1 | sed "s,$TMP/,,g"
	echo
}
run tprof-top $t goroutines
run tprof-top $t goroutines --goroutine=17
run tprof-top $t goroutines --goroutine=17/2 --format=json
run tprof-top $t goroutines --goroutine=17/4
run tprof-top $t goroutines --goroutine=40/1 --format=csv
run tprof-top $t breakdown --goroutine=17/2
run tprof-top $t logs
run tprof-top $t region --format=csv
run tprof-top $t tasks
run tprof-top $t task --task=7
run tprof-path $t --goroutine=17/2
run tprof-path $t --task=order
run tprof-path $t wakers
run tprof-leaks $t
run tprof-flame --view=wall --goroutine=17/1 --format=folded $t
# As Go's tool, one life counts; a picked one does; views have all.
run tprof-export --pprof=sched -o "$TMP/last.pb.gz" $t
run tprof-top --sample-index=contentions "$TMP/last.pb.gz"
run tprof-export --pprof=sched --goroutine=17 -o "$TMP/all.pb.gz" $t
run tprof-top --sample-index=contentions "$TMP/all.pb.gz"
# Every documented join finds the life that was meant.
run tprof-query $t 'SELECT id, goid, life, parent, created_ns, ended_ns FROM goroutine ORDER BY created_ns'
run tprof-query $t 'SELECT g.goid, g.life, count(*), min(start_ns), max(end_ns) FROM span s JOIN goroutine g ON g.run = s.run AND g.id = s.goroutine WHERE g.goid = 17 GROUP BY 1, 2'
run tprof-query $t 'SELECT s.start_ns, s.goroutine, w.goid, w.life FROM span s JOIN goroutine w ON w.run = s.run AND w.id = s.waker ORDER BY 1'
run tprof-query $t 'SELECT ts_ns, goroutine FROM log UNION ALL SELECT ts_ns, goroutine FROM cpu_sample UNION ALL SELECT start_ns, goroutine FROM region'
# Go's own id is written again; a part of the trace has the life that is in it.
tprof-export --format=trace -o "$TMP/again.trace" $t
run tprof-export --format=events "$TMP/again.trace" | grep 'G 17.*NotExist'
tprof-import -o "$TMP/again.store" "$TMP/again.trace" >"$TMP/log"
run tprof-query "$TMP/again.store" 'SELECT id, goid, life, created_ns FROM goroutine WHERE goid = 17'
tprof-export --format=trace --goroutine=17/2 -o "$TMP/second.trace" $t
run tprof-top "$TMP/second.trace" goroutines
tprof-export --format=trace --anonymise -o "$TMP/names.trace" $t
run tprof-query "$TMP/names.trace" 'SELECT id, goid, life, running_ns FROM goroutine WHERE goid = 17'
tprof-export --format=perfetto -o "$TMP/p.json" $t
grep -o '"args":{"name":"G[^"]*"' "$TMP/p.json"
tprof-import -o "$TMP/whole.store" $t >"$TMP/log"
tprof-import --materialize -o "$TMP/rows.store" $t >"$TMP/log"
run tprof-query "$TMP/rows.store" 'SELECT id, goid, life FROM goroutine_rows WHERE goid = 17'
# A store of before has all lives in one row; the same dump imported anew takes its place.
run tprof-top --run=1 testdata/version-3.store goroutines --goroutine=17
run tprof-query --run=1 testdata/version-3.store 'SELECT id, goid, life FROM goroutine WHERE run = 1'
run tprof-query testdata/version-3.store 'SELECT count(*) FROM goroutine'
tprof-report --run=1 -o "$TMP/old.html" testdata/version-3.store 2>"$TMP/log"
grep -o 'Numbers of several[^<]*' "$TMP/old.html"
run tprof-top --run=2 -n 1 testdata/version-3.store goroutines
run tprof-merge -o "$TMP/both.store" testdata/version-3.store "$TMP/whole.store"
run tprof-top --run=callbacks.trace "$TMP/both.store" goroutines --goroutine=17
