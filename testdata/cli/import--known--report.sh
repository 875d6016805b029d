# What became of many dumps, as a file; dumps that another store has, and files that are none.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/ of [0-9.]*[KM]iB$/ of YKiB/'; }
mkdir "$TMP/d"
cp testdata/ledger/*.heap testdata/corpus/broken/cut-1.22.trace "$TMP/d"
echo "Parcels of two weeks." >"$TMP/d/README.md"
head -c 1500 testdata/prices/new-1.heap >"$TMP/d/cut
short.heap"
cd "$TMP"
tprof-import -o before.tprof d/ledger-1.heap d/ledger-2.heap >/dev/null

echo '-- a report, and what is known elsewhere'
tprof-import --strict --known=before.tprof --report=r -o s.tprof d 2>&1 | plain
cat r
echo '-- in a list all are named, unless files may be others'
find d -type f -print0 | LC_ALL=C sort -z >list
tprof-import --report=r -o t.tprof @list 2>&1 | plain
tail -n 2 r
tprof-import --skip-others --report=r -o u.tprof @list none 2>&1 | plain
cat r
echo '-- a label of a list where the store has nothing yet'
printf 'd/ledger-1.heap\thost=a\n' >labelled
tprof-import --known=before.tprof -o v.tprof @labelled 2>&1 | plain
echo '-- a store that cannot be written: no report'
tprof-import --report=r -o nowhere/u.tprof @list 2>&1
ls r
echo '-- no place for it, no store of that name'
tprof-import --report=/dev/null -o u.tprof @list 2>&1
tprof-import --report=nowhere/r -o u.tprof @list 2>&1 | plain
tprof-import --known=none.tprof -o u.tprof @list 2>&1
tprof-import --known=before.tprof --label=a=b -o u.tprof @list 2>&1
for wrong in --tasks=3 --wait '--slurm' '--slurm -j 2 -o s.tprof' '--slurm=--array=1 -o s.tprof' '--slurm --report=r -o s.tprof' '--slurm -o s.tprof -'; do
	tprof-import $wrong d 2>&1 | head -n 1
done
