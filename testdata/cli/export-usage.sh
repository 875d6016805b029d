# Wrong arguments end with status 2.
try() { tprof-export "$@" 2>&1; echo "status $?"; }
try
try x
try --format=nosuch x
try --format=events x y
try --nosuch
try --format=pprof --view=sideways x
try --format=pprof --from=1s testdata/checkout.trace
try --format=pprof -focus='(' testdata/catalog.cpu
cp testdata/catalog.cpu "$TMP/c"
try --format=pprof "$TMP/c" -o "$TMP/c" | sed "s,$TMP,TMP,"
cmp testdata/catalog.cpu "$TMP/c"
# What cannot be read leaves no file, nor does it take one away.
try --format=pprof testdata/checkout.trace -o "$TMP/none"
try --format=pprof nosuch -o "$TMP/c"
ls "$TMP"
try --format=pprof testdata/catalog.cpu -o /dev/full
try --format=pprof testdata/catalog.cpu -o "$TMP/no/such/folder"  | sed "s,$TMP,TMP,"
tprof-export --format=events testdata/catalog.cpu 2>&1
echo "status $?"
