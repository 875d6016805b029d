# Callers and callees: of everything that counts, and of what matches.
tprof-top --tree --nodecount=12 testdata/catalog.heap
tprof-top --peek='main\.\(\*index\)\.add' testdata/catalog.mutex
tprof-top --tree --granularity=lines --focus=sortTitles --no-trim testdata/catalog.cpu | head -n 40
echo '-- as rows'
tprof-top --peek='main\.(\(\*index\)\.add|reserve)$' --format=csv testdata/catalog.mutex
tprof-top --tree --nodecount=3 --format=json testdata/catalog.heap
echo '-- nothing matches'
tprof-top --peek='no such function' testdata/catalog.heap 2>&1
echo "status $?"
