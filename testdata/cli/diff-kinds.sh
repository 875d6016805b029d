# Sets with several profiles of each process: those of one kind are compared, or the user is asked.
mkdir $TMP/1 $TMP/2
# These are allocs profiles; a heap profile shows inuse_space, here the seventh string.
for side in old new; do
	for i in 1 2 3 4; do
		cp testdata/prices/$side-$i.heap $TMP/allocs
		{
			gzip -dc $TMP/allocs
			printf '\160\007'
		} >$TMP/heap
		tprof-import -o $TMP/all.tprof --label=side=$side $TMP/heap $TMP/allocs >/dev/null
	done
done
diff="tprof-diff --base-label=side=old --label=side=new -n 1"
$diff $TMP/all.tprof 2>&1
$diff -alloc_space $TMP/all.tprof 2>&1
$diff -inuse_objects $TMP/all.tprof 2>&1
tprof-diff --base-label=side=old,heap --label=side=new,heap -n 1 -alloc_space $TMP/all.tprof 2>&1
tprof-diff --base-label=side=old,hep --label=side=new,heap $TMP/all.tprof 2>&1
echo '# block and mutex profiles have the same types'
tprof-diff --base testdata/catalog.block testdata/catalog.mutex -- testdata/catalog.mutex 2>&1
echo '# snapshots of one process, by its addresses and by names'
tprof-diff -n 1 testdata/prices/old-1.heap -- testdata/prices/new-1.heap $TMP/allocs $TMP/allocs 2>&1
cp testdata/inbox/inbox-2.d1 $TMP/1/start
cp testdata/inbox/inbox-2.d1 $TMP/1/end
cp $TMP/1/* $TMP/2
tprof-diff -n 1 testdata/inbox/inbox-2.d1 -- $TMP/1/* $TMP/2/* 2>&1
echo '# traces and profiles'
tprof-import -o $TMP/mixed.tprof --label=side=old testdata/catalog.heap testdata/checkout.trace >/dev/null
tprof-import -o $TMP/mixed.tprof --label=side=new testdata/catalog.cpu testdata/pool.trace >/dev/null
tprof-diff --base-label=side=old --label=side=new $TMP/mixed.tprof 2>&1
tprof-diff --base-label=side=old --label=side=new --view=offcpu -n 1 $TMP/mixed.tprof 2>&1
tprof-diff --base-label=side=old,checkout.trace --label=side=new,pool.trace $TMP/mixed.tprof 2>&1 | head -2
echo '# folders'
tprof-diff $TMP/1/ $TMP/2 2>&1
tprof-diff --base $TMP/1 -- $TMP/2 $TMP/2 2>&1
echo $?
