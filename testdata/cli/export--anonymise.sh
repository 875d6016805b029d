# Names are made up, the rest stays. With a secret, two dumps have the same ones.
printf secret >"$TMP/key"
tprof-export --format=trace --anonymise --anonymise-key="$TMP/key" -o "$TMP/a.trace" testdata/relay.trace; echo "status $?"
tprof-export --format=trace --anonymise --anonymise-key="$TMP/key" -o "$TMP/b.trace" testdata/relay.trace
cmp "$TMP/a.trace" "$TMP/b.trace" && echo the same again
tprof-export --format=trace --anonymise -o "$TMP/c.trace" testdata/relay.trace
cmp -s "$TMP/a.trace" "$TMP/c.trace" || echo another without the secret
tprof-top -n 4 "$TMP/a.trace" groups
# Events are the same but for their names.
tprof-export --format=trace -o "$TMP/r.trace" testdata/relay.trace
for t in a r; do tprof-export --format=events "$TMP/$t.trace" | cut -f 1-5 >"$TMP/$t"; done
cmp "$TMP/a" "$TMP/r" && echo the same events
for t in trace perfetto; do
	tprof-export --format=$t --anonymise=all testdata/relay.trace | grep -acE 'main\.(first|relay)|relay\.go|runtime\.chan'
done
# Profiles: totals stay.
tprof-export --format=pprof --anonymise --anonymise-key="$TMP/key" -o "$TMP/p.pb.gz" testdata/catalog.cpu
tprof-top -n 5 "$TMP/p.pb.gz"
try() { tprof-export "$@" 2>&1; echo "status $?"; }
try --format=events --anonymise testdata/relay.trace
try --format=trace --anonymise=some testdata/relay.trace
try --format=trace --anonymise-key=x testdata/relay.trace
try --format=trace --anonymise --anonymise-key="$TMP/none" testdata/relay.trace 2>&1 | sed "s,$TMP,TMP,"
