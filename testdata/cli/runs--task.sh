# Of several runs one that has the task or the region is enough; all that lack it are refused.
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace testdata/errands.trace >"$TMP/said" 2>&1 || cat "$TMP/said"
with() { # arguments of tprof-top
	tprof-top "$TMP/s.tprof" --run=all "$@" >"$TMP/out"
	status=$?
	echo "$*: status $status, $(grep -c . "$TMP/out") lines"
}
for what in --task=order --task=errand --task=103 --region=pay --task=ordre; do
	with "$what" block
	with "$what" cpu
	with "$what" --view=offcpu
	with "$what" --view=offcpu --over=run
done 2>&1 | sed "s|$TMP|TMP|"
{
	echo 'what is of one run:'
	tprof-top "$TMP/s.tprof" --run=all outliers
	tprof-top "$TMP/s.tprof" --run=all --task=103 task
	echo 'names that are lost:'
	tprof-top testdata/checkout-cut.trace --task=order block
	tprof-top testdata/checkout-cut.trace --region=pay block
	tprof-report --sample-index=foo -o "$TMP/r.html" testdata/checkout.trace
} 2>&1 | grep -v ': note: ' | sed "s|$TMP|TMP|"
