# A trace of go 1.5 has addresses only: what lies beside it names them, inlined calls too. Without
# it, with that of another trace, or with something else, there are no names, and a warning.
plain() { sed 's/; [0-9.]*s; /; Xs; /; s/to [0-9.]*[KM]iB in/to YKiB in/; s/have [0-9]* of [0-9]*/have N of M/'; }
names() { tprof-top "$@" --sort=function 2>&1 | awk '/^(main|assist|.unknown.) / { print "  " $1 }'; }
try() { # what to call it, what lies beside it
	echo "$1:"
	cp "$2" "$TMP/counter.trace.symbols"
	rm -f "$TMP/s.tprof"
	tprof-import -o "$TMP/s.tprof" "$TMP/counter.trace" 2>&1 | plain
	names "$TMP/s.tprof"
}
cp testdata/counter-1.5.trace "$TMP/counter.trace"
echo 'nothing:'
names "$TMP/counter.trace"
try 'its own' testdata/counter-1.5.trace.symbols
tprof-top "$TMP/s.tprof" block | sed -n '4,6s/  .*//p' | sort
echo 'looked at at once, plain and compressed, and when it is gone again:'
names "$TMP/counter.trace"
gzip -9n <"$TMP/counter.trace" >"$TMP/counter.trace.gz"
names "$TMP/counter.trace.gz"
rm "$TMP/counter.trace.symbols"
names "$TMP/counter.trace"
try 'that of another recording' testdata/counter-other.symbols
try 'a profile' testdata/catalog.heap
head -c 300 testdata/counter-1.5.trace.symbols >"$TMP/half"
try 'half of it' "$TMP/half"
# A field that no profile has, of 9 MiB: behind what is decoded without a file.
{ gzip -dc testdata/counter-1.5.trace.symbols && printf '\242\006\200\200\300\004' && head -c 9437184 /dev/zero; } |
	gzip >"$TMP/long"
try 'a long one' "$TMP/long"
echo 'far too large to be read, or hashed:'
truncate -s 40G "$TMP/counter.trace.symbols"
rm -f "$TMP/s.tprof"
# By processor time, of which a file of holes takes nothing else: 40 GiB are more than 10 s of it.
(ulimit -t 10; tprof-import -o "$TMP/s.tprof" "$TMP/counter.trace") 2>&1 | plain
(ulimit -t 10; tprof-top "$TMP/counter.trace" --sort=function) 2>&1 | awk '/^(main|assist|.unknown.) / { print "  " $1 }'
rm "$TMP/counter.trace.symbols"
