# The least that the collector leaves to the program, by length of window.
export COLUMNS=80 LC_ALL=C.UTF-8
tprof-top testdata/checkout.trace mmu
tprof-top testdata/checkout.trace mmu --window=1ms,10ms,100ms --include=all
tprof-top testdata/checkout.trace mmu --window=5ms -n 3 --include=all
tprof-top testdata/checkout.trace mmu --per-p --window=1ms,10ms --format=csv
tprof-top testdata/checkout.trace mmu --as-go --window=1ms,10ms --format=csv
tprof-top testdata/checkout.trace mmu --from=25% --to=75% --window=1ms --format=json -n 1
tprof-top testdata/checkout.trace mmu --format=svg | head -c 120; echo
tprof-top testdata/checkout-1.19.trace mmu --format=csv
# A window is no longer than what there is.
tprof-top testdata/checkout.trace mmu --window=10s --from=25% --to=75%
tprof-top testdata/checkout.trace mmu --window=1ms,10s
tprof-top testdata/checkout.trace mmu --include=stop
echo "exit $?"
tprof-top testdata/checkout.trace mmu --window=0 2>&1
echo "exit $?"
tprof-top testdata/checkout.trace gc --per-p
echo "exit $?"
tprof-top testdata/checkout.trace gc --format=chart
echo "exit $?"
