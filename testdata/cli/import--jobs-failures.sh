# Among many: what was named and is no dump is an error, what lies in a folder beside dumps is not;
# each error is a line at the end, and the worst is the status.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/ of [0-9.]*[KM]iB$/ of YKiB/'; }
try() { { tprof-import "$@" 2>&1; echo "status $?"; } | plain; }
mkdir "$TMP/d" "$TMP/e"
cp testdata/ledger/ledger-[1-3].heap "$TMP/d"
cp testdata/corpus/broken/cut-1.22.trace "$TMP/d"
cd "$TMP"
echo 'hello, world' >d/text
printf 'go 1.99 trace\0\0\0' >d/newer
head -c 300 d/ledger-1.heap >d/short.heap
ln -s nowhere d/dangling
try -o s.tprof d
try -o s.tprof d/text d gone 'no*' d/ledger-1.heap
try -o strict.tprof --strict d
try -j 2 d/text d/ledger-1.heap
try -o s.tprof e
tprof-store verify s.tprof

echo '-- empty: what is called a dump has failed; no store is made of none'
mkdir f
: >f/a.pb.gz
printf '' | gzip >f/b.trace.gz
: >f/done
try -o none.tprof f
try -j 2 'f/[ab]*'
rm -r f

echo '-- the store is at fault: that ends it'
echo text >bad.tprof
try -j 2 -o bad.tprof d
try -j 2 -o nofolder/s.tprof d
ls
