# The critical path as profile.proto: its values are those of the flame graph.
tprof-path --format=pprof --task=order --slowest testdata/checkout.trace >"$TMP/p"; echo "status $?"
tprof-top -n 4 "$TMP/p"
tprof-path --format=folded --task=order --slowest testdata/checkout.trace | awk '{ n += $NF } END { print n }'
tprof-top --raw "$TMP/p" | awk '/^Samples:/ { s = 1; next } /^Locations/ { s = 0 } s && /^ *[0-9]+ +[0-9]+:/ { sub(":.*", ""); split($0, v, " "); n += v[2] } END { print n }'
tprof-path --format=pprof testdata/checkout.trace hops 2>&1; echo "status $?"
