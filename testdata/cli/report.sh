# Pages of a trace, a profile, and of comparisons: what sections they have, that they are the same
# every time, and that nothing is loaded. What they look like is looked at by `make test-browser`.
facts() {
	sed -n 's/.*<section id="\([a-z]*\)".*/section \1/p; s/.*<div class="report" id="report-\([a-z]*\)".*/report \1/p' "$1"
	printf '%s tables, %s pictures, %s flame graphs\n' $(grep -c '<table class="data">' "$1") \
		$(grep -c '<svg class="\(chart\|heat\|strips\|hist\)"' "$1") $(grep -c '<iframe' "$1")
	# Addresses are names of XML, nothing to be fetched.
	grep -oE '(https?:)?//[a-z][a-z0-9.-]+\.[a-z]+[^"&; ]*' "$1" | grep -v '^http://www.w3.org/' | sort -u
	[ "$(wc -c <"$1")" -lt 1000000 ] && echo "less than 1 MB"
}
tprof-report -o "$TMP/trace.html" "testdata/checkout.trace" && facts "$TMP/trace.html"
tprof-report "testdata/checkout.trace" | sed "s|tprof-report testdata|tprof-report -o $TMP/trace.html testdata|" | cmp - "$TMP/trace.html" && echo "the same again"
sed -n '/<ul class="findings">/,/<\/ul>/p' "$TMP/trace.html" | sed 's/<[^>]*>//g; s/&lt;/</g'
tprof-report -o "$TMP/heap.html" "testdata/catalog.heap" && facts "$TMP/heap.html"
tprof-report -o "$TMP/cpu.html" -n 3 --sample-index=samples --title='<b>' "testdata/catalog.cpu" && facts "$TMP/cpu.html"
grep -o '<h1>.*</h1>' "$TMP/cpu.html"
grep -o '… and .* more function' "$TMP/cpu.html"
tprof-report -o "$TMP/diff.html" --base "testdata/prices/old-1.heap" "testdata/prices/new-1.heap" && facts "$TMP/diff.html"
sed -n '/<ul class="findings">/,/<\/ul>/p' "$TMP/diff.html" | sed 's/<[^>]*>/ /g'
tprof-report -o "$TMP/traces.html" --base "testdata/checkout-1.19.trace" "testdata/checkout.trace" && facts "$TMP/traces.html"
tprof-report -o "$TMP/cut.html" "testdata/checkout-cut.trace" 2>/dev/null && facts "$TMP/cut.html"
sed -n '/<section id="losses"/,/<\/section>/p' "$TMP/cut.html" | sed 's/<[^>]*>//g'
