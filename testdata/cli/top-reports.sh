# The first rows of every report.
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
for report in goroutines block sched syscalls cpu gc tasks regions procs; do
	echo "== $report"
	COLUMNS=110 tprof-top -n 4 "$TMP/shop.tprof" $report
done
