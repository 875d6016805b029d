# What a command reads, by whatever option, is not what it writes; a store is replaced by nothing.
try() { "$@" 2>&1 | sed "s,$TMP,TMP,"; }
keep() {
	cp "$1" "$TMP/before"
	shown=$1
	shift
	try "$@"
	cmp "$shown" "$TMP/before"
}
cp testdata/catalog.heap "$TMP/in"
tprof-import -o "$TMP/s.tprof" testdata/catalog.heap 2>/dev/null >&2
tprof-import -o "$TMP/t.tprof" testdata/pool.trace 2>/dev/null >&2
echo secret >"$TMP/key"
cp "$(command -v tprof-flame)" "$TMP/prog"
keep "$TMP/key" tprof-export --format=pprof --anonymise --anonymise-key="$TMP/key" -o "$TMP/key" "$TMP/in"
keep "$TMP/prog" tprof-export --format=pprof --binary="$TMP/prog" -o "$TMP/prog" "$TMP/in"
keep "$TMP/prog" tprof-flame --format=svg --binary="$TMP/prog" -o "$TMP/prog" "$TMP/in"
echo '-- standard input'
for how in 'tprof-export --format=pprof' 'tprof-flame --format=svg' tprof-report; do
	keep "$TMP/in" $how -o "$TMP/in" - <"$TMP/in"
done
echo '-- a store'
keep "$TMP/s.tprof" tprof-flame --format=svg -o "$TMP/s.tprof" "$TMP/in"
keep "$TMP/s.tprof" tprof-export --format=pprof -o "$TMP/s.tprof" "$TMP/in"
keep "$TMP/s.tprof" tprof-export --format=csv --table=task -o "$TMP/s.tprof" "$TMP/t.tprof"
mv "$TMP/s.tprof" "$TMP/s.html"
keep "$TMP/s.html" tprof-report -o "$TMP/s.html" "$TMP/in"
mv "$TMP/s.html" "$TMP/s"
keep "$TMP/s" tprof-path -o "$TMP/s" "$TMP/t.tprof"
