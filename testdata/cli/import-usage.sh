# Wrong arguments end with status 2 and a hint, before anything is read.
try() { tprof-import "$@" 2>&1; echo "status $?"; }
try
try --nosuch x
try --label=x x
try --label==x x
try --label=host= x
try --label=a=1 --label=a=2 x
try --name=n x y
try --name= x
try --compress=best x
try --threads=2x x
try --dump=frames x
try --dump=events -o s x
try -o
# What is not there may have been meant to be a folder.
try --folder-labels=host -o "$TMP/q.tprof" testdata/nowhere
