# The first look: groups, as make demo shows them, at 80 columns and at 120.
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
tprof-top "$TMP/shop.tprof"
COLUMNS=120 tprof-top -n 5 "$TMP/shop.tprof"
COLUMNS=50 tprof-top -n 3 "$TMP/shop.tprof"
