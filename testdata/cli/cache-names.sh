# A trace that was renamed, copied or piped is shown under the name it has now, whatever name the
# cache saw first.
cd testdata
first() { head -n 1; }
tprof-top checkout.trace 2>/dev/null | first
cp checkout.trace "$TMP/prod-incident.trace"
cp checkout-cut.trace "$TMP/cut.trace"
cd "$TMP"
tprof-top prod-incident.trace 2>/dev/null | first
tprof-top --run=prod-incident.trace prod-incident.trace 2>/dev/null | first
tprof-top - <prod-incident.trace 2>/dev/null | first
tprof-top prod-incident.trace 2>/dev/null | first
for file in prod-incident.trace -; do
	tprof-query --format=csv $file 'SELECT name, source FROM run' <prod-incident.trace 2>&1 | tail -n 1
done
tprof-report -o report.html prod-incident.trace 2>/dev/null
grep -o '<title>[^<]*</title>' report.html | first
tprof-export --format=perfetto -o p.perfetto prod-incident.trace 2>/dev/null
grep -ao 'prod-incident.trace\|checkout.trace' p.perfetto | sort -u
tprof-flame --view=offcpu --format=svg --base="$OLDPWD/checkout.trace" -o flame.svg prod-incident.trace 2>/dev/null
grep -o '<title>[^<]*</title>' flame.svg | first
tprof-top "$OLDPWD/checkout-cut.trace" 2>&1 | sed -n 's/ is damaged.*/ is damaged/p'
tprof-top cut.trace 2>&1 | sed -n 's/ is damaged.*/ is damaged/p'
