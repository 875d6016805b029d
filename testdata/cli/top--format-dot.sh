# The call graph for graphviz: labels, inlined calls, what a limit leaves out, differences of colour.
tprof-top --format=dot --nodecount=8 testdata/catalog.cpu
tprof-top --format=dot testdata/catalog.heap
tprof-top --format=dot --call-tree --focus=sortTitles --nodecount=6 testdata/catalog.cpu
echo '-- nothing is left'
tprof-top --format=dot --focus=nobody testdata/catalog.heap 2>&1
