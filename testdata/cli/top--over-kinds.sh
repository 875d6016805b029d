# What does not go together: values of several kinds in one row, what picks rows of reports that are not there.
try() { "$@" 2>&1; echo "status $?"; }
try tprof-top --over=run testdata/catalog.heap testdata/catalog.cpu
tprof-import -o "$TMP/s.tprof" testdata/catalog.heap testdata/catalog.cpu testdata/pool.trace >/dev/null 2>&1
tprof-top --over=run -n 3 testdata/checkout.trace testdata/pool.trace
try tprof-top --over=run --log=a testdata/checkout.trace testdata/pool.trace
try tprof-top --view=cpu --min=1s testdata/checkout.trace
try tprof-top --each testdata/catalog.heap
tprof-store rename "$TMP/s.tprof" 1 pool.trace
try tprof-top --run=pool.trace "$TMP/s.tprof"
# A name of Go's is no expression; with \Q and \E it is one.
try tprof-top --focus='main.(*index).add' testdata/catalog.heap
tprof-top --focus='\Qmain.(*index).add\E' -n 1 testdata/catalog.heap | tail -n 1
# A range cuts tasks.
tprof-top testdata/checkout.trace tasks --from=100ms --to=101ms
tprof-path testdata/checkout.trace --task=order --slowest --from=100ms --to=101ms | head -n 4
