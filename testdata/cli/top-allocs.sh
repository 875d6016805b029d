# A trace of allocations: what was allocated, in use and how long it lived, by function and by type; its
# notices; and cut off.
cp testdata/till.allocs.gz "$TMP"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
try tprof-top till.allocs.gz --focus=main
try tprof-top --sample-index=inuse_objects --focus=main till.allocs.gz
try tprof-top --sample-index=lifetime --focus=makeOrder till.allocs.gz
tprof-top --traces --focus=makeOrder --tag-focus=type=main.order till.allocs.gz 2>&1 | head -n 20
gzip -d till.allocs.gz
(echo starting; head -c 30000 till.allocs) >cut.allocs
tprof-import -o s.tprof cut.allocs 2>&1 | sed 's/; [0-9.]*s; .*; /; Xs; /'
try tprof-import -o strict.tprof --strict cut.allocs
