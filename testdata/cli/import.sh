# A trace, twice: the second time nothing is stored. Seconds and sizes differ from build to build.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/'; }
cp testdata/checkout.trace "$TMP/go.trace"
cd "$TMP"
tprof-import go.trace 2>&1 | plain
tprof-import go.trace 2>&1
ls
# Whoever starts it may have ignored that children end.
env --ignore-signal=CHLD tprof-import -o ignored.tprof go.trace 2>&1 | plain
