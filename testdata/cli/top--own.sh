# WHERE shows the leaf and the first frame of the user's own code, which --own picks by its name.
export COLUMNS=90 LC_ALL=C.UTF-8
trace=testdata/checkout.trace
tprof-top -n 6 $trace block
tprof-top -n 3 --own='^net\.' $trace block
COLUMNS=160 tprof-top -n 3 $trace block
tprof-top -n 1 --format=csv $trace block
# What sentences say of the caller comes from the same rule.
tprof-path --task=order $trace | sed -n 6,9p
tprof-path --task=order --own='Shop..pay' $trace totals -n 1
tprof-leaks -n 2 --own='^net\.' $trace
for command in top path leaks; do
	tprof-$command '--own=(' $trace 2>&1 | head -1
done
tprof-top --own=x testdata/catalog.cpu 2>&1 | head -1
# A page and the terminal program take it as well.
for own in '' '--own=^net\.'; do
	tprof-report $own -o "$TMP/x.html" $trace
	grep -o 'net\.(\*netFD)\.Read[^<]*' "$TMP/x.html" | sort | uniq -c | head -3
done
tprof-report '--own=(' -o "$TMP/x.html" $trace 2>&1 | head -1
tprof-report --own=x -o "$TMP/x.html" testdata/catalog.cpu 2>&1 | head -1
tprof-report --own=x --base=$trace -o "$TMP/x.html" $trace 2>&1 | head -1
tprof-tui '--own=(' $trace 2>&1 | head -1
# The caller of a line in a library that waits for a lock.
COLUMNS=140 tprof-top --own='Shop' $trace locks
