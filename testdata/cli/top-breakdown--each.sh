s=$TMP/shop.tprof
tprof-import -o "$s" testdata/checkout.trace >/dev/null
tprof-top "$s" breakdown -n 8
tprof-top "$s" breakdown --goroutine=cashier
tprof-top "$s" breakdown --goroutine=28 --format=csv
tprof-top "$s" breakdown --each --goroutine=cashier -n 4
tprof-top "$s" breakdown --each --task=order --reason=network -n 3
tprof-top "$s" block --task=103
tprof-top "$s" groups --region=pay
