# speedscope's JSON: evented and sampled, threads of a file, compressed, from standard input, what
# tprof-export writes read back, a file that is cut off, and calls that are nested wrongly.
cp testdata/speedscope/* "$TMP"
cp testdata/fuzz/text/speedscope-nested "$TMP"
cp testdata/catalog.cpu testdata/catalog.heap "$TMP"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
try tprof-top -n 5 evented.json
try tprof-top -n 4 --lines heap.json.zst
try tprof-top --tags threads.json
try tprof-top --lines --tag-focus=thread=worker threads.json
gzip -k threads.json
try tprof-flame --format=folded threads.json.gz
tprof-top --cum - <threads.json 2>&1
tprof-import -o s.tprof evented.json threads.json heap.json.zst | sed 's|; [0-9.]*s; .*||'
try tprof-top speedscope-nested
try tprof-import --strict -o strict.tprof speedscope-nested
head -c 6000 evented.json >cut.json
try tprof-top -n 2 cut.json
for p in catalog.cpu 'catalog.heap -alloc_space' 'catalog.heap -inuse_objects' threads.json heap.json.zst evented.json; do
	set -- $p
	tprof-export --format=folded "$@" 2>/dev/null | sort >before
	tprof-export --format=speedscope "$@" 2>/dev/null | tprof-export --format=folded - 2>/dev/null | sort >after
	cmp before after && echo "$p: $(wc -l <after) stacks, the same again"
done
