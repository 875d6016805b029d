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
# What picks a part is for some forms only, and the advice leads somewhere.
for form in events parsed raw footprint csv; do try --format=$form --from=1s testdata/checkout.trace | head -n 1; done
try --format=events --view=cpu testdata/checkout.trace
try --format=events --task=order testdata/checkout.trace
try --format=folded --to=1s testdata/checkout.trace
try --format=trace --state=running testdata/checkout.trace
try --clickhouse=clickhouse://localhost --from=1s x
try --pprof=net --view=cpu -o "$TMP/x" testdata/checkout.trace
try --view=cpu --pprof=net --format=folded testdata/checkout.trace
