# What a trace is made of: its file event by event, what is read from it, and a table by type
# (testdata/check/gotrace.sh compares with go tool trace -d).
for f in checkout.trace checkout-1.19.trace counter-1.5.trace; do
	echo "== $f"
	tprof-export --format=raw testdata/$f | head -n 12
	tprof-export --format=parsed testdata/$f 2>/dev/null | head -n 20
	tprof-export --format=footprint testdata/$f >"$TMP/f"; head -n 5 "$TMP/f"; tail -n 2 "$TMP/f"
	# All bytes of the file are somewhere.
	tr -d , <"$TMP/f" | awk 'NR > 1 && !/^\(/ { n += $2 } /^\(/ { n += $4 } END { print n }'
	wc -c <testdata/$f
done
# Packed, and from a store.
tprof-export --format=raw testdata/checkout-1.19.trace.zst | cksum
tprof-export --format=raw testdata/checkout-1.19.trace | cksum
tprof-import -o "$TMP/s.tprof" testdata/checkout-1.19.trace >/dev/null
tprof-export --format=parsed "$TMP/s.tprof" | cksum
tprof-export --format=parsed testdata/checkout-1.19.trace | cksum
tprof-export --format=footprint "$TMP/s.tprof" 2>&1 | head -n 4
# Damage ends raw and footprint, after what came before it.
head -c 9000 testdata/checkout.trace >"$TMP/cut.trace"
tprof-export --format=raw "$TMP/cut.trace" 2>&1 | sed "s,$TMP,TMP," | tail -n 3
tprof-export --format=footprint "$TMP/cut.trace" 2>&1 | sed "s,$TMP,TMP," | tail -n 3
# What has none of it.
try() { tprof-export "$@" 2>&1 | sed "s,$TMP,TMP,"; }
try --format=raw "$TMP/s.tprof"
try --format=raw testdata/catalog.cpu
try --format=footprint testdata/catalog.cpu
try --format=parsed testdata/catalog.cpu
try --format=raw --from=1s testdata/checkout.trace
