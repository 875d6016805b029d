# What tprof-merge refuses, and that it then leaves everything as it was.
try() { echo "\$ tprof-merge $*" | sed "s,$TMP/,,g"; tprof-merge "$@" 2>&1 | sed "s,$TMP/,,g"; }
status() { tprof-merge "$@" >/dev/null 2>&1; echo "$? $*" | sed "s,$TMP/,,g"; }
tprof-merge --help
try
try "$TMP/a.tprof"
try -o "$TMP/all.tprof"
try -o "$TMP/all.tprof" "$TMP/missing.tprof"
try -o "$TMP/all.tprof" testdata/catalog.heap
try -o "$TMP/no/such/all.tprof" testdata/version-2.store
tprof-import -o "$TMP/a.tprof" testdata/catalog.heap >/dev/null
cp "$TMP/a.tprof" "$TMP/b.tprof"
printf '\0\0\3\347' | dd of="$TMP/b.tprof" bs=1 seek=60 conv=notrunc 2>/dev/null
try -o "$TMP/a.tprof" "$TMP/b.tprof"
cp testdata/catalog.heap "$TMP/dump"
try -o "$TMP/dump" testdata/version-2.store
cmp testdata/catalog.heap "$TMP/dump" && echo as it was
{ printf 'SQLite format 3\000'; head -c 200 /dev/zero; } >"$TMP/other.db"
try -o "$TMP/other.db" testdata/version-2.store
status
status -o "$TMP/all.tprof" testdata/catalog.heap
status -o "$TMP/a.tprof" "$TMP/b.tprof"
status -o "$TMP/no/such/all.tprof" testdata/version-2.store
ls -A "$TMP"
