# Several imports into one store at once wait for each other; the same dump is stored once.
for i in 1 2 3; do
	tprof-import -o "$TMP/s.tprof" testdata/checkout.trace >>"$TMP/said" &
	tprof-import -o "$TMP/s.tprof" testdata/checkout-1.19.trace >>"$TMP/said" &
done
wait
grep -c "nothing lost" "$TMP/said"
grep -c "nothing was stored" "$TMP/said"
rm "$TMP/said"
tprof-export --format=events --run=checkout.trace "$TMP/s.tprof" | wc -l
tprof-export --format=events --run=checkout-1.19.trace "$TMP/s.tprof" | wc -l
tprof-export --format=events --run=3 "$TMP/s.tprof" 2>/dev/null
echo "status $?"
ls "$TMP"
