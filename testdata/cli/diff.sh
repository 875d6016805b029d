# Two builds of a program (testdata/programs/prices.go): what changed, in one run of each and in six.
cd testdata/prices
tprof-diff --sample-index=alloc_space -n 8 old-1.heap new-1.heap
echo
tprof-diff --sample-index=alloc_space --cum -n 4 old-1.heap new-1.heap
echo
tprof-diff --sample-index=alloc_space -n 8 --base old-?.heap -- new-?.heap
echo
tprof-diff --sample-index=alloc_space --changed --base old-?.heap -- new-?.heap
echo
tprof-diff --sample-index=alloc_objects -n 2 --base old-[123].heap -- new-[123].heap
