# Runs that are called alike are told apart by their stores, or by the labels that pick them.
cp testdata/prices/old-1.heap "$TMP/x.heap"
cp testdata/convoy.trace "$TMP/t.trace"
cd "$TMP"
tprof-import --label=rev=a --label=kind=heap -o old.tprof x.heap >log
tprof-import --label=rev=a -o old.tprof t.trace >log
cp "$OLDPWD/testdata/prices/new-1.heap" x.heap
cp "$OLDPWD/testdata/relay.trace" t.trace
tprof-import --label=rev=b --label=kind=heap -o new.tprof x.heap >log
tprof-import --label=rev=b -o new.tprof t.trace >log
tprof-merge -o both.tprof old.tprof new.tprof >log
tprof-diff --run=x.heap old.tprof new.tprof | head -1
tprof-diff --run=t.trace old.tprof new.tprof | head -1
tprof-diff --run=x.heap --format=markdown --base old.tprof old.tprof -- new.tprof new.tprof | head -1
tprof-diff --base-label=rev=a,kind=heap --label=rev=b,kind=heap both.tprof | head -1
