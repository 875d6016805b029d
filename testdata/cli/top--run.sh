# Several runs are added up by name.
s=$TMP/shop.tprof
tprof-import -o "$s" --name=new testdata/checkout.trace >/dev/null
tprof-import -o "$s" --name=old testdata/checkout-1.19.trace >/dev/null
tprof-top -n 3 "$s" 2>&1
tprof-top -n 3 --run=new "$s"
tprof-top -n 3 --run=all "$s"
tprof-top -n 3 --run=all "$s" goroutines
