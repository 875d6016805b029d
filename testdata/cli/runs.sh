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
# Runs of one name are not taken for one: neither is it said of what a label or all have picked.
s=$TMP/same.tprof
for dump in checkout.trace checkout-1.19.trace; do
	tprof-import -o "$s" --name=heap.pb.gz --label=rev=abc testdata/$dump >/dev/null
done
try --run=heap.pb.gz
tprof-top -n 1 --run=heap.pb.gz "$s" 2>&1 >/dev/null
tprof-top -n 1 --run=all "$s" 2>&1 >/dev/null
tprof-top -n 1 --run=rev=abc "$s" 2>&1 >/dev/null
tprof-top -n 1 --run=2 "$s" 2>&1 >/dev/null
try --run=abc
