# Equal dumps with different labels: the same comes of them whether they are imported at once, in any
# order, or each into a store of its own, which are merged. What was in the store is labelled anew.
cd "$TMP" || exit 4
mkdir -p d/host1 d/host2 d/host3
for h in host1 host2 host3; do cp "$OLDPWD/testdata/catalog.heap" d/$h/; done
labels() { tprof-query --format=tsv "$1" "SELECT key, value FROM label ORDER BY key" | tail -n +2; }
printf 'd/host2/catalog.heap\thost=b\trev=2\nd/host1/catalog.heap\thost=a\tos=z\nd/host3/catalog.heap\thost=c\trev=1\n' >list
tac list >back
for l in list back; do
	tprof-import -j 2 -o $l.tprof @$l >import 2>&1 || cat import
	labels $l.tprof
done
while read -r dump one two; do
	tprof-import -o "$one.tprof" --label="$one" --label="$two" "$dump" >import 2>&1 || cat import
done <list
tprof-merge -o merged.tprof host=*.tprof 2>&1 | sed 's/; [0-9.]*KiB to.*/; SIZES/'
labels merged.tprof
# The same command once more changes nothing, as when it is not known whether it was done.
for l in list back; do
	tprof-import -j 2 -o $l.tprof @$l >import 2>&1 || cat import
	labels $l.tprof
	tprof-import -j 2 -o $l.tprof @$l @$l >import 2>&1 || cat import
	labels $l.tprof
done
# Whoever labels what is there already replaces its labels.
tprof-import -j 2 -o list.tprof --label=host=z d/host1/catalog.heap d/host2/catalog.heap >import 2>&1 || cat import
labels list.tprof
# A key that the store has, and one of two equal dumps gives: it is replaced in both orders.
for l in list back; do
	tprof-import -j 2 -o $l.tprof --label=host=A --label=os=a --label=rev=0 d/host1/catalog.heap d/host2/catalog.heap >import 2>&1 || cat import
	tprof-import -j 2 -o $l.tprof @$l >import 2>&1 || cat import
	labels $l.tprof
done
