# Runs of a host are one, their average; gates that several functions exceed.
cd testdata/prices
i=0
for f in old new; do
	for n in 1 2 3 4; do
		printf '%s-%s.heap\thost=h%s\trev=%s\n' $f $n $((n / 2)) $f
	done
done >"$TMP/list"
tprof-import -o "$TMP/s.tprof" @"$TMP/list" | sed 's/; .*//'
try() { tprof-diff --base-label=rev=old --label=rev=new -alloc_space "$@" "$TMP/s.tprof" 2>&1; echo "status $?"; }
try -n 3
try -n 3 --average-by=host
try -n 3 --average-by=rev
try -n 1 --average-by=rev --gate='flat(.)>+20%,share=1%' --gate='flat(.)>+20%,share=50%'
try -n 1 --average-by=rev --gate='flat(.)>+20%,share=1%' --format=junit
try -n 1 --average-by=rev --gate='flat(.)>+20%,share=1%' --format=json | sed -n 's/.*"exceeding":/exceeding:/p'

echo '-- a host is one in several stores, too'
for f in old new; do
	for n in 1 2; do
		grep $f "$TMP/list" | sed -n "$n~2p" >"$TMP/half"
		tprof-import -o "$TMP/$f$n.tprof" @"$TMP/half" >/dev/null
	done
done
# But for the names of the sides, on two lines.
tprof-diff --run=all -alloc_space -n 3 --average-by=host --base "$TMP"/old?.tprof -- "$TMP"/new?.tprof 2>&1 |
	tail -n +3 >"$TMP/two"
try -n 3 --average-by=host | sed '$d' | tail -n +3 | diff - "$TMP/two" && echo 'as from one'

echo '-- what is wrong'
try --average-by=zone
try --average-by=hots
try --average-by=
try --average-by=host=h1
try --average-by=host --sum
try --average-by=host --share-of=change
tprof-diff --average-by=host old-1.heap new-1.heap 2>&1; echo "status $?"
tprof-import -o "$TMP/none.tprof" old-1.heap >/dev/null
tprof-diff --average-by=host --run=all --base "$TMP/none.tprof" -- "$TMP/none.tprof" 2>&1 | sed 1d
echo '-- labels that there are not'
label() { tprof-diff --base-label=rev=old --label="$1" -n 1 "$TMP/s.tprof" 2>&1; echo "status $?"; }
label rev=neu
label vers=new
label host=h1,rev=neu
label host=h0,rev=new,host=h1
