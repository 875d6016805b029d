# What is told of two sides is true of both.
exec 2>&1
old=testdata/prices/old-1.heap new=testdata/prices/new-1.heap
echo 'a filter that only the old side has, and one that neither has:'
tprof-diff -alloc_space --focus=legacyVAT $old $new | sed -n 5p
tprof-diff -alloc_space --focus=nobody $old $new | sed -n 5p
tprof-flame --format=text --sample-index=alloc_space --focus=legacyVAT --base $old $new | sed -n 2p
tprof-flame --format=text --sample-index=alloc_space --focus=nobody --base $old $new | sed -n 2p
echo 'what shares are of:'
tprof-diff -alloc_space --focus=vat --relative-percentages $old $new | sed -n 2p
echo 'units:'
tprof-diff -n 1 --unit=MiB -alloc_space $old $new | sed -n 5p
tprof-diff -n 1 --unit=kB -alloc_space $old $new | sed -n 5p
echo 'a file whose sample types are lost:'
gzip -dc testdata/prices/new-4.heap | head -c 1500 >"$TMP/cut.heap"
gate() {
	tprof-diff -n 1 --sample-index=alloc_space --gate='alloc_space>5%' "$@" | grep '^undecided'
}
gate --base testdata/prices/old-[1-4].heap -- testdata/prices/new-[1-3].heap "$TMP/cut.heap"
