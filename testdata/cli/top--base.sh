# The difference of two profiles as pprof shows it: -base, -diff_base, -normalize, -drop_negative.
cd testdata/prices
tprof-top -top -diff_base=old-1.heap -alloc_space -nodecount=5 new-1.heap
tprof-top -top -base old-1.heap -alloc_space -nodecount=3 new-1.heap
tprof-top --base=old-1.heap --base=old-2.heap --normalize --drop-negative -alloc_space --unit=bytes -n 3 --format=csv new-1.heap new-2.heap
tprof-top -tree -diff_base=old.cpu -normalize new.cpu | head -n 20
tprof-top -peek='sort.partition_func' -base=old.cpu new.cpu | head -n 24
# Written for pprof, it is the same difference again.
tprof-export --format=pprof --diff-base=old-1.heap --sample-index=alloc_space -o $TMP/d.pb.gz new-1.heap
tprof-top -nodecount=5 $TMP/d.pb.gz | sed 1d >$TMP/again
tprof-top -diff_base=old-1.heap -alloc_space -nodecount=5 new-1.heap | sed 1d | cmp - $TMP/again && echo same
# What cannot be.
try() { "$@" 2>&1 | grep -v '^Try'; }
try tprof-top -base=old-1.heap -diff_base=old-2.heap new-1.heap
try tprof-top -normalize new-1.heap
try tprof-top -base=old.cpu new-1.heap
try tprof-top -base=nowhere new-1.heap
try tprof-export --format=events --base=old.cpu new.cpu
try tprof-top --base=../checkout.trace ../checkout.trace
