# Text forms have the names of their comments: the runtime's functions, which Go leaves nameless
# there, are left out as pprof drops them from the other form. All frames are there when asked for.
dumps=testdata/corpus/profiles
tprof-top -n 5 --sample-index=inuse_space "$dumps/stuck-1.19.heap.d1"
tprof-top -n 5 "$dumps/stuck-1.27.mutex.d1"
tprof-top --traces "$dumps/stuck-1.27.mutex.d1"
tprof-top --traces --all-frames "$dumps/stuck-1.27.mutex.d1"
