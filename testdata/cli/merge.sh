# tprof-merge: every dump once, in an order that does not depend on how stores are merged; what is
# asked of a run is answered as by the store that it came from.
cd "$TMP" || exit 4
data=$OLDPWD/testdata
tprof-import -o a.tprof --label=host=a "$data/checkout.trace" "$data/catalog.heap" >import 2>&1
tprof-import -o b.tprof --label=host=b "$data/checkout-cut.trace" "$data/catalog.cpu" >import 2>&1
tprof-import -o c.tprof --label=host=c --compress=high "$data/catalog.heap" "$data/errands.trace" >import 2>&1
try() { echo "\$ $*"; "$@" 2>&1; }
merge() { echo "\$ tprof-merge $*"; tprof-merge "$@" 2>&1 | sed 's/; [0-9.]*KiB to.*/; SIZES/'; }
merge -o all.tprof a.tprof b.tprof
merge -o all.tprof c.tprof
try tprof-store list all.tprof --format=csv | cut -d, -f1-4,9,10
try tprof-store verify all.tprof
merge -o cab.tprof c.tprof a.tprof
merge -o cab.tprof b.tprof c.tprof cab.tprof
cmp all.tprof cab.tprof && echo the same bytes
run() { tprof-query --format=tsv "$1" "SELECT id FROM run WHERE name = '$2'" | tail -n 1; }
alike() { # store, name, command…
	store=$1 name=$2 command=$3
	shift 3
	"$command" "--run=$(run "$store" "$name")" "$@" "$store" 2>&1 | sed "s/tprof-query $store/tprof-query all.tprof/" >one
	"$command" "--run=$(run all.tprof "$name")" "$@" all.tprof >other 2>&1
	cmp one other && echo "$command $* of $name: $(wc -l <one) lines"
}
alike a.tprof checkout.trace tprof-top
alike b.tprof checkout-cut.trace tprof-top -n 0
alike a.tprof catalog.heap tprof-top --traces
alike b.tprof catalog.cpu tprof-flame --format=folded
alike c.tprof errands.trace tprof-flame --format=svg
alike a.tprof checkout.trace tprof-export --format=events
# Virtual tables of what runs share.
for t in string function location frame stack; do
	tprof-query --format=tsv a.tprof "SELECT * FROM $t WHERE run = 2" | cut -f2- >one
	tprof-query --format=tsv all.tprof "SELECT * FROM $t WHERE run = $(run all.tprof catalog.heap)" | cut -f2- >other
	cmp one other && echo "$t: $(wc -l <one) lines"
done
tprof-query --format=tsv all.tprof 'SELECT run, count(*), max(row), max(depth) FROM stack GROUP BY run'
tprof-query --format=tsv all.tprof 'SELECT row, frame FROM stack WHERE run = 3 AND row BETWEEN 3 AND 5'
# Stores of older versions; the number of a store's version says who can read it.
merge -o old.tprof "$data/version-1.store" "$data/version-2.store" | sed "s,$data/,,g"
tprof-query --format=tsv old.tprof "SELECT value FROM meta WHERE key = 'min_reader'"
tprof-store list old.tprof --format=csv | cut -d, -f1-4
try tprof-store verify old.tprof
# Deleting, and giving the room back.
tprof-store delete all.tprof 1 2 3 4 5
tprof-store compact all.tprof >/dev/null
tprof-query --format=tsv all.tprof 'SELECT count(*) FROM block'
try tprof-store verify all.tprof
