s=$TMP/shop.tprof
tprof-import -o "$s" testdata/checkout.trace >/dev/null
tprof-top --goroutine=1 "$s" goroutines
tprof-top -n 3 --goroutine=cashier "$s" block
tprof-top -n 3 --state=running,runnable "$s"
tprof-top -n 3 --reason='^sync$' "$s" block
