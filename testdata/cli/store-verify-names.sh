# Names from the file in what is found wrong with it are no news of this program's own troubles.
tprof-import -o "$TMP/s.tprof" testdata/catalog.heap >/dev/null 2>&1
tprof-query --write "$TMP/s.tprof" "CREATE TABLE t(a TEXT)"
tprof-query --write "$TMP/s.tprof" "INSERT INTO t VALUES('once and again')"
tprof-query --write "$TMP/s.tprof" 'CREATE INDEX "x error code=7" ON t(a)'
at=$(LC_ALL=C grep -abo 'once and again' "$TMP/s.tprof" | tail -n 1 | cut -d: -f1)
printf X | dd of="$TMP/s.tprof" bs=1 seek="$at" conv=notrunc 2>/dev/null
tprof-store verify "$TMP/s.tprof" 2>&1
echo "status $?"
