# Many dumps at once: folders, patterns and lists; what is in the store does not depend on how many
# are decoded at a time.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/ of [0-9.]*[KM]iB$/ of YKiB/'; }
mkdir -p "$TMP/d/deep/er" "$TMP/d/.hidden"
cp testdata/ledger/*.heap "$TMP/d"
cp testdata/parcels/*.trace "$TMP/d/deep"
cp testdata/prices/*.heap testdata/prices/*.cpu "$TMP/d/deep/er"
cp testdata/convoy.trace "$TMP/d/.hidden"
cp testdata/version-1.store "$TMP/d/old.tprof"
cp testdata/corpus/broken/cut-1.22.trace testdata/checkout-1.19.trace.gz "$TMP/d"
echo notes >"$TMP/d/README"
: >"$TMP/d/empty"
ln -s ../deep "$TMP/d/deep/loop"
ln -s deep/new-1.trace "$TMP/d/the same"
cd "$TMP"
for j in 1 2 4 7; do
	tprof-import -j $j -o j$j.tprof d 2>&1 | plain
	tprof-store list j$j.tprof >j$j.list
	tprof-store verify j$j.tprof
	for r in $(seq 27); do
		tprof-top --run=$r j$j.tprof
		tprof-query j$j.tprof "SELECT * FROM loss WHERE run = $r"
	done 2>&1 | sed "s/j$j\.tprof/jN.tprof/" >j$j.reports
	cmp j1.list j$j.list
	cmp j1.reports j$j.reports
done

echo '-- one by one, in the same order'
find -H d -name '.?*' -prune -o \( -type f -o -type l -name 't*' \) -print | LC_ALL=C sort |
	grep -v -e old.tprof -e README -e empty >names
while read -r name; do tprof-import -o one.tprof --name="${name#d/}" "$name"; done <names >/dev/null 2>&1
tprof-store list one.tprof | cmp - j1.list

echo '-- again: nothing; labels arrive all the same'
tprof-import -j 2 -o j2.tprof d | plain
tprof-import -j 2 -o j2.tprof --label=host=a1 d | plain
tprof-query --format=csv j2.tprof 'SELECT count(*), min(value) FROM label'

echo '-- patterns, lists, standard input, and no -j'
tprof-import -o p.tprof 'd/ledger-[1-3].heap' 'd/deep/*' | plain
printf '%s\n' d/ledger-1.heap '' d/ledger-7.heap d/deep/er >list
tprof-import -o p.tprof @list | plain
printf '%s\n' d/ledger-8.heap | tprof-import -o p.tprof @- | plain
tprof-import -j 2 -o p.tprof d/ledger-4.heap - <d/ledger-5.heap | plain
tprof-query --format=csv p.tprof 'SELECT id, name FROM run ORDER BY id'

echo '-- each into its own'
tprof-import -j 3 d/deep d/ledger-2.heap | plain
tprof-import -j 3 --label=a=b d/deep | plain
tprof-query --format=csv d/deep/er/new.cpu.tprof 'SELECT name, key, value FROM run JOIN label ON run = id'
find d -name '*.tprof*' | LC_ALL=C sort
