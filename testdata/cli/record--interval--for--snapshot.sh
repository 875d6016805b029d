# Files while the program runs: each waits until what it waits for has been written.
cd "$TMP" || exit
program='until [ -e "$1" ]; do sleep 0.02; done; echo "the program goes on"; shift; "$@"'
echo '--interval'
tprof-record -q -o run --heap --interval=30ms -- sh -c "$program" sh run/heap.0003.pb.gz true
ls run | grep -E 'heap.(000[123].)?pb' 
echo '--for'
tprof-record -o run --heap --mutex --for=30ms -- sh -c 'until grep -q "goes on" err; do sleep 0.02; done; echo "the program goes on"' 2>err
sed -E 's/^(.*): [^:]*(recorded for) .*;/\1: \2 TIME;/; /^  /d; /^not recorded/d' err
ls run
told=$(sed -n 's/.*recorded for \(.*\);.*/\1/p' err)
tprof-import -o heap.tprof run/heap.pb.gz | sed "s/.* samples*, $told; .*/the profile is of as long/"
echo '--snapshot, and SIGUSR2'
tprof-record -q -o run --heap --block -- sh -c "$program" sh end true &
recorder=$!
until tprof-record --snapshot=$recorder >files 2>/dev/null; do sleep 0.02; done
sed "s:$PWD/::" files
tprof-record -q --snapshot=$recorder
kill -USR2 $recorder
until [ -e run/block.0003.pb.gz ]; do sleep 0.02; done
echo >end
wait $recorder
ls run
tprof-record --snapshot=$$ 2>&1 | sed "s/$$/PID/"
