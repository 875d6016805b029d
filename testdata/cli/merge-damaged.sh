# A part of a trace that is damaged, or does not fit the others, ends no merge: it stays as it is,
# of which a warning tells, or goes into the whole trace.
trace=$PWD/testdata/corpus/traces/slow-1.27.trace
cd "$TMP" || exit 4
merge() { tprof-merge "$@" 2>&1 | sed 's/; [0-9.]*KiB to.*/; SIZES/'; }
runs() { tprof-query --format=tsv "$1" "SELECT name, generations, (SELECT count(*) FROM block AS b WHERE b.run = r.id AND stream = 'cut') AS part FROM run AS r ORDER BY 1, 2, 3"; }
tprof-import -o whole.tprof "$trace" >/dev/null
tprof-import -o p12.tprof --occupancy --generations=1-2 "$trace" >/dev/null
tprof-import -o p35.tprof --occupancy --generations=3-5 "$trace" >/dev/null
tprof-query --write p12.tprof "UPDATE block SET data = substr(data, 1, 9) WHERE stream = 'event' AND part = 0"
merge -o parts.tprof p12.tprof p35.tprof
runs parts.tprof
merge -o all.tprof p35.tprof whole.tprof p12.tprof
runs all.tprof
merge -o parts.tprof whole.tprof
cmp parts.tprof all.tprof
# What it is a part of it does not say any more: its hash is that of a part of the whole.
tprof-query --write p12.tprof "UPDATE block SET data = x'01' WHERE stream = 'cut'"
merge -o stray.tprof p12.tprof p35.tprof
runs stray.tprof
merge -o stray.tprof whole.tprof
runs stray.tprof
merge -o all.tprof whole.tprof p12.tprof p35.tprof
cmp stray.tprof all.tprof
