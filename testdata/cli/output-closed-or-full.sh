# A reader that has seen enough is no error; a full disk is.
tprof-export --format=events testdata/checkout.trace 2>/dev/null | head -n 1
tprof-export --format=events testdata/checkout.trace 2>&1 >/dev/full
echo "status $?"
tprof --help 2>&1 >/dev/full
echo "status $?"
