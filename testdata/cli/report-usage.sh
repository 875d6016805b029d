# What does not fit is said in a sentence.
try() { "$@" 2>&1 | grep -v 'Try .tprof'; }
try tprof-report
try tprof-report -n 0 -o x testdata/checkout.trace
try tprof-report --base testdata/catalog.cpu testdata/checkout.trace
try tprof-report testdata/checkout.trace testdata/checkout-cut.trace
try tprof-report --base-run=1 testdata/checkout.trace
try tprof-report --sample-index=no testdata/catalog.heap
cp testdata/catalog.heap "$TMP/heap"
try tprof-report -o "$TMP/heap" "$TMP/heap"
try tprof-report -o report.pdf testdata/checkout.trace

# Two that cannot be compared are no page, as they are no diff.
rm -f "$TMP/x.html"
tprof-report --base=testdata/catalog.mutex -o "$TMP/x.html" testdata/catalog.cpu 2>&1
echo "status $?"
tprof-report --base=testdata/prices/old.cpu --sample-index=no -o "$TMP/x.html" testdata/catalog.cpu 2>&1
echo "status $?"
tprof-report --base=testdata/catalog.mutex --sample-index=1 -o "$TMP/x.html" testdata/catalog.cpu 2>&1
echo "status $?"
test -e "$TMP/x.html" || echo 'no page'
