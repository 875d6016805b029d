# Wakers by other keys, and of waits for some reasons.
export COLUMNS=110 LC_ALL=C.UTF-8
tprof-path testdata/checkout.trace wakers --reason='^sync$' --sort=max -n 4
tprof-path testdata/checkout.trace wakers --sort=waited -n 3
tprof-path testdata/checkout.trace wakers --sort=x 2>&1
echo "exit $?"
tprof-path testdata/checkout.trace --reason=x 2>&1
echo "exit $?"
