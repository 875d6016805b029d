# One page; as JSON an object of arrays.
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
COLUMNS=100 tprof-top "$TMP/shop.tprof" overview
tprof-top -n 1 --format=json "$TMP/shop.tprof" overview | cut -c1-150
