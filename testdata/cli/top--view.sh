# A trace looked at as a profile: the same table and options.
tprof-top --view=offcpu -n 4 testdata/checkout.trace
tprof-top --view=cpu -n 3 -cum testdata/checkout.trace
tprof-top --view=wall -n 3 --goroutine=cashier --from=20% --to=80% testdata/checkout.trace
