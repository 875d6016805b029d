# What a trace sees begin but not end, as a flight recorder's snapshot does, has no time yet: not 0.
export COLUMNS=100 LC_ALL=C.UTF-8
tprof-export --format=trace --from=100ms --to=101ms -o "$TMP/short.trace" testdata/checkout.trace
for format in table json; do
	tprof-top "$TMP/short.trace" regions --format=$format
done
tprof-top "$TMP/short.trace" tasks
tprof-top "$TMP/short.trace" outliers
