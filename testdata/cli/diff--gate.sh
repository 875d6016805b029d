# Gates: exceeded, kept, undecided; statuses 0, 1, 2 and 3, and what is said aloud.
cd testdata/prices
try() { tprof-diff -alloc_space -n 1 "$@" 2>&1; echo "status $?"; }
try --gate 'alloc_space>+5%,min=100KiB' old-1.heap new-1.heap
try --gate 'alloc_space>+5%,min=1MiB' --gate 'alloc_objects+-90%' old-1.heap new-1.heap
try --gate 'alloc_space>+5%' --base old-?.heap -- new-?.heap
try --gate 'alloc_space>+5%' --base old-[12].heap -- new-[12].heap
try --gate 'alloc_space>+5%,undecided=fail' --base old-[12].heap -- new-[12].heap
try --gate 'alloc_space>+5%,undecided=pass' --base old-[12].heap -- new-[12].heap
try --gate 'flat(^main\.(Map|vat|discount))>+5%,min=10kB' old-1.heap new-1.heap
try --gate 'flat(nobody)>+5%' old-1.heap new-1.heap
try --gate 'flat(nobody)>+5%,missing=pass' old-1.heap new-1.heap
try --gate 'flat(nobody)>+5%' --gate 'alloc_space>+5%' old-1.heap new-1.heap
try --gate 'flat(legacyVAT)>+5%' old-1.heap new-1.heap
try --gate 'alloc_space>+5ms' old-1.heap new-1.heap
try --gate 'alloc_space>+100000' old-1.heap new-1.heap
try --gate 'alloc_space>+5%,min=1000' old-1.heap new-1.heap
try --gate 'alloc_objects>+1000000,min=0' old-1.heap new-1.heap
try --gate 'speed>+5%' old-1.heap new-1.heap
try --gate 'alloc_space' old-1.heap new-1.heap
try --gate 'alloc_space>+5%' old-1.heap /dev/null

# What is damaged is not judged: what was lost may be what grew.
head -c 1500 old-1.heap >"$TMP/cut.heap"
try --gate 'alloc_space>+5%' old-1.heap "$TMP/cut.heap"
try --gate 'alloc_space>+5%' --sum --base old-?.heap -- new-1.heap "$TMP/cut.heap"
try --gate 'alloc_space>+5%,damaged=pass' old-1.heap "$TMP/cut.heap"
tprof-import -o "$TMP/cut.tprof" "$TMP/cut.heap" 2>&1 | tail -1
try --gate 'alloc_space>+5%' old-1.heap "$TMP/cut.tprof"
# An answer that could not be written is no answer.
tprof-diff --gate='alloc_space+-1%' --format=junit old-3.heap new-1.heap 2>&1 >/dev/full; echo "= $?"

# CSV holds one table; that nothing changed is said in a line.
try --gate 'alloc_space>+5%' --gate 'alloc_space>+90%' --format=csv old-1.heap new-1.heap
try old-1.heap old-1.heap
