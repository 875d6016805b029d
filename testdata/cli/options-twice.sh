# An option that can count once is refused when it is given another argument; those of which all count
# say so in their manual page. Of how something looks, the last word counts.
cd testdata/prices
say() { "$@" 2>&1 | sed -n 1p; }
say tprof-diff --label=rev=a --label=host=b --base-label=rev=b s.tprof
say tprof-diff --base-label rev=a --base-label rev=b --label=rev=c s.tprof
say tprof-diff -inuse_space -alloc_space old-1.heap new-1.heap
say tprof-import -o a.tprof -o b.tprof old-1.heap
say tprof-import --slurm --slurm=--time=1 -o a.tprof old-1.heap
say tprof-merge -o a.tprof --output=b.tprof c.tprof
say tprof-top --focus=a --focus=b old-1.heap
say tprof-top -focus a -tagfocus=x -tagfocus y old-1.heap
say tprof-top --run=host=a --run=rev=b old-1.heap
say tprof-top --list=a --list=b old-1.heap
say tprof-flame -o a.svg -ob.svg old-1.heap
say tprof-leaks --gate=1 --gate 2 old-1.heap
say tprof-path --slowest --slowest=3 ../checkout.trace
say tprof-query -f a.sql -f b.sql s.tprof
say tprof-record -o a --for=1s --for=2s -- true
say tprof-report -o a.html -o b.html old-1.heap
say tprof-store prune --keep-last=1 --keep-last=2 s.tprof

echo '-- the same again is the same; what follows a program is its own; all of these count'
tprof-top -n 1 --rows=1 -alloc_space --sample-index=alloc_space old-1.heap | tail -1
tprof-record --force -q -o "$TMP/r" -- printf '%s %s\n' -o
tprof-import -o "$TMP/s.tprof" --label=a=b --label=c=d old-1.heap | sed 's/; .*//'
tprof-diff -alloc_space --gate='alloc_space>1%' --gate='alloc_space>90%' old-1.heap new-1.heap | tail -2
tprof-top -alloc_space -n 1 --base=old-1.heap --base=old-2.heap new-1.heap | sed -n 1p

echo '-- an alias has said how it is to look'
tprof-top -alloc_space -n 9 --format=json --rows 2 --form=csv --sort=cum -s flat old-1.heap
