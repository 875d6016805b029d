# Execution traces, looked at as profiles.
tprof-diff --view=offcpu -n 4 testdata/checkout.trace testdata/checkout-1.19.trace
tprof-diff --view=offcpu --by=stack --normalize -n 2 --goroutine=main.main testdata/checkout.trace testdata/checkout-1.19.trace
tprof-diff --view=sched --sample-index=count --from=25% --to=75% -n 3 testdata/checkout.trace testdata/checkout-1.19.trace
tprof-diff --view=cpu testdata/checkout.trace testdata/prices/old-1.heap 2>&1 | head -3
echo $?
