# A trace looked at as a profile: the same table and options.
tprof-top --view=offcpu -n 4 testdata/checkout.trace
tprof-top --view=cpu -n 3 -cum testdata/checkout.trace
tprof-top --view=wall -n 3 --goroutine=cashier --from=20% --to=80% testdata/checkout.trace
# Where no CPU profile ran beside the trace, every way to its samples says so.
tprof-top testdata/pool.trace cpu
tprof-flame --view=cpu -o "$TMP/none.svg" testdata/pool.trace 2>&1
tprof-export --format=pprof --view=cpu -o "$TMP/none.pgo" testdata/pool.trace 2>&1
