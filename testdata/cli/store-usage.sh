# Wrong arguments end with status 2, what is no store with 3.
try() { tprof-store "$@" >"$TMP/out" 2>&1; status=$?; sed "s,$TMP/,,g" "$TMP/out"; echo "status $status"; }
try
try nosuch
try ls x
try rm x
try list
try x list
try rename x y
try prune x
try list --keep-last=1 x
try show --empty x
try verify --run=1 x
try list nosuch
try list testdata/checkout.trace
try verify testdata/checkout.trace
try compact nosuch
tprof-import -o "$TMP/s.tprof" testdata/catalog.heap >/dev/null
try delete "$TMP/s.tprof" 7
try label "$TMP/s.tprof" 1 novalue
try rename "$TMP/s.tprof" 1 ''
# Labels of many runs: by a label, by several, of all; what was there already.
tprof-import -o "$TMP/s.tprof" --label=rev=a testdata/catalog.cpu testdata/checkout.trace >/dev/null
labels() { tprof-store list "$TMP/s.tprof" --format=csv | cut -d, -f1,10; }
try label "$TMP/s.tprof" rev=a team=x os=linux
labels
try label "$TMP/s.tprof" rev=a,os=linux team=y
try label "$TMP/s.tprof" all team=y
try label "$TMP/s.tprof" all os= nosuch= rev=b
labels
try label "$TMP/s.tprof" team=z x=
try rename "$TMP/s.tprof" all x
tprof-store delete "$TMP/s.tprof" 2 3 >/dev/null 2>&1
# Damage is found: a packed block that is not what it was.
cp "$TMP/s.tprof" "$TMP/bad.tprof"
tprof-query --write "$TMP/bad.tprof" "UPDATE block SET data = substr(data, 1, 3) WHERE stream = 'stack'"
try verify "$TMP/bad.tprof"
cp "$TMP/s.tprof" "$TMP/bad.tprof"
tprof-query --write "$TMP/bad.tprof" "UPDATE label SET run = 9; INSERT INTO label VALUES(7, 'a', 'b')"
try verify "$TMP/bad.tprof"
# What cannot be done is not said to be.
mkdir "$TMP/s.tprof.lock"
try delete "$TMP/s.tprof" 1
rmdir "$TMP/s.tprof.lock"
