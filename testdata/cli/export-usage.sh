# Wrong arguments end with status 2.
try() { tprof-export "$@" 2>&1; echo "status $?"; }
try
try x
try --format=nosuch x
try --format=events x y
try --nosuch
try --format=proto --view=sideways x
try --format=proto --from=1s testdata/checkout.trace
try --format=proto -focus='(' testdata/catalog.cpu
cp testdata/catalog.cpu "$TMP/c"
try --format=proto "$TMP/c" -o "$TMP/c" | sed "s,$TMP,TMP,"
cmp testdata/catalog.cpu "$TMP/c"
# What cannot be read leaves no file, nor does it take one away.
try --format=proto testdata/checkout.trace -o "$TMP/none"
try --format=proto nosuch -o "$TMP/c"
ls "$TMP"
try --format=proto testdata/catalog.cpu -o /dev/full
try --format=proto testdata/catalog.cpu -o "$TMP/no/such/folder"  | sed "s,$TMP,TMP,"
tprof-export --format=events testdata/catalog.cpu 2>&1
echo "status $?"
