# Dumps given in place of stores: one entry per content and name, reused, and given up when the folder is full.
count() { ls "$XDG_CACHE_HOME/tprof" | grep -c '\.tprof$'; }
list() { tprof-export --format=events "$1" 2>/dev/null | wc -l; }
list testdata/checkout.trace
cp testdata/checkout.trace "$TMP/other-name"
list "$TMP/other-name"
count
list - <testdata/checkout-1.19.trace
count
# A damaged entry is made anew.
for f in "$XDG_CACHE_HOME"/tprof/*.tprof; do printf 'SQLite format 3' >"$f"; done
list testdata/checkout.trace
list testdata/checkout-1.19.trace
# Only what was made last is kept when the limit is smaller than anything.
TPROF_CACHE_SIZE=1K tprof-export --format=events testdata/checkout-1.19-cut.trace 2>/dev/null >/dev/null
count
ls "$XDG_CACHE_HOME/tprof" | grep -vE '^(key|lock-[0-9a-fk]|[0-9a-f]{32}\.[0-9a-f]{16}-[0-9.]*\.tprof)$'
TPROF_CACHE_SIZE=much tprof-export --format=events testdata/checkout.trace 2>&1
echo "status $?"
# No cache folder can be made: it works all the same.
XDG_CACHE_HOME=/dev/null list testdata/checkout.trace
# A report that would take for ever is ended by the first signal, also of an entry that was there.
for entry in new there; do
	rm -f "$XDG_CACHE_HOME/tprof"/*.tprof
	[ $entry = new ] || tprof-query testdata/checkout.trace 'SELECT 1' >/dev/null 2>&1
	timeout -k 60 1 tprof-query testdata/checkout.trace 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n' 2>/dev/null
	echo "status $?"
done
