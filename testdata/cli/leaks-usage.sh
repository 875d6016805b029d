# Wrong arguments end with status 2; what cannot be read with 3.
try() { tprof-leaks "$@" >"$TMP/out" 2>&1; status=$?; sed "s,$TMP/,,g" "$TMP/out"; echo "status $status"; }
try
try --sort=size testdata/inbox/inbox.trace
try --gate=many testdata/inbox/inbox.trace
try testdata/catalog.cpu
try --created testdata/inbox/inbox-1.d0
try nosuch
try --allow=nosuch testdata/inbox/inbox.trace
echo '12345678901 main.f' >"$TMP/allow"
try --allow="$TMP/allow" testdata/inbox/inbox.trace
printf 'a\0b\n' >"$TMP/allow"
try --allow="$TMP/allow" testdata/inbox/inbox.trace
# What --run means where there are dumps, once.
try --run=1 testdata/inbox/inbox-1.d0 testdata/inbox/inbox-2.d1 | grep note
tprof-import -o "$TMP/s.tprof" testdata/inbox/inbox-3.d2 >/dev/null
try --run=1 testdata/inbox/inbox-1.d0 "$TMP/s.tprof" | head -n 1
