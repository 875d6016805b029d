# Differences: nothing differs from itself; the same program on a longer day; the colors of a change
# inside the noise; formats that have no differences.
cd testdata
tprof-flame --base=catalog.cpu --format=folded --show=^main catalog.cpu | awk '$(NF - 1) != $NF { print "differs: " $0 } END { print NR " stacks" }'
tprof-flame --base=catalog.cpu catalog.cpu | grep -o 'class="[pm][0-9]"' | sort | uniq -c | awk '{ print $1, $2 }' | grep -v '^1 '
echo == longer
tprof-flame --view=offcpu --base=checkout-1.19.trace --format=folded --focus=Inventory checkout.trace 2>/dev/null
tprof-flame --view=offcpu --base=checkout-1.19.trace --format=text --normalize --focus=Inventory checkout.trace | sed -n 1,2p
echo == defaults that differ
tprof-flame --format=text --base=catalog.heap prices/old-1.heap | sed -n 1,2p
tprof-flame --format=text --base=prices/old-1.heap catalog.heap | sed -n 1,2p
tprof-flame --format=text --sample-index=1 --base=catalog.heap prices/old-1.heap | sed -n 1,2p
tprof-flame --format=text --view=cpu catalog.cpu checkout.trace | sed -n 1,2p
echo == two times of a run
tprof-flame --format=folded --view=offcpu --focus=Reserve --to=200ms --base-from=200ms checkout.trace | awk '{ print $(NF - 1), $NF }'
for range in --from=200ms --to=200ms; do
	tprof-flame --format=folded --view=offcpu --focus=Reserve $range checkout.trace | awk '{ print $NF }'
done
tprof-flame --base=pool.trace --base-to=50% checkout.trace 2>&1 | head -n 1
echo == speedscope
tprof-flame --base=catalog.cpu -o "$TMP/x.json" catalog.cpu 2>&1
echo $?
tprof-flame --negate catalog.cpu 2>&1
tprof-flame --noise=1 catalog.cpu 2>&1
echo $?
