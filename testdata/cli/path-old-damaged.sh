# An old trace, one that was cut, and one of which a stretch is missing: what is not known is said.
tprof-path --task=order --slowest testdata/checkout-1.19.trace -n 4 2>&1
tprof-path --task=order --slowest testdata/checkout-cut.trace -n 4 2>&1
tprof-path --task=103 testdata/checkout-cut.trace -n 4 2>&1
tprof-path testdata/checkout-1.19-cut.trace -n 3 2>&1
tprof-path --goroutine=1 testdata/corpus/broken/middle-1.27.trace -n 6 2>&1
tprof-path testdata/counter-1.5.trace -n 3 2>&1
