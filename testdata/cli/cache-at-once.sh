# Several processes that want the same dump at once all get it, and leave one entry.
for i in 1 2 3 4 5 6; do
	tprof-export --format=events testdata/checkout.trace 2>/dev/null | wc -l &
done
wait
ls "$XDG_CACHE_HOME/tprof" | grep -c '\.tprof$'
ls "$XDG_CACHE_HOME/tprof" | grep -c part
true
