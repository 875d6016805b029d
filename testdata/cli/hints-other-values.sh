# Profiles that show little as they are: what to ask for instead. The old heap is empty by now, and
# neither has names.
cd "$TMP"
heap() {
	cat <<EOF
heap profile: $1 [8: 4096] @ heap/1048576
$1 [8: 4096] @ 0x401000 0x402000

MAPPED_LIBRARIES:
00400000-00500000 r-xp 00000000 08:01 1 /usr/bin/depotd
EOF
}
heap '0: 0' >old
heap '2: 1024' >new
tprof-diff old new 2>&1
echo ==
tprof-diff --format=csv old old 2>&1
echo ==
tprof-top new 2>&1
echo ==
tprof-top --binary=/bin/sh new 2>&1 | grep -c "has no names" || :
echo == nothing in use at the end: what was
cp "$OLDPWD/testdata/odd/freed.heap" .
tprof-top old 2>&1
tprof-top freed.heap 2>&1
tprof-top --sample-index=temporary_objects freed.heap 2>&1
tprof-top --sample-index=inuse_objects freed.heap 2>&1 | head -n 1
tprof-flame -o freed.svg freed.heap 2>&1
echo == reports that take both options
tprof-top "$OLDPWD/testdata/checkout.trace" block --task=order --slowest=1 2>&1 || :
