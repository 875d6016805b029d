# Which locks goroutines wait for, by line, who holds them, and doing what.
export COLUMNS=120 LC_ALL=C.UTF-8
tprof-top testdata/checkout.trace locks
tprof-top testdata/checkout.trace locks --format=csv
# The auditor sleeps while it holds the lock.
tprof-top testdata/checkout.trace locks --sort=held --from=25% --to=75%
tprof-top testdata/convoy.trace locks
# Filters choose who waits, not who holds.
tprof-top testdata/checkout.trace locks --goroutine=cashier --task='^order$'
tprof-top testdata/relay.trace locks
