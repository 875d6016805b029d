# Dumps that are called alike are told apart by as much of their paths as it takes.
mkdir -p "$TMP/before/shop" "$TMP/after/shop"
for side in before after; do
	cp testdata/catalog.heap "$TMP/$side/shop/heap.pb.gz"
	cp testdata/checkout.trace "$TMP/$side/go.trace"
	cp testdata/checkout-cut.trace "$TMP/$side/cut.trace"
done
cd "$TMP"
top() { head -n "$1"; }
tprof-diff before/shop/heap.pb.gz after/shop/heap.pb.gz 2>/dev/null | top 1
tprof-diff before/shop/heap.pb.gz before/shop/heap.pb.gz -- after/shop/heap.pb.gz 2>/dev/null | top 1
tprof-diff "$PWD/before/go.trace" after/go.trace 2>/dev/null | top 1
tprof-diff before/cut.trace after/cut.trace 2>&1 >/dev/null | sed -n 's/ is damaged.*/ is damaged/p'
tprof-diff --view=offcpu before/go.trace after/go.trace 2>/dev/null | top 1
for base in before/shop/heap.pb.gz before/go.trace; do
	file=after/${base#*/}
	tprof-flame --format=svg --base=$base -o flame.svg $file
	grep -o '<title>[^<]*</title>' flame.svg | top 1
	tprof-report --base=$base -o page.html $file
	grep -o '<title>[^<]*</title>' page.html | top 1
done
tprof-top --over=run before/shop/heap.pb.gz after/shop/heap.pb.gz | top 1
tprof-top --over=run before/go.trace after/go.trace | top 1
tprof-export --format=perfetto -o p.perfetto before/go.trace after/go.trace
grep -ao '[a-z/]*go.trace' p.perfetto | sort -u
tprof-leaks before/go.trace after/go.trace | top 1
# One file twice, or others of other names, change nothing; a run is still picked by its own name.
tprof-diff before/shop/heap.pb.gz before/shop/heap.pb.gz 2>/dev/null | top 1
tprof-diff before/go.trace after/cut.trace 2>/dev/null | top 1
tprof-diff --run=go.trace before/go.trace after/go.trace 2>/dev/null | top 1
