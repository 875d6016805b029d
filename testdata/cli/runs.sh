# Which run of a store --run picks, and what is said when none or several fit.
s=$TMP/s.tprof
tprof-import -o "$s" --name=one --label=build=1 --label=host=a testdata/checkout.trace >/dev/null
tprof-import -o "$s" --name=two --label=build=2 --label=host=a testdata/checkout-1.19.trace >/dev/null
try() { tprof-export --format=events "$@" "$s" 2>&1 | sed -n '1p;$='; }
try
try --run=latest
try --run=1
try --run=two
try --run=build=1
try --run=host=a
try --run=all
try --run=three
try --run=
try --run='*'
