# A damaged run ends no merge: it is copied as it is, of which a warning tells, unless another store
# has it sound.
trace=$PWD/testdata/errands.trace
cd "$TMP" || exit 4
merge() { tprof-merge "$@" 2>&1 | sed 's/; [0-9.]*KiB to.*/; SIZES/'; }
tprof-import -o sound.tprof "$trace" >/dev/null
cp sound.tprof damaged.tprof
tprof-query --write damaged.tprof "UPDATE block SET data = substr(data, 1, 9) WHERE stream = 'event' AND part = 0"
merge -o alone.tprof damaged.tprof
tprof-store verify alone.tprof
merge -o alone.tprof sound.tprof
tprof-store verify alone.tprof
merge -o both.tprof sound.tprof damaged.tprof
cmp alone.tprof both.tprof && echo the same bytes
