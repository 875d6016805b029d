# Times of Ps one by one add up to their sums by segment, follow each other without a gap, and name the M.
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace >/dev/null
tprof-query "$TMP/s.tprof" "SELECT p, state, count(*) AS spans, fmt_ns(sum(end_ns - start_ns)) AS total, count(DISTINCT m) AS threads
  FROM proc_span GROUP BY p, state ORDER BY p, state"
tprof-query "$TMP/s.tprof" "SELECT count(*) AS sums_that_differ FROM (SELECT p, state, sum(end_ns - start_ns) AS total FROM proc_span GROUP BY p, state) a
  JOIN (SELECT p, state, sum(total_ns) AS total FROM proc_time GROUP BY p, state) b USING (p, state) WHERE a.total <> b.total"
tprof-query "$TMP/s.tprof" "SELECT count(*) AS gaps FROM (SELECT start_ns, lag(end_ns) OVER (PARTITION BY p ORDER BY row) AS before FROM proc_span) WHERE start_ns <> before"
