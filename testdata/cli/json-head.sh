# --json-head: what stands around the rows; where it does not fit.
tprof-top testdata/pool.trace block -n 1 --json-head
tprof-top testdata/catalog.heap -n 1 --json-head | sed -n '/"cut"/,$p'
tprof-top testdata/checkout-cut.trace gc --json-head 2>/dev/null | sed -n '/"runs"/,/"tables"/p'
tprof-top --json-head --format=csv testdata/pool.trace 2>&1 || echo $?
