# Every format, with gates and without.
cd testdata/prices
for format in csv tsv json markdown; do
	echo "== $format"
	tprof-diff -alloc_space -n 2 --format=$format old-1.heap new-1.heap | tr -d '\r'
	tprof-diff -alloc_space -n 1 --format=$format --base old-?.heap -- new-?.heap | tr -d '\r'
done
gates="--gate=alloc_space>+5% --gate=flat(^main)+-10%,min=1MiB --gate=cum(nobody)>+1%"
for format in json markdown junit; do
	echo "== $format"
	tprof-diff -alloc_space -n 1 --format=$format $gates old-1.heap new-1.heap 2>/dev/null
	echo "status $?"
done
tprof-diff --format=junit old-1.heap new-1.heap 2>&1 || echo "status $?"
