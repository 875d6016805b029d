# Arguments that cannot be, one after the other.
cd testdata/prices
try() { tprof-diff "$@" 2>&1 | grep -v '^Try'; }
try
try old-1.heap
try old-1.heap old-2.heap new-1.heap
try --base old-1.heap --
try -- new-1.heap
try --base old-1.heap -- new-1.heap --rows=2
try --base old-1.heap -- new-1.heap -n 2
try old-1.heap -- new-1.heap -- new-2.heap
try --label=rev=b new-1.heap
try --base-label=rev=a --label=rev=b new-1.heap
try --base-label=rev=a --label=rev=b --gate='cpu>5%' ../checkout.trace
try --by=pixel old-1.heap new-1.heap
try --by=label: old-1.heap new-1.heap
try --sort=colour old-1.heap new-1.heap
try --share-of=all old-1.heap new-1.heap
try --alpha=2 old-1.heap new-1.heap
try --view=sideways old-1.heap new-1.heap
try --min-share=x old-1.heap new-1.heap
try --granularity=addresses old-1.heap new-1.heap
try --focus='(' old-1.heap new-1.heap
try --sample-index=speed old-1.heap new-1.heap
try old-1.heap new.cpu
# A glob without the -- that was meant.
try -n 1 --base old-1.heap old-2.heap new-1.heap
try --focus=nobody -n 1 old-1.heap new-1.heap
try nowhere.heap new-1.heap
