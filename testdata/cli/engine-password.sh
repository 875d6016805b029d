# The password of an engine's address is in no message, of commands either that ask no engines.
for command in import leaks merge path query report store tui; do
	tprof-$command clickhouse://loader:s3cret@db1/fleet </dev/null 2>&1 | head -n 1
done
tprof-merge -o "$TMP/all.tprof" clickhouse://loader:s3cret@db1/fleet 2>&1 | head -n 1
