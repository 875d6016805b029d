# The same against the same: six runs of one build in halves of three, and with twelve that are not the
# same at all.
cd testdata/prices
tprof-diff -alloc_space --self-check --gate 'alloc_space>+5%' --gate 'alloc_space+-5%,alpha=0.1' --base old-?.heap -- new-1.heap
tprof-diff -alloc_space --self-check --gate 'alloc_space>+50%' --format=tsv --base old-?.heap new-?.heap -- new-1.heap
tprof-diff -alloc_space --self-check --base old-1.heap -- new-?.heap 2>&1 || echo "status $?"
