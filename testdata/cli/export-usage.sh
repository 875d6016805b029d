# Wrong arguments end with status 2.
try() { tprof-export "$@" 2>&1; echo "status $?"; }
try
try x
try --format=pprof x
try --format=events x y
try --nosuch
