# Three programs whose critical paths are known (testdata/programs): a request that waits on a pool whose
# connection a report holds while the disk writes; five channel hops; a queue at a lock.
tprof-path --task=checkout --slowest testdata/pool.trace
tprof-path --task=relay testdata/relay.trace -n 6
tprof-path --task=entry --slowest testdata/convoy.trace -n 4
tprof-path --task=entry testdata/convoy.trace
