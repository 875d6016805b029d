# A reader that has seen enough is no error; a full disk is.
tprof-export --format=events testdata/checkout.trace 2>/dev/null | head -n 1
tprof-export --format=events testdata/checkout.trace 2>&1 >/dev/full
echo "status $?"
for how in "tprof-report" "tprof-export --format=perfetto" "tprof-path --format=svg"; do
	$how -o /dev/full testdata/pool.trace 2>&1
	echo "status $?"
done
# A few events, which the process that decodes has not written before it ends.
tprof-import --dump=events testdata/counter-1.5.trace 2>&1 >/dev/full
echo "status $?"
tprof --help 2>&1 >/dev/full
echo "status $?"
# A stream that is closed is not what is opened next.
tprof-import --dump=events testdata/counter-1.5.trace 2>&1 >&-
echo "status $?"
tprof-flame --format=text testdata/checkout-cut.trace -o "$TMP/flame" 2>&-
echo "status $?"
grep -c warning "$TMP/flame" || true
# What commands say of themselves, too.
tprof-top --help 2>&1 >/dev/full; echo "= $?"
tprof-top --version 2>&1 >/dev/full; echo "= $?"
tprof-top --usage 2>&1 >/dev/full; echo "= $?"
tprof-top --usage 2>&1 >&-; echo "= $?"
tprof-top --help=all 2>&1 >/dev/full; echo "= $?"
tprof-top --help=all | head -n 1
