# What makes slow requests slow: of checkouts it is the report's page (system calls of the disk), which also
# those around the median wait for in part; of clerks the lock, as of all; of orders see tprof-path(1).
tprof-path --task=checkout testdata/pool.trace blame
tprof-path --task=entry testdata/convoy.trace blame -n 2
tprof-path --task=order testdata/checkout.trace blame -n 3
# Shares add up to one, with --min and regions too.
for of in --task=order '--region=pay --min=1ms' --goroutine=customer; do
	tprof-path $of --format=csv testdata/checkout.trace blame |
		awk -F, 'NR > 1 { for (i = 1; i <= 5; i++) sum[i] += $i }
			END { print NR - 1, "causes"; for (i = 1; i <= 5; i++) printf "%.6f\n", sum[i] }'
done
tprof-path --task=checkout --slowest=2 testdata/pool.trace blame 2>&1 || echo "status $?"
tprof-path testdata/relay.trace blame 2>&1 || echo "status $?"
