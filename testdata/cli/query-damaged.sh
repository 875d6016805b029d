# Damage to what is asked about is told of: of the run that is picked, or of all in one line.
try() { tprof-query "$@" 2>&1; }
try testdata/checkout-cut.trace 'select count(*) as n from goroutine'
try testdata/checkout.trace 'select count(*) as n from goroutine'
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace testdata/checkout-cut.trace >/dev/null 2>&1
try "$TMP/s.tprof" 'select count(*) as n from run'
try --run=checkout.trace "$TMP/s.tprof" 'select count(*) as n from goroutine where run = :run'
try --run=checkout-cut.trace "$TMP/s.tprof" 'select count(*) as n from goroutine where run = :run'
tprof-import -o "$TMP/s.tprof" testdata/checkout-1.19-cut.trace >/dev/null 2>&1
try "$TMP/s.tprof" 'select count(*) as n from run'
try "$TMP/s.tprof" 'SELECT run, offset, reason FROM loss'
printf 'select 1 as a;\n.tables\n' | try "$TMP/s.tprof" | head -n 4
# The name in the note is one that a shell takes.
cp testdata/checkout-cut.trace "$TMP/it's a.trace"
cp testdata/checkout-cut.trace "$TMP/-x.trace"
cd "$TMP"
tprof-top "it's a.trace" 2>&1 >/dev/null
tprof-top -- -x.trace 2>&1 >/dev/null
tprof-top - <-x.trace 2>&1 >/dev/null
