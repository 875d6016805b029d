# What a request would gain: one chain; a second one that is 10 % shorter; a stage that the next one holds up;
# a queue whose arrivals do not move.
tprof-path --task=relay '--what-if=main.third -50%' testdata/relay.trace -n 4
tprof-path --task=pair testdata/twins.trace what-if -n 3
tprof-path --task=pair '--what-if=main.elder -50%' testdata/twins.trace -n 3
tprof-path --task=dinner '--what-if=main.cook -50%' testdata/kitchen.trace -n 3
tprof-path --task=entry --slowest '--what-if=ledger.*write -50%' testdata/convoy.trace -n 2
tprof-path --task=order --slowest '--what-if=audit -50%' '--what-if=network -20%' testdata/checkout.trace -n 3
tprof-path '--what-if=sleep -100%' --from=50% --to=60% testdata/checkout.trace -n 3
# Without a change, all is as it was, of every order.
for id in $(tprof-path --task=order --format=csv testdata/checkout.trace requests | awk -F, 'NR % 60 == 2 { print $1 }'); do
	tprof-path --task=$id --format=csv testdata/checkout.trace what-if |
		awk -F, 'NR > 1 { sum += $2 } END { printf "%d ", sum }'
	tprof-path --task=$id --format=csv testdata/checkout.trace requests | awk -F, 'NR == 2 { print $3 }'
done
for wrong in 'main -0%' 'main -101%' 'main' ' -5%' 'main +5%' '( -5%' 'nowhere -5%' 'chan.receive -5%'; do
	tprof-path --task=relay "--what-if=$wrong" testdata/relay.trace 2>&1 | head -1
done
tprof-path --task=order '--what-if=audit -50%' testdata/checkout.trace 2>&1 || echo "status $?"
tprof-path tree --task=order '--what-if=audit -50%' testdata/checkout.trace tree 2>&1 | head -1
