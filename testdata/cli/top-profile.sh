# Profiles: pprof's numbers in our table, whatever way they come in.
tprof-top -n 5 testdata/catalog.cpu
echo "--- alloc_space by line, as pprof's users type it"
tprof-top -lines -cum -sample_index=alloc_space -nodecount 4 testdata/catalog.heap
echo "--- mean size of an allocation"
tprof-top -mean --sample-index=alloc_space -n 3 testdata/catalog.heap
echo "--- two added up, from standard input and a file"
tprof-top -n 3 - testdata/catalog.cpu <testdata/catalog.cpu
echo "--- the same from a store"
tprof-import -o "$TMP/catalog.tprof" testdata/catalog.cpu testdata/catalog.heap >/dev/null
tprof-top -n 3 --run=catalog.cpu "$TMP/catalog.tprof"
tprof-top -n 2 "$TMP/catalog.tprof" 2>&1
echo "--- delay of contentions"
tprof-top -n 3 testdata/catalog.block
tprof-top -n 3 -contentions testdata/catalog.mutex
