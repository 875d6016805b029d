# Stores that cannot be written to stay as they are.
cp testdata/checkout-1.19.trace "$TMP/go.trace"
cd "$TMP"
trace=go.trace other=other.trace
cp "$OLDPWD/testdata/checkout.trace" $other
try() { tprof-import -o "$1" "$trace" 2>&1; echo "status $?"; }
echo 'precious' >text.tprof; try text.tprof; cat text.tprof
: >empty.tprof; try empty.tprof | sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/'
try no/such/folder.tprof
mkdir folder.tprof; try folder.tprof
# A store of a later version: byte 60 of an SQLite file begins its user_version.
tprof-import -o newer.tprof "$trace" >/dev/null
printf '\000\000\003\347' | dd of=newer.tprof bs=1 seek=60 conv=notrunc 2>/dev/null
before=$(cksum <newer.tprof)
tprof-import -o newer.tprof "$other" 2>&1
echo "status $?"
[ "$before" = "$(cksum <newer.tprof)" ] && echo 'left as it was'
