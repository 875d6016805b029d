# What tprof(1) says of mistakes that only the file can tell.
try() { "$@" >/dev/null 2>&1; echo "$? $*"; }
try tprof-query testdata/pool.trace 'selct 1'
try tprof-query testdata/pool.trace 'select nosuch from event'
try tprof-top --task=nosuch testdata/pool.trace
try tprof-top --region=nosuch testdata/pool.trace
try tprof-top --goroutine=99999 testdata/pool.trace
try tprof-path --task=nosuch testdata/pool.trace
try tprof-path --goroutine=9999 testdata/pool.trace
try tprof-top --nosuch testdata/pool.trace
try tprof-top nosuch.trace
