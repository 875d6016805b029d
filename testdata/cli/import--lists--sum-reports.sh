# Lists of dumps for tasks on other machines, and the reports of these tasks added up.
data=$PWD/testdata
cd "$TMP"
mkdir d
cp "$data"/ledger/*.heap d
echo "Parcels of two weeks." >d/README.md
head -c 1500 "$data/prices/new-1.heap" >named.heap

echo '-- lists'
tprof-import --lists=l --tasks=3 --folder-labels=host d named.heap none 2>&1
echo $?
for list in l/*; do echo "$list: $(tr '\0\t' ' :' <$list)"; done
echo '-- their reports'
for list in 1 2 3; do tprof-import --strict -o all.tprof --report=r.$list @l/$list >/dev/null 2>&1; done
tprof-import --sum-reports -o all.tprof --report=r r.1 r.2 r.3 2>&1 | sed 's/ of [0-9.]*KiB$/ of YKiB/'
cat r
tprof-import --sum-reports r >/dev/null 2>&1
echo $?
echo '-- what goes wrong'
for wrong in '--lists=l d' '--lists=nowhere/l d' '--lists=new' '--lists=new -o s.tprof d' '--lists=new --slurm d' '--sum-reports d/README.md' '--sum-reports none' '--lists=new @none' '--lists=new -'; do
	tprof-import $wrong 2>&1 | head -n 1
done
ls
