# The path as a tree, and who wakes whom.
tprof-path --task=entry --slowest testdata/convoy.trace tree
tprof-path --task=order --slowest=5% testdata/checkout.trace tree -n 8
tprof-path testdata/checkout.trace wakers -n 6
tprof-path --stacks --from=50% --goroutine=cashier testdata/checkout.trace wakers -n 4
tprof-path --task=order testdata/checkout.trace wakers -n 4
tprof-path --format=tsv testdata/relay.trace wakers
# Who wakes whom on one path, with the stacks of both.
tprof-path --stacks --task=12 testdata/pool.trace hops
