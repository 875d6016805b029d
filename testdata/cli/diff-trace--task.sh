# A diff of traces inside tasks and regions: the sums are those of tprof-top with the same options.
cd testdata/parcels
columns() { awk -F, -v names="$*" 'BEGIN { n = split(names, want, " ") }
	NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	{ for (i = 1; i <= n; i++) printf "%s%s", $at[want[i]], i < n ? " " : "\n" }'; }
inside() { tprof-diff --per=run --by=reasons,tasks,regions,groups --all-stats -n 0 --format=csv "$@" old-1.trace new-1.trace 2>/dev/null |
	columns metric old new | grep -E '^(block|run|group|task|region)(\[[a-z]*\])?\.(total|count|p50) ' | sort; }
inside --task=parcel
tprof-top --task=parcel --format=csv old-1.trace groups | columns function running_ns blocked_ns
echo
inside --region='^weigh$'
tprof-top --region='^weigh$' --format=csv old-1.trace groups | columns function running_ns blocked_ns
echo
inside --task=7
tprof-top --task=7 --format=csv old-1.trace groups | columns function running_ns blocked_ns
echo
try() { "$@" 2>&1 >/dev/null | cut -c 1-100; "$@" >/dev/null 2>&1; echo "status $?"; }
try tprof-diff --task=nobody old-1.trace new-1.trace
try tprof-diff --region=nobody old-1.trace new-1.trace
try tprof-diff --goroutine=nobody old-1.trace new-1.trace
try tprof-diff --task=parcel old-1.trace ../convoy.trace
for report in tasks task regions outliers logs block; do
	for option in --task=nobody --task=98765 --region=nobody --goroutine=nobody; do
		tprof-top $option ../checkout.trace $report >/dev/null 2>&1; echo "$report $option: status $?"
	done
done
try tprof-export --pprof=net --task=nobody ../checkout.trace
# Tasks without an end last as long as the run: no goroutine works for them longer than that.
tprof-diff --task='.*' --per=run --by=groups --all-stats -n 0 --format=csv ../checkout-cut.trace ../checkout-cut.trace 2>/dev/null |
	columns metric old | grep -E '^group\.(count|p50|max) '
tprof-query --format=csv ../checkout-cut.trace 'SELECT duration_ns FROM run' 2>/dev/null | tail -1
