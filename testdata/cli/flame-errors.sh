# What goes wrong is said in a sentence, with a status of its own, and leaves no file behind.
try() {
	"$@" 2>&1
	echo "= $?"
}
echo text >"$TMP/text"
try tprof-flame
try tprof-flame testdata/missing
try tprof-flame "$TMP/text"
try tprof-flame --format=png testdata/catalog.cpu
try tprof-flame -o "$TMP/g.png" testdata/catalog.cpu
try tprof-flame --min-width=wide testdata/catalog.cpu
try tprof-flame --min-width=200% testdata/catalog.cpu
try tprof-flame --sort=size testdata/catalog.cpu
try tprof-flame --width=new testdata/catalog.cpu
try tprof-flame --noise=loud --base=testdata/catalog.cpu testdata/catalog.cpu
try tprof-flame --view=cats testdata/checkout.trace
try tprof-flame --from=later testdata/checkout.trace
try tprof-flame --sample-index=cats testdata/catalog.cpu
try tprof-flame '--focus=(' testdata/catalog.cpu
try tprof-flame --base=testdata/catalog.heap testdata/catalog.cpu
# Of several, one type is drawn; the same unit is not enough.
try tprof-flame --base=testdata/catalog.mutex testdata/catalog.cpu
try tprof-flame testdata/catalog.cpu testdata/checkout.trace
try tprof-flame --sample-index=cats testdata/catalog.cpu testdata/prices/old.cpu
try tprof-flame --view=cpu --pprof=net testdata/checkout.trace
try tprof-flame -o "$TMP/no/such.svg" testdata/catalog.cpu
try tprof-flame --focus=nothing.is.called.so -o "$TMP/empty.svg" testdata/catalog.cpu
ls "$TMP"
# What is no file keeps its place.
mkfifo "$TMP/pipe"
head -n 1 "$TMP/pipe" | cut -c 1-5 &
tprof-flame -o "$TMP/pipe" testdata/catalog.cpu 2>&1
wait
test -p "$TMP/pipe" && echo pipe
