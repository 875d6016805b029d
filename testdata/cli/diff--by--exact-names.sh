# Rows by other things than functions, and names letter by letter.
cd testdata/prices
for by in function line file stack label label:bytes; do
	echo "== $by"
	tprof-diff -alloc_space --by=$by -n 5 old-2.heap new-2.heap
done
echo == exact
tprof-diff -alloc_space --exact-names --format=tsv --sort=name --focus='Map|discount' old-2.heap new-2.heap | cut -f 1-2,4-7,17-
echo == matched
tprof-diff -alloc_space --format=tsv --sort=name --focus='Map|discount' old-2.heap new-2.heap | cut -f 1-2,4-7,17-
