# The same against the same: six runs of one build, sets of three and one against one; with twelve that are
# not the same at all; and sides of the sizes that the gate itself has.
cd testdata/prices
tprof-diff -alloc_space --self-check --gate 'alloc_space>+5%' --gate 'alloc_space+-5%,alpha=0.1' --base old-?.heap
tprof-diff -alloc_space --self-check=50 --gate 'flat(^main)>+50%' --gate 'alloc_space<-5%' --format=tsv --base old-?.heap new-?.heap -- new-1.heap new-2.heap
tprof-diff -alloc_space --self-check=50 --seed=7 --gate 'flat(^main)>+50%' --format=json old-?.heap new-?.heap
tprof-diff -alloc_space --self-check --gate 'alloc_space>+5%' old-1.heap 2>&1 || echo "status $?"
tprof-diff --self-check=0 --base old-1.heap old-2.heap 2>&1 || echo "status $?"
tprof-diff --seed=1 old-1.heap old-2.heap 2>&1 || echo "status $?"
# Standard input is one of the runs, or too few.
tprof-diff -alloc_space --self-check=50 - old-2.heap old-3.heap <old-1.heap | head -n 4
tprof-diff --self-check - <old-1.heap 2>&1 || echo "status $?"
