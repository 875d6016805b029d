# Every command that a page offers to copy can be run, with something for OLD and REGEX, which are to
# be filled in. The heat map adds a time range to its command (report.js).
root=$PWD
cd "$TMP"
texts() { sed 's/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&#39;/'\''/g; s/&amp;/\&/g'; }
offered() { # page
	grep -o '<code class="cmd">[^<]*</code>' "$1" | sed 's/<[^>]*>//g' | texts
	grep -o 'data-command="[^"]*"' "$1" | sed 's/.*="//; s/"$/ --from=10us --to=20ms/' | texts
}
try() { # options and files of tprof-report
	tprof-report -o page.html "$@" 2>errors || { echo "no page: $*"; cat errors; return; }
	offered page.html | sed "s/=REGEX/=./; s/=OLD/=$old/" | sort -u >commands
	failed=0
	while read -r command; do
		sh -c "$command" </dev/null >output 2>errors && continue
		echo "status $?: $command"
		failed=$((failed + 1))
		sed 's/^/	/' errors
	done <commands
	kinds=$(sed 's/ .*//' commands | sort -u | tr '\n' ' ')
	echo "$*: $failed fail of $kinds"
}
copy() { cp "$root/testdata/$1" "./$2"; }
old=1 # a run
copy checkout-1.19.trace a.trace
copy checkout-cut.trace cut.trace
copy counter-1.5.trace 'two words.trace'
copy relay.trace relay.trace
copy convoy.trace -convoy.trace
cp a.trace OLD
try a.trace
try cut.trace
try 'two words.trace'
try -- -convoy.trace
try --base=relay.trace a.trace
try --base=relay.trace --base=./-convoy.trace a.trace cut.trace
try --base=-convoy.trace relay.trace
tprof-import -o traces.tprof relay.trace ./-convoy.trace >log 2>&1
try --run=relay.trace traces.tprof
try --base=traces.tprof --base-run=1 --run=2 traces.tprof
try --base=traces.tprof --run=relay.trace relay.trace
copy catalog.cpu a.cpu
copy catalog.heap "it's.heap"
copy catalog.block -b.block
copy inbox/inbox-3.d2 g.d2
for i in 1 2; do
	copy prices/old-$i.heap old-$i.heap
	copy prices/new-$i.heap new-$i.heap
done
cp a.cpu OLD
try a.cpu
cp "it's.heap" OLD
try "it's.heap"
cp ./-b.block OLD
try -- -b.block
cp g.d2 OLD
try g.d2
cp old-1.heap OLD
try old-1.heap old-2.heap
try --base=old-1.heap new-1.heap
try --base=old-1.heap --base=old-2.heap new-1.heap new-2.heap
try --base="it's.heap" --sample-index=alloc_space new-1.heap
tprof-import -o heaps.tprof old-1.heap new-1.heap >log
try --run=1 heaps.tprof
try --run=new-1.heap heaps.tprof
try --base=heaps.tprof --base-run=old-1.heap --run=new-1.heap heaps.tprof
