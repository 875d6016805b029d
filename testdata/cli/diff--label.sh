# Two sets of one store, and runs of stores by name.
tprof-import --label=rev=abc -o $TMP/s.tprof testdata/prices/old-?.heap >/dev/null
tprof-import --label=rev=def -o $TMP/s.tprof testdata/prices/new-?.heap >/dev/null
tprof-diff --base-label=rev=abc --label=rev=def -alloc_space -n 5 $TMP/s.tprof
tprof-diff --run=old-1.heap -alloc_space -n 2 $TMP/s.tprof testdata/prices/new-1.heap
tprof-diff --base-label=rev=abc --label=rev=xyz $TMP/s.tprof 2>&1
echo $?
tprof-diff --base-label=rev=abc $TMP/s.tprof 2>&1
echo $?
