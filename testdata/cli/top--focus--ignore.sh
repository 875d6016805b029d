# What has, or has not, a matching function on its stack.
s=$TMP/shop.tprof
tprof-import -o "$s" testdata/checkout.trace >/dev/null
tprof-top --focus=Inventory "$s"
tprof-top -n 3 --focus='^net\.' --ignore=Bank "$s" block
tprof-top -n 3 --focus=guess "$s" cpu
tprof-top --focus='no such function' "$s" syscalls
