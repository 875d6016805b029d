# Parts of a trace: where they are, what is said of them, and what one import of it makes of them.
data=$PWD/testdata
trace=$data/corpus/traces/slow-1.27.trace
cd "$TMP" || exit 4
try() { echo "\$ $*" | sed "s,$data/,,g"; "$@" 2>&1 | sed "s,$data/,,g; s/; [0-9.]*s; /; /; s/[0-9.]*KiB/SIZE/g"; }
try tprof-import --generations=list "$trace"
try tprof-import --generations=1-2 --label=task=1 -o 1.tprof "$trace"
try tprof-import --generations=3 --label=task=2 -o 2.tprof "$trace"
try tprof-import --generations=4-5 -o 3.tprof "$trace"
try tprof-import --generations=4-5 -o 3.tprof "$trace"
try tprof-top 2.tprof -n 3
try tprof-store list 2.tprof
tprof-store show 1.tprof | grep generations
try tprof-store verify 2.tprof
# Some of them, and all, in another order.
try tprof-merge -o all.tprof 3.tprof 1.tprof
tprof-store list all.tprof --format=csv 2>/dev/null | cut -d, -f1-4,9,10,12
try tprof-merge -o all.tprof 2.tprof
try tprof-store list all.tprof --format=csv | cut -d, -f1-4,9,10,12
try tprof-store verify all.tprof
tprof-import -o one.tprof --label=task=1 "$trace" >/dev/null
tprof-merge -o whole.tprof one.tprof >/dev/null
for store in all whole; do
	tprof-query --write $store.tprof 'UPDATE run SET imported_ns = 1' >/dev/null
done
cmp all.tprof whole.tprof && echo the same bytes
# Once more, with the whole one, and what is in the store already.
try tprof-merge -o all.tprof 2.tprof one.tprof
try tprof-import --generations=2-3 -o whole.tprof "$trace"
# What overlaps; what is not there; what has none.
try tprof-import --generations=2-4 -o 4.tprof "$trace"
try tprof-merge -o bad.tprof 1.tprof 4.tprof
try tprof-import --generations=5-6 -o bad.tprof "$trace"
try tprof-import --generations=1 -o bad.tprof "$data/checkout-1.19.trace"
try tprof-import --generations=list "$data/checkout-1.19.trace"
try tprof-import --generations=1 -o bad.tprof "$data/catalog.heap"
# A damaged generation, and the one behind it.
broken=$data/corpus/broken/middle-1.27.trace
try tprof-import --generations=1-3 -o 5.tprof "$broken"
try tprof-import --generations=4-5 -o 6.tprof "$broken"
try tprof-import --generations=5 -o 6.tprof "$broken"
try tprof-import --generations=4 -o 7.tprof "$broken"
ls
