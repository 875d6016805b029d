# A command that waits for another process's lock on the store says so after a second, once.
tprof-import -o "$TMP/s.tprof" testdata/catalog.heap >/dev/null
mkfifo "$TMP/held"
flock "$TMP/s.tprof.lock" sh -c "echo >'$TMP/held'; sleep 1.4" &
read -r _ <"$TMP/held"
tprof-store label "$TMP/s.tprof" 1 team=x 2>&1
tprof-store list "$TMP/s.tprof" --format=csv | grep -c team=x
