# One page; as JSON an object of arrays.
tprof-import -o "$TMP/shop.tprof" testdata/checkout.trace >/dev/null
COLUMNS=100 tprof-top "$TMP/shop.tprof" overview
tprof-top -n 1 --format=json "$TMP/shop.tprof" overview | cut -c1-150
# Names with NULs and other controls do not cut a sentence short.
PYTHONPATH=testdata/check python3 -Bc 'import hostile, sys
sys.stdout.buffer.write(hostile.trace("testdata/checkout.trace"))' >"$TMP/hostile.trace"
COLUMNS=1000 tprof-top "$TMP/hostile.trace" overview | grep "^- "
