# Profiles that google-pprof --raw has given names: of the CPU, without a period, and of the heap, with
# inlined functions. What lies before the profile is not part of it; one line is damaged.
cp testdata/odd/symbolized.* "$TMP"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
try tprof-top symbolized.cpu
try tprof-top -inuse_space symbolized.heap
try tprof-top --traces --sample-index=alloc_space symbolized.heap
sed 's/^0x0000000000402010/main/' symbolized.heap >damaged.heap
try tprof-top -inuse_space damaged.heap
try tprof-import --strict -o s.tprof damaged.heap
sed '/^---$/,$d' symbolized.heap >cut.heap
try tprof-top cut.heap
