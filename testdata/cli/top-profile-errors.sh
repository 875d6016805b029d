# Each mistake is one sentence; options for traces are refused for profiles, and the other way round.
try() { tprof-top "$@" 2>&1 >/dev/null | head -n 1; tprof-top "$@" >/dev/null 2>&1; echo "status $?"; }
try testdata/catalog.cpu groups
try --from=1s testdata/catalog.cpu
try --hide=x testdata/checkout.trace
try --tree testdata/checkout.trace
try --sample-index=nothing testdata/catalog.heap
try --focus='(' testdata/catalog.heap
try --granularity=words testdata/catalog.heap
try --divide-by=0 testdata/catalog.heap
try --sort=name testdata/catalog.heap
try --traces --format=csv testdata/catalog.heap
try --tree --raw testdata/catalog.heap
try --view=nothing testdata/checkout.trace
try testdata/catalog.cpu testdata/checkout.trace
try testdata/checkout.trace testdata/pool.trace
try testdata/catalog.cpu testdata/catalog.heap
try testdata/catalog.cpu nowhere.pb.gz
try testdata/README.md
# What lost its names has none to offer.
head -c "$(($(wc -c <testdata/catalog.cpu) / 2))" testdata/catalog.cpu >"$TMP/cut.cpu"
tprof-top -n 1 --sample-index=cpu "$TMP/cut.cpu" 2>&1
tprof-top -n 1 "$TMP/cut.cpu" 2>&1 >/dev/null
# What is not a regular expression is a mistake of usage, wherever it is given.
try testdata/catalog.heap --peek='('
try --view=cpu testdata/checkout.trace --list='('
# A word of the jail's that is not known is told of also where nothing is to be decoded.
TPROF_JAIL=maybe tprof-top testdata/catalog.heap 2>&1; echo "status $?"
