# Whoever types what he types for pprof gets the answer, or one sentence that names the way to it.
cd testdata/prices
try() { "$@" 2>&1 | head -n 1; }
for option in -http=:8080 -no_browser -web -weblist=x -png -proto -topproto -output=x -o -seconds=30 \
	-timeout=5 -symbolize=local -buildid=x -tools=x -add_comment=x --http=: -silly -sillyness -nosuch; do
	try tprof-top $option new.cpu
done
for option in -list=x -proto -svg -trim=false -http=: -silly; do
	try tprof-diff $option old.cpu new.cpu
done
for option in -top -list=x -nodecount=5 -unit=ms; do
	try tprof-flame $option new.cpu
done
for option in -top -nodecount=5; do
	try tprof-export --format=pprof -o $TMP/x $option new.cpu
done
# One dash will do for options of ours as well, and letters are still letters.
tprof-top -n1 -cum=false -rows=1 -symbolize=none new.cpu | tail -n 1
tprof-diff -changed -gate 'cpu>+500%' -top -n 1 old.cpu new.cpu | tail -n 3
tprof-flame -format=folded -diff_base=old.cpu -o$TMP/x.folded new.cpu && sort $TMP/x.folded | head -n 1
tprof-top -h | head -n 1
# Several old or new ones are added up where they are said as pprof has it.
tprof-diff -alloc_space -n 2 -base=old-1.heap new-1.heap new-2.heap
tprof-diff -alloc_space -n 2 -diff_base old-1.heap new-1.heap
# What pprof would fetch, and the program in front of its profile.
try tprof-top http://localhost:6060/debug/pprof/heap
try tprof-import -o $TMP/s.tprof localhost:6060/debug/pprof/heap
printf '\177ELF\2\1\1' >$TMP/prices
try tprof-top $TMP/prices new.cpu
