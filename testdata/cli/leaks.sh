# Goroutines that stay: a program that leaks a known number (testdata/programs/inbox.go), from its trace,
# from each kind of dump, and one after the other; what is allowed; the gate.
d=testdata/inbox
try() { "$@" 2>&1; echo "status $?"; }
tprof-leaks $d/inbox.trace
tprof-leaks --created $d/inbox.trace
for f in inbox-1.d0 inbox-2.d1 inbox-3.d2 inbox-3.leak; do tprof-leaks --format=csv $d/$f; done
tprof-leaks $d/inbox-1.d0 $d/inbox-2.d1 $d/inbox-3.d2
tprof-leaks --format=json $d/inbox-1.d0 $d/inbox-3.leak $d/inbox.trace
printf '%s\n' '# what stays' '' ' main.(*watcher).run' '7 main.lookup*  ' >"$TMP/allow"
try tprof-leaks --allow="$TMP/allow" --gate=3 $d/inbox-3.d2
try tprof-leaks --allow="$TMP/allow" --show-allowed --gate=2 $d/inbox-3.d2
try tprof-leaks --gate=5 $d/inbox-1.d0 $d/inbox-2.d1 $d/inbox-3.d2
try tprof-leaks --gate=6 $d/inbox-1.d0 $d/inbox-2.d1 $d/inbox-3.d2
# What stands behind a '#' is a comment; what allows nothing is said.
printf '%s\n' 'main.(*watcher).run   # two, for good' '	7 main.lookup*	#' 'main.stamp# no' '' 'main.stmp' >"$TMP/allow"
try tprof-leaks --allow="$TMP/allow" --gate=3 $d/inbox-3.d2 | sed "s,$TMP/,,"
printf 'main.f%s\n' 1 2 3 4 5 6 7 >"$TMP/allow"
try tprof-leaks --allow="$TMP/allow" -n 1 $d/inbox-3.d2 | sed "s,$TMP/,,"
tprof-leaks --min-wait=70ms $d/inbox.trace
tprof-leaks --min-wait=70ms $d/inbox-3.leak
tprof-leaks --all -n 2 $d/inbox-3.d2
# A gate does not pass on what the dump does not say; it does where all of it may stay.
try tprof-leaks --gate=0 --min-wait=1m $d/inbox-1.d0
try tprof-leaks --gate=5 --min-wait=1m $d/inbox-1.d0
try tprof-leaks --gate=6 --min-wait=1m $d/inbox-1.d0
try tprof-leaks --gate=0 --min-wait=1m $d/inbox.trace
# From a store, oldest first.
tprof-import -o "$TMP/s.tprof" $d/inbox-1.d0 $d/inbox.trace $d/inbox-3.d2 >/dev/null
tprof-leaks --run=all --sort=growth -n 1 "$TMP/s.tprof"
# What has no goroutines in it is passed over, unless there is nothing else.
tprof-import -o "$TMP/s.tprof" testdata/catalog.heap testdata/catalog.cpu >/dev/null
try tprof-leaks --run=all -n 1 "$TMP/s.tprof" | sed "s,$TMP/,,"
try tprof-leaks -n 1 "$TMP/s.tprof"
try tprof-leaks --run=4 "$TMP/s.tprof"
tprof-import -o "$TMP/none.tprof" testdata/catalog.heap testdata/catalog.cpu >/dev/null
try tprof-leaks "$TMP/none.tprof"
try tprof-leaks --run=all "$TMP/none.tprof"
# Dumps know how long, in minutes.
cat >"$TMP/nil.d2" <<'END'
goroutine 7 [chan receive (nil chan), 12 minutes]:
main.wait(0x0)
	/src/nil.go:7 +0x1d
created by main.main in goroutine 1
	/src/nil.go:30 +0x5e

goroutine 8 [chan receive (nil chan), 3 minutes]:
main.wait(0x0)
	/src/nil.go:7 +0x1d
created by main.main in goroutine 1
	/src/nil.go:30 +0x5e

goroutine 9 [running]:
main.work(0x0)
	/src/nil.go:9 +0x1d
END
tprof-leaks "$TMP/nil.d2"
tprof-leaks --min-wait=5m --format=csv "$TMP/nil.d2"
# By a label that is a number.
tprof-leaks --by=goroutine "$TMP/nil.d2"
# Of several dumps, each says of how many it does not know that.
{ sed 's/, [0-9]* minutes//' "$TMP/nil.d2"; echo; echo another; cat "$TMP/nil.d2"; } >"$TMP/two.d2"
try tprof-leaks --min-wait=5m --gate=0 "$TMP/two.d2" | sed "s,$TMP/,,"
# main.main needs no allowance.
echo main.main >"$TMP/allow"
try tprof-leaks --allow="$TMP/allow" --gate=20 -n 1 $d/inbox-1.d0 | sed "s,$TMP/,,"
# Nothing stays.
tprof-leaks --min-wait=1h $d/inbox.trace
# In a new version the lines of main.lookup have moved: one site; two sites of one file stay two.
sed 's/inbox.go:67/inbox.go:71/' $d/inbox-3.d2 >"$TMP/moved.d2"
tprof-leaks $d/inbox-3.d2 "$TMP/moved.d2"
{ cat "$TMP/moved.d2"; echo; sed -n '/^goroutine 34 /,/^$/p' $d/inbox-3.d2 | sed 's/goroutine 34/goroutine 3400/;s/inbox.go:67/inbox.go:90/'; } >"$TMP/both.d2"
tprof-leaks $d/inbox-3.d2 "$TMP/both.d2"
