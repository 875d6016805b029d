# A run that lost something says so in one line.
tprof-top -n 3 testdata/checkout-cut.trace 2>&1 | grep -v imported
