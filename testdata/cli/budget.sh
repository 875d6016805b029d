# --budget: whole rows within so many bytes, and what was left out.
export LC_ALL=C.UTF-8
unset COLUMNS
trace=testdata/checkout.trace
tprof-top $trace cpu --budget=400
tprof-top $trace overview --budget=1500
tprof-top $trace block -n 0 --budget=900 --format=markdown
tprof-top $trace procs --budget=200 --format=csv 2>&1
tprof-top $trace procs --budget=200 --format=json 2>&1
tprof-top $trace procs --budget=1500 --json-head | sed -n '/"cut"/,$p'
tprof-top testdata/catalog.cpu --tree --budget=600
tprof-query $trace 'SELECT ts_ns, kind FROM event LIMIT 500' --budget=200
# One that fits changes nothing.
tprof-top $trace cpu >"$TMP/whole"
tprof-top $trace cpu --budget=64K | cmp - "$TMP/whole" && echo the same
# A file is bounded, too.
tprof-path $trace --task=order --slowest --budget=1K -o "$TMP/path.txt" --format=text
tail -1 "$TMP/path.txt"
# What cannot be cut.
for command in "top --budget=199 $trace" "top --budget=1000000000 $trace" "top --budget=lots $trace" \
	"top --budget=200 --json-head $trace" "top --budget=4000 --format=pprof testdata/catalog.cpu" \
	"flame --budget=4000 --format=svg testdata/catalog.cpu" "flame --budget=4000 --format=text --flame testdata/catalog.cpu" "path --budget=4000 -o $TMP/p.svg $trace" \
	"diff --budget=4000 --format=pprof testdata/catalog.heap testdata/catalog.heap" "report --budget=4000 $trace"; do
	tprof-${command%% *} ${command#* } 2>&1 | head -1
done
