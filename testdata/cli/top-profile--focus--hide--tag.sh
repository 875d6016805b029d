# Filters on profiles: percentages stay those of everything unless they are to be relative.
tprof-top -n 3 --focus='main\.' --hide='^runtime' testdata/catalog.cpu
tprof-top -n 3 --focus='main\.' --relative-percentages testdata/catalog.cpu
echo "--- labels"
tprof-top -n 3 --tag-focus=shelf=travel testdata/catalog.cpu
tprof-top -n 4 --cum --tag-root=shelf testdata/catalog.cpu
tprof-top -n 2 --tag-focus=32kb: --show-from=main --prune-from='fill$' testdata/catalog.heap 2>&1
echo "--- nothing found is said"
tprof-top --focus=nobody testdata/catalog.cpu 2>&1
