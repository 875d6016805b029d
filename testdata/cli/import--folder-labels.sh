# Labels of each dump by itself: by folders, and by what a list says; how dumps of folders are called.
plain() { sed 's/; [0-9.]*s; .*/; Xs/'; }
runs() { tprof-query --format=csv "$1" "SELECT name, group_concat(key || '=' || value, ' ') FROM run JOIN label ON run = id GROUP BY id"; }
cd testdata/prices
mkdir -p "$TMP/d/a1/v1" "$TMP/d/a1/v2" "$TMP/d/a2/v1/more"
cp old-1.heap "$TMP/d/a1/v1/0400.heap"
cp new-1.heap "$TMP/d/a1/v2/0400.heap"
cp old-2.heap "$TMP/d/a2/v1/more/0400.heap"
cp old-3.heap "$TMP/d/lost.heap"
cd "$TMP"
tprof-import --folder-labels=host/version --label=host=unknown --label=env=prod -o f.tprof d | plain
runs f.tprof

echo '-- a key left out; again, with other labels'
tprof-import --folder-labels=/rev -o f.tprof d | plain
tprof-query --format=csv f.tprof 'SELECT run, key, value FROM label ORDER BY 1, 2'

echo '-- a list: labels of dumps and of folders, and names'
{
	printf 'd/a1/v1/0400.heap\thost=a1\tversion=v1\t=the first\n'
	printf 'd/a2\thost=A2\tservice=prices, all\n'
	printf 'd/lost.heap\t\n'
} >list
tprof-import --folder-labels=version --label=host=unknown -o l.tprof @list | plain
runs l.tprof
tprof-diff --base-label=host=A2,version=v1 --label=host=a1,version=v1 -alloc_space -n 1 l.tprof
tprof-top --run='service=prices, all' l.tprof | head -1
tprof-top --run=host=a1,version=v7 l.tprof 2>&1

echo '-- a list that Windows made; values with commas among several labels'
printf '\357\273\277d/a1/v1/0400.heap\thost=a1\tservice=prices, all\r\nd/lost.heap\thost=a, b\tservice=x\r\n' >list
tprof-import -o w.tprof @list | plain
runs w.tprof
for labels in 'host=a, b,service=x' 'service=x,host=a, b' 'service=prices, all,host=a1' 'host=a' 'host=a, b,service=y'; do
	tprof-top --run="$labels" w.tprof 2>&1 | head -1
done

echo '-- folders that are not as deep as there are keys, or that a pattern matches'
tprof-import --folder-labels=host/version -o p.tprof 'd/*' 2>&1 | plain
runs p.tprof
tprof-import --folder-labels=host/version -o q.tprof 'd/*/*/*.heap' 2>&1 | plain

echo '-- what is wrong'
try() { tprof-import -o w.tprof "$@" 2>&1 | head -1; }
printf 'd/a2\thost\n' >list; try @list
printf '\nd/a2\thost=a\thost=b\n' >list; try @list
printf 'd\t=all\n' >list; try @list
printf '\377\376d\0\n\0' >list; try @list
printf 'd/a2\thost=\n' >list; try @list
echo '-- names that count from another folder'
mkdir lists other
(cd lists && ln -s ../d . && find d/ -name '*.heap' | LC_ALL=C sort >list)
mv d e
(cd lists && rm d && ln -s ../e d)
try @lists/list
(cd other && try @../lists/list)
(cd lists && tprof-import -o w.tprof @list | sed 's/; .*//')
sed 's,^d/,e/,' lists/list >lists/above
(cd other && try @../lists/above)
sed 's,^d/,no/,' lists/list >lists/none
try @lists/none | sed 's,; .*,,'
rm -r lists other && mv e d
echo '-- keys that are none'
try --folder-labels=host d/lost.heap
try --folder-labels=host/host d
try --folder-labels=host=a d
try --folder-labels=host,version d
try --folder-labels=/ d
try --folder-labels= d
