# Heap profiles of jemalloc: a sample for each thread of a stack; what was allocated is there only
# with prof_accum:true. A dump that was cut off says what is missing.
export COLUMNS=80 LC_ALL=C.UTF-8
dumps=testdata/pantry
tprof-top "$dumps/inuse.heap"
tprof-top --tags "$dumps/inuse.heap"
tprof-top -n 3 --tag-focus=thread=2 "$dumps/inuse.heap"
tprof-top -n 3 --sample-index=alloc_space "$dumps/inuse.heap" 2>&1
tprof-top -n 3 --sample-index=alloc_space "$dumps/accumulated.heap"
head -c 580 "$dumps/inuse.heap" >"$TMP/cut.heap"
tprof-top -n 2 "$TMP/cut.heap" 2>&1
