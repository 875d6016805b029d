# Which requests: tasks, regions, goroutines, time ranges; the slowest of them.
t=testdata/checkout.trace
tprof-path --task=order --slowest=1% $t -n 3
tprof-path --task=order --slowest=3 $t requests
tprof-path --region=reserve --slowest $t -n 3
tprof-path --region=reserve --task=103 $t -n 3
tprof-path --goroutine=cashier $t requests
tprof-path --goroutine=31 $t -n 3
tprof-path --task=order --min=28ms --max=31ms $t requests
tprof-path --from=100ms --to=150ms $t -n 3
tprof-path --task=order --from=25% --to=50% $t -n 3
# Parts of a time range make the whole.
sum() { tprof-path --task=order --format=tsv "$@" $t totals | awk -F'\t' 'NR > 1 { n += $1 } END { printf "%.0f", n }'; }
[ "$(sum)" = $(($(sum --to=200ms) + $(sum --from=200ms))) ] && echo "$(sum) ns are the two halves"
