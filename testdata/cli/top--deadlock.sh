# Goroutines that may be deadlocked, in dumps and crashes of thirteen programs that are and of six
# that are not (testdata/deadlock/README.md says what is to be found); a dump in a store; damage of
# addresses; profiles without single goroutines.
dumps=testdata/deadlock
for f in "$dumps"/*.d2 "$dumps"/*.crash; do
	echo "${f##*/}"
	tprof-top --deadlock --format=tsv "$f" | cut -f 1,2,3,4,5,6,7,10
done
tprof-top --deadlock "$dumps/inversion.d2"
tprof-top --deadlock "$dumps/semaphore.crash"
tprof-top --deadlock "$dumps/itself.d2"
tprof-top --deadlock "$dumps/ticker.d2"
tprof-top --deadlock "$dumps/held.d2" --format=json
tprof-import -o "$TMP/dump.tprof" "$dumps/readers.d2" >/dev/null
tprof-top --deadlock "$TMP/dump.tprof"
# Without addresses nothing shows who has the locks.
sed 's/0x[0-9a-f]*/0x1/g' "$dumps/inversion.d2" >"$TMP/without.d2"
tprof-top --deadlock "$TMP/without.d2"
# The other goroutine's receiver is of another value.
sed 's/publish(0x10?/publish(0x30cf04700000/' "$dumps/held.d2" >"$TMP/other.d2"
tprof-top --deadlock "$TMP/other.d2"
# Go's collector has found the leak; no time is needed.
printf 'goroutine 1 [running]:\nmain.main()\n\tx.go:30 +0x1d\n\ngoroutine 7 [chan receive (leaked)]:\nmain.never()\n\tx.go:7 +0x1d\ncreated by main.main in goroutine 1\n\tx.go:9 +0x5e\n' >"$TMP/leaked.d2"
tprof-top --deadlock "$TMP/leaked.d2"
# Who waits for a lock below another method of its value may have locked it there; a reader below one
# does not wait for another reader.
for state in Mutex.Lock RWMutex.RLock; do
	for i in 3 4; do
		printf 'goroutine %d [sync.%s, 3 minutes]:\nmain.(*T).get(0xc000014000)\n\tx.go:7 +0x1d\nmain.(*T).all(0xc000014000)\n\tx.go:9 +0x5e\n\n' $i $state
	done >"$TMP/below.d2"
	tprof-top --deadlock "$TMP/below.d2"
done
tprof-top --deadlock testdata/inbox/inbox-2.d1 2>&1
echo "status $?"
tprof-top --deadlock testdata/catalog.cpu 2>&1
echo "status $?"
