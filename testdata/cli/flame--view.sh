# Every view of a trace, and parts of one. The sums are those of tprof-top.
for view in cpu running offcpu sched syscall wall; do
	tprof-flame --view=$view --format=text testdata/checkout.trace | sed -n 1,2p
done
echo == a part of it
tprof-flame --view=offcpu --from=25% --to=50% --task=order --goroutine=cashier --format=text testdata/checkout.trace | sed -n 1,2p
tprof-flame --view=offcpu --region=pay --reason=network --format=folded testdata/checkout.trace | head -n 2
