# When the world stood still, and what became of the heap.
export COLUMNS=80 LC_ALL=C.UTF-8
tprof-top testdata/checkout.trace pauses
tprof-top testdata/checkout.trace stops -n 3 --sort=at --format=csv
tprof-top testdata/checkout-cut.trace stops -n 2
tprof-top testdata/checkout.trace heap -n 3
tprof-top testdata/checkout.trace heap -n 3 --sort=at --format=csv
tprof-top testdata/checkout.trace heap --format=chart --from=50%
tprof-top testdata/checkout-1.19.trace heap -n 2 --format=csv
