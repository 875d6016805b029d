# Parts of a trace beside all of it, and parts that overlap: nothing counts twice, or it is said.
data=$PWD/testdata
trace=$data/corpus/traces/slow-1.27.trace
cd "$TMP" || exit 4
try() { echo "\$ $*"; "$@" 2>&1; }
tprof-import -o one.tprof "$trace" >/dev/null
for generations in 1-2 3 2-4; do
	tprof-import --generations=$generations --label=part=$generations -o some.tprof "$trace" >/dev/null
done
# Those that overlap count twice, which is said; each alone does not.
try tprof-top --run=all --view=offcpu -n 2 some.tprof
try tprof-top --run=part=1-2 --view=offcpu -n 1 some.tprof
try tprof-top --run=part=3 --view=offcpu -n 1 some.tprof
# With all of it they are left out, unless they are asked for.
tprof-import -o some.tprof "$trace" >/dev/null
try tprof-top --run=all --view=offcpu -n 2 some.tprof
try tprof-top --run=all --view=offcpu -n 2 one.tprof
try tprof-top --run=3 --view=offcpu -n 1 some.tprof
try tprof-flame --run=all --view=offcpu --format=folded some.tprof | tail -n 1
# What changes runs takes them all.
try tprof-store delete some.tprof all
