# The call graph for KCachegrind.
tprof-top --format=callgrind testdata/catalog.heap
tprof-top --format=callgrind --focus=partition testdata/catalog.cpu | head -n 60
