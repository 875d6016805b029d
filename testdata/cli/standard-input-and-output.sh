# '-' is a dump on standard input, and what -o writes on standard output: never a file of that name.
# What cannot be a stream is refused.
try() { "$@" 2>&1; echo "status $?"; }
tprof-import -o "$TMP/s.tprof" testdata/checkout.trace >/dev/null
DATA=$PWD/testdata
cd "$TMP"
for how in "tprof-export --format=folded" "tprof-flame --format=folded"; do
	$how "$DATA/catalog.cpu" >a
	$how -o - "$DATA/catalog.cpu" | cmp - a && echo same
done
tprof-export --format=csv --table=sample_type -o - "$DATA/catalog.cpu"
try tprof-export --format=csv -o - "$DATA/catalog.cpu"
try tprof-export --format=csv --table=run --table=log -o - "$DATA/catalog.cpu"
rm a
try tprof-import -o - "$DATA/catalog.cpu" | head -n 1
try tprof-import --report=- -o t.tprof "$DATA/catalog.cpu" | head -n 1
try tprof-merge -o - s.tprof | head -n 1
try tprof-record -o - true | head -n 1
ls
echo '-- a store, from a file and from a pipe, with and without a file of that name'
for there in no yes; do
	[ $there = no ] || echo here >./-
	for how in tprof-top tprof-flame tprof-path tprof-leaks tprof-report 'tprof-export --format=pprof' 'tprof-store show' 'tprof-merge -o t.tprof'; do
		try $how - <s.tprof
		cat s.tprof | $how - 2>&1 | grep -c 'is a store'
	done
	try tprof-query - .tables <s.tprof
	cat "$DATA/checkout.trace" | try tprof-top - | head -n 1
	cat "$DATA/catalog.cpu" | try tprof-top - | sed -n 2p
	cat "$DATA/catalog.cpu" | try tprof-query - 'select count(*) from bucket'
done
cat ./-
