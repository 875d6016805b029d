# The table of tprof(1), EXIT STATUS: each command has the status that the manual gives.
cp -R testdata/*.trace testdata/catalog.* testdata/parts.store testdata/demo.sh testdata/inbox testdata/prices \
	testdata/parcels "$TMP"
sed -n '/^\.Sh EXIT STATUS/,/^\.Sh EXAMPLES/s/^\.It \([0-9]*\) Ta \(.*Ta \)*\(tprof.*\)/\1 \3/p' man/tprof.1 >"$TMP/table"
while read -r status command; do
	(cd "$TMP" && eval "$command") >/dev/null 2>&1 </dev/null
	got=$?
	[ $got = "$status" ] || echo "status $got, not $status: $command"
done <"$TMP/table"
echo "$(wc -l <"$TMP/table") commands"
rm -rf "${TMP:?}"/*

# What tprof(1) says of mistakes that only the file can tell.
try() { "$@" >/dev/null 2>&1; echo "$? $*"; }
try tprof-query testdata/pool.trace 'selct 1'
try tprof-query testdata/pool.trace 'select nosuch from event'
try tprof-top --task=nosuch testdata/pool.trace
try tprof-top --region=nosuch testdata/pool.trace
try tprof-top --goroutine=99999 testdata/pool.trace
try tprof-path --task=nosuch testdata/pool.trace
try tprof-path --goroutine=9999 testdata/pool.trace
try tprof-top --nosuch testdata/pool.trace
try tprof-top nosuch.trace
# A dump of another kind than the command is for.
try tprof-path testdata/catalog.cpu
try tprof-top --goroutines testdata/catalog.cpu
try tprof-leaks testdata/catalog.cpu
try tprof-export --format=pprof testdata/checkout.trace
for form in trace events perfetto raw; do try tprof-export --format=$form testdata/catalog.cpu; done
# No place for what is to be written.
tprof-import -o "$TMP/s.tprof" testdata/pool.trace >/dev/null
cp testdata/pool.trace testdata/catalog.cpu "$TMP"
cd "$TMP"
mkdir folder
for to in no/x no/ folder folder/ s.tprof/x /dev/full; do
	for how in "tprof-import pool.trace" "tprof-import -j2 pool.trace" "tprof-merge s.tprof" "tprof-flame catalog.cpu" \
		"tprof-path pool.trace" "tprof-export --format=folded catalog.cpu"; do
		try $how -o $to
	done
done
