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
