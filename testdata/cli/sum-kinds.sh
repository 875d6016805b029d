# Profiles of several kinds that one process wrote have the same samples: a sum has one kind, or the user
# is asked.
export COLUMNS=80
mkdir $TMP/1 $TMP/2
# These are allocs profiles; a heap profile shows inuse_space, here the seventh string.
for i in 1 2; do
	cp testdata/prices/old-$i.heap $TMP/$i/allocs
	{
		gzip -dc $TMP/$i/allocs
		printf '\160\007'
	} >$TMP/$i/heap
	tprof-import -o $TMP/all.tprof --label=side=old $TMP/$i/heap $TMP/$i/allocs >/dev/null
done
top="tprof-top -n 1"
$top $TMP/1/heap $TMP/1/allocs 2>&1
$top -alloc_space $TMP/1/heap $TMP/1/allocs 2>&1
$top -alloc_space $TMP/1/allocs 2>&1
echo '# several processes'
$top -inuse_objects $TMP/1/heap $TMP/2/heap $TMP/1/allocs $TMP/2/allocs 2>&1 | head -2
$top -alloc_space $TMP/1/heap $TMP/2/allocs 2>&1 | head -1
echo '# a store'
$top --run=side=old $TMP/all.tprof 2>&1
$top --run=all -alloc_space $TMP/all.tprof 2>&1
$top --run=side=old,allocs -alloc_space $TMP/all.tprof 2>&1
echo '# flame graphs, on both sides'
tprof-flame --format=folded -alloc_objects $TMP/1/heap $TMP/1/allocs 2>&1 | head -2
tprof-flame --format=folded -alloc_objects $TMP/1/allocs | head -1
tprof-flame --format=folded --base=$TMP/2/heap --base=$TMP/2/allocs $TMP/1/allocs 2>&1
echo '# unknown processes'
tprof-top --text testdata/catalog.block testdata/catalog.mutex 2>&1 | head -2
