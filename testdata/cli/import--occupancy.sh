# How the customers' time was divided, in buckets of 4^13 ns (67 ms); without the option there is none.
tprof-import --occupancy -o "$TMP/s.tprof" testdata/checkout.trace >/dev/null
tprof-query "$TMP/s.tprof" "SELECT o.bucket, fmt_ns(sum(o.running_ns)) AS running,
       fmt_ns(sum(o.runnable_ns)) AS runnable, fmt_ns(sum(o.blocked_ns)) AS blocked
  FROM occupancy o JOIN goroutine g ON g.id = o.goroutine
 WHERE g.name = 'main.(*Shop).customer' AND o.level = 13 GROUP BY 1"
tprof-query "$TMP/s.tprof" "SELECT count(DISTINCT segment) AS segments, min(level), max(level) FROM occupancy"
tprof-import -o "$TMP/none.tprof" testdata/checkout.trace >/dev/null
tprof-query "$TMP/none.tprof" "SELECT count(*) FROM occupancy"
