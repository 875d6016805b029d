# A store of version 1 is read, checked, added to, and then of this version; what its runs do not have is
# not made up.
cp testdata/version-1.store "$TMP/s.tprof"
tprof-query --format=tsv "$TMP/s.tprof" 'pragma user_version'
tprof-top --run=1 -n 3 "$TMP/s.tprof" 2>&1
tprof-store verify "$TMP/s.tprof" | sed "s,$TMP/,,"
tprof-query --format=tsv "$TMP/s.tprof" \
	'select (select count(*) from metric), (select count(*) from gc_work), (select count(*) from range)'
tprof-import -o "$TMP/s.tprof" testdata/relay.trace | cut -d';' -f1
tprof-query --format=tsv "$TMP/s.tprof" 'pragma user_version'
tprof-query --format=tsv "$TMP/s.tprof" 'select run, count(*) > 0 from metric group by run'
tprof-top --run=1 -n 1 "$TMP/s.tprof" 2>&1
tprof-store verify "$TMP/s.tprof" | sed "s,$TMP/,,"
cp testdata/version-1.store "$TMP/t.tprof"
tprof-store upgrade "$TMP/t.tprof" | sed "s,$TMP/,,"
