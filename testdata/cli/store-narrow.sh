# Brackets in the names of runs are no type arguments: what is in them may be all that differs.
s=$TMP/s.tprof
tprof-import -o "$s" testdata/checkout.trace testdata/catalog.heap testdata/checkout-cut.trace >/dev/null 2>&1
tprof-store rename "$s" 1 'checkout-service-bench[case-alpha].trace'
tprof-store rename "$s" 2 'checkout-service-bench[case-beta].trace'
tprof-store rename "$s" 3 'checkout-service-bench[case-gamma].trace'
COLUMNS=60 tprof-store list "$s" | cut -c 1-40
