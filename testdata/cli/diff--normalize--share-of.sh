# What pprof's -diff_base, -base, -normalize and -drop_negative do, in its spelling and in ours.
cd testdata/prices
tprof-diff -alloc_space -n 3 -diff_base=old-3.heap new-3.heap
tprof-diff -alloc_space -n 3 -base=old-3.heap new-3.heap
tprof-diff -alloc_space -n 3 --share-of=change old-3.heap new-3.heap
tprof-diff -alloc_space -n 3 -normalize old-3.heap new-3.heap
tprof-diff -alloc_space -n 3 --normalize --base old-?.heap -- new-?.heap
tprof-diff -alloc_space -n 3 -drop_negative old-3.heap new-3.heap
tprof-diff -alloc_space -n 3 --sum --base old-?.heap -- new-?.heap
tprof-diff -alloc_space -n 3 --unit=kB --divide-by=10 old-3.heap new-3.heap
tprof-diff -alloc_space -n 3 --mean old-3.heap new-3.heap
tprof-diff -alloc_space --min-share=5% --sort=p -n 3 --base old-?.heap -- new-?.heap
