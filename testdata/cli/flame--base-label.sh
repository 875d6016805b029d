# Two sets of runs of one store, as tprof-diff has them; a store is not compared with itself.
tprof-import --label=rev=abc,1 -o $TMP/s.tprof testdata/prices/old-?.heap >/dev/null
tprof-import --label=rev=def -o $TMP/s.tprof testdata/prices/new-?.heap >/dev/null
try() { "$@" 2>&1 | grep -v '^Try' | sed "s|$TMP/||g"; }
flame() { try tprof-flame -alloc_space --show='^main' --format=text "$@"; }
flame --base-label=rev=abc,1 --label=rev=def $TMP/s.tprof
echo == as of the files
for n in old new; do tprof-import -o $TMP/$n.tprof testdata/prices/$n-?.heap >/dev/null; done
tprof-flame -alloc_space --format=folded --base-label=rev=abc,1 --label=rev=def $TMP/s.tprof >$TMP/labels
tprof-flame -alloc_space --format=folded --run=all --base=$TMP/old.tprof $TMP/new.tprof | cmp - $TMP/labels && wc -l <$TMP/labels
echo == both sides
flame --base-label=rev=abc,1 --label=all $TMP/s.tprof | head -2
echo == what is wrong
flame --base-label=rev=abc,1 $TMP/s.tprof
flame --base-label=rev=abc,1 --label=rev=def --run=all $TMP/s.tprof
flame --base-label=rev=abc,1 --label=rev=def --base=testdata/prices/old-1.heap $TMP/s.tprof
flame --base-label=rev=abc,1 --label=rev=def testdata/prices/old-1.heap
flame --base-label=rev=abc,1 --label=rev=xyz $TMP/s.tprof
tprof-flame --base-label=rev=abc,1 --label=rev=def --format=speedscope $TMP/s.tprof 2>&1 | head -1
echo == a store and itself
for c in 'tprof-flame --format=folded' 'tprof-diff --gate=alloc_space>1%' tprof-top 'tprof-export --format=pprof' tprof-report; do
	try $c --run=rev=def --base=$TMP/s.tprof $TMP/s.tprof
done
try tprof-diff --run=rev=def -alloc_space -n 1 $TMP/s.tprof $TMP/s.tprof
tprof-report --run=rev=def --base-run=rev=abc,1 --base=$TMP/s.tprof $TMP/s.tprof | grep -c '<table'
echo == what --run picks of
for sides in "testdata/prices/old-1.heap $TMP/s.tprof" "$TMP/s.tprof testdata/prices/old-1.heap" 'testdata/prices/old-1.heap testdata/prices/new-1.heap'; do
	try tprof-diff --sum --run=rev=def -alloc_space -n 1 $sides
done
try tprof-top --run=rev=def -alloc_space --rows=1 --base=testdata/prices/old-1.heap $TMP/s.tprof
