# What a gate cannot see: profiles whose sample types damage has taken, runs on both sides, too few of
# them; none of it passes without a word.
cd testdata/prices
store=$TMP/s.tprof
tprof-import -o "$store" --label=rev=a old-?.heap >/dev/null
tprof-import -o "$store" --label=rev=b new-[1-5].heap >/dev/null
try() { tprof-diff -n 1 "$@" 2>&1 | grep '^tprof-diff\|^undecided\|^passed\|^exceeded'; }
status() { tprof-diff "$@" >/dev/null 2>&1; echo "status $?"; }

echo '-- damaged: it may be of the type'
for n in 400 800; do head -c $n new-6.heap >"$TMP/cut$n.heap"; done
cp "$store" "$TMP/whole.tprof"
tprof-import -o "$store" --label=rev=b "$TMP/cut400.heap" "$TMP/cut800.heap" >/dev/null 2>&1
sides='--base-label=rev=a --label=rev=b'
try $sides --gate='alloc_space>+50%' -alloc_space "$store"
status $sides --gate='alloc_space>+50%' -alloc_space "$store"
status $sides --gate='alloc_space>+50%,damaged=pass' -alloc_space "$store"
try $sides --gate='alloc_space>+50%' "$store" | tail -1
tprof-import -o "$TMP/h.tprof" --label=host=h "$TMP/cut400.heap" new-1.heap >/dev/null 2>&1
status --run=all --average-by=host -alloc_space --gate='alloc_space>+50%' --base "$TMP/h.tprof" -- "$TMP/h.tprof"
tprof-diff --run=all --average-by=host -alloc_space -n 1 "$TMP/h.tprof" "$TMP/h.tprof" 2>&1 | grep left

echo '-- no type that all have'
try old-1.heap new.cpu
try old-1.heap "$TMP/cut400.heap" | tail -1
tprof-top old-1.heap new.cpu 2>&1

echo '-- runs on both sides'
store=$TMP/whole.tprof
tprof-store label "$store" 7 rev=a >/dev/null
tprof-store label "$store" 8 all=yes >/dev/null
tprof-store label "$store" 9 all=yes >/dev/null
try --base-label=all=yes --label=rev=b -alloc_space "$store" | head -1
try --base-label=all=yes --label=rev=b --gate='alloc_space>+1%' -alloc_space "$store"
status --base-label=all=yes --label=rev=b --gate='alloc_space>+1%' -alloc_space "$store"
try --gate='alloc_space>1%' old-1.heap old-1.heap
try -alloc_space --base old-[12].heap -- old-[23].heap | head -1
tprof-diff --self-check -alloc_space --base old-?.heap -- old-?.heap 2>&1 | grep alpha
tprof-diff --gate='stw.max>2ms' ../checkout.trace ../checkout.trace 2>&1
try --run=latest $sides "$store" | head -1

echo '-- too few for any difference'
few() { try -alloc_space "$@" --base old-[1-3].heap -- new-[1-3].heap; }
few --gate='alloc_space>+90%'
tprof-diff -alloc_space --gate='flat(main)>+90%' --format=json --base old-[1-3].heap -- new-[1-3].heap 2>/dev/null |
	sed -n 's/.*"outcome":/outcome:/p'
tprof-diff -alloc_space --gate='alloc_space>+90%' --format=junit --base old-[1-3].heap -- new-[1-3].heap 2>&1
few --gate='alloc_space>+90%,undecided=fail' | tail -1
try -alloc_space --gate='flat(.)>+20%,min=40kB,alpha=0.01' --base old-[1-5].heap -- new-[1-5].heap
try -alloc_space --gate='flat(.)>+900000%,min=1GB,alpha=0.01' --base old-[1-5].heap -- new-[1-5].heap
few --gate='flat(.)>+20%' --gate='flat(.)<-20%'
try -alloc_space --gate='flat(.)>+20%,alpha=0.01' --base old-?.heap -- new-1.heap

echo '-- totals of nothing'
try --gate='cpu>+5%' --focus=nobody old.cpu new.cpu
status --gate='cpu>+5%' --focus=nobody old.cpu new.cpu
status --gate='cpu>+5%,missing=pass' --focus=nobody old.cpu new.cpu
tprof-diff --gate='cpu>+5%' --focus=nobody --format=junit old.cpu new.cpu 2>/dev/null | grep -o '<error.*'
try --view=cpu --gate='cpu>+5%' ../parcels/old-1.trace ../parcels/new-1.trace
status --view=cpu --gate='cpu>+5%' ../parcels/old-1.trace ../parcels/new-1.trace
