# Reports, views and profiles as profile.proto: a sample for each row, whose values add up to what the
# table says.
for f in checkout.trace checkout-1.19.trace; do
	for report in groups goroutines block sched syscalls gc tasks regions; do
		tprof-top --format=pprof testdata/$f $report >"$TMP/r.pb.gz" || continue
		table=$(tprof-top --format=tsv -n 0 testdata/$f $report | awk -F '\t' '
			NR == 1 { for (i = 1; i <= NF; i++) if ($i == "total_ns") c = i; next } { n += $c } END { printf "%d rows, %.0f", NR - 1, n }')
		profile=$(tprof-top --raw "$TMP/r.pb.gz" | awk '
			/^Samples:/ { s = 1; next } /^Locations/ { s = 0 }
			s == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^total\//) c = i; s = 2; next }
			s && /^ *[0-9]+ .*:|^ *[0-9]+:/ { sub(":.*", ""); split($0, v, " "); n += v[c]; rows++ }
			END { printf "%d rows, %.0f", rows, n }')
		echo "$f $report: $table; $profile"
	done
done
tprof-top --format=pprof testdata/checkout.trace block -n 2 | tprof-top --raw - | sed -n 1,12p
tprof-top --format=pprof testdata/checkout.trace groups --goroutine=Shop --from=25% --to=50% | tprof-top -
tprof-top --format=pprof testdata/checkout.trace tasks | tprof-top --sample-index=logs -
# Functions of the CPU profiler, by the stacks they were on; views; what is a profile already.
tprof-top --format=pprof testdata/checkout.trace cpu >"$TMP/cpu"
tprof-top --format=pprof --view=cpu testdata/checkout.trace | cmp - "$TMP/cpu" && echo the view cpu
tprof-top --format=pprof --pprof=net testdata/checkout.trace >"$TMP/net"
tprof-export --pprof=net testdata/checkout.trace | cmp - "$TMP/net" && echo the same
tprof-top --format=pprof -focus=sort testdata/catalog.cpu >"$TMP/sort"
tprof-export --format=pprof -focus=sort testdata/catalog.cpu | cmp - "$TMP/sort" && echo the same
tprof-top --format=pprof --diff-base=testdata/catalog.cpu testdata/catalog.cpu | tprof-top - | head -n 4
# Several runs.
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace testdata/checkout-1.19.trace >/dev/null
tprof-top --format=pprof --run=all "$TMP/s.tprof" goroutines | tprof-top --tags - | head -n 12
# What has no stacks, and what is not one table.
try() { tprof-top --format=pprof "$@" 2>&1; echo "status $?"; }
try testdata/checkout.trace procs
try testdata/checkout.trace overview
try testdata/checkout.trace block --tree
try --over=run testdata/checkout.trace
tprof-top --format=nosuch testdata/checkout.trace 2>&1
echo "status $?"
