# Execution traces, looked at as profiles.
tprof-diff --view=offcpu -n 4 testdata/checkout.trace testdata/checkout-1.19.trace
tprof-diff --view=offcpu --by=stack --normalize -n 2 --goroutine=main.main testdata/checkout.trace testdata/checkout-1.19.trace
tprof-diff --view=sched --sample-index=count --from=25% --to=75% -n 3 testdata/checkout.trace testdata/checkout-1.19.trace
tprof-diff testdata/checkout.trace testdata/checkout-1.19.trace 2>&1
echo $?
