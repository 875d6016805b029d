# --json-head: what stands around the rows; where it does not fit.
tprof-top testdata/pool.trace block -n 1 --json-head
tprof-top testdata/catalog.heap -n 1 --json-head | sed -n '/"cut"/,$p'
tprof-top testdata/checkout-cut.trace gc --json-head 2>/dev/null | sed -n '/"runs"/,/"tables"/p'
echo '# the command as it was typed'
tprof-top testdata/pool.trace --json-head block -n 1 | sed -n 2p
echo '# notes on gates; kinds of numbers that are fractions'
tprof-diff testdata/ledger/ledger-1.heap testdata/ledger/ledger-2.heap --gate='flat(.)>+900%' --json-head 2>/dev/null |
	sed -n -e '/"messages"/,$p' -e '/"name": "\(old\|new\)"/p'
echo '# runs of one name'
tprof-top --over=run testdata/ledger/ledger-1.heap testdata/ledger/ledger-1.heap -n 1 --json-head | sed -n '/"runs", "title"/,$p'
echo '# what prints no table'
tprof-import -o "$TMP/s.tprof" testdata/pool.trace >/dev/null
tprof-store verify "$TMP/s.tprof" --json-head 2>&1 || echo $?
tprof-query "$TMP/s.tprof" .schema --json-head 2>&1 || echo $?
tprof-top --json-head --format=csv testdata/pool.trace 2>&1 || echo $?
