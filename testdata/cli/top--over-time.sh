# The values of a profile over its time: samples of perf script, of a part of the time, as a picture; samples
# without a time; profiles without times, several profiles, options that do not go with it.
p=testdata/perf
tprof-top --over=time -n 4 $p/clock.perf
tprof-top --over=time --cum --from=50% -n 3 --format=csv $p/clock.perf | cut -d, -f1-12
tprof-top --over=time --focus=sum --sort=name $p/clock.perf
tprof-top --over=time --format=svg $p/clock.perf | grep -c '<title>'
tprof-import -o "$TMP/s.tprof" $p/clock.perf $p/faults.perf >/dev/null
tprof-top --over=time --run=1 -n 1 "$TMP/s.tprof"
try() { tprof-top "$@" 2>&1; echo "status $?"; }
try --over=time testdata/otlp/shop.otlp
try --over=time testdata/catalog.cpu
try --over=time $p/clock.perf $p/faults.perf
try --over=time --focus=nothing $p/clock.perf
try --over=time --counters $p/clock.perf
