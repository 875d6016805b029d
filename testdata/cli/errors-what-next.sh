# What a newcomer does wrong is answered with what to do.
BIN=${BIN:?}
cp testdata/checkout.trace "$TMP/go.trace"
cp testdata/catalog.heap "$TMP/heap.pb"
cd "$TMP"
tprof-import -o s.tprof go.trace >/dev/null
say() { "$@" 2>&1 >/dev/null | sed '/^Try /d'; }

# A name that is nearly right, in a folder, too; a folder that is not there.
say tprof-top go.trce
say tprof-top ./go.tracee
say tprof-import -o all.tprof haep.pb
say tprof-top --binary=haep.pb heap.pb
say tprof-leaks --allow=hep.pb go.trace
say tprof-diff heap.pb old/heap.pb
say tprof-store verify s.tporf
say tprof-query s.tprof -f go.trcae
say tprof-top go.trace/x

# An empty name, as of a variable that is not set.
for how in tprof-top tprof-query tprof-leaks tprof-flame tprof-path tprof-report 'tprof-export --format=events' \
	'tprof-export --format=pprof' 'tprof-store show' 'tprof-diff go.trace' tprof-import 'tprof-merge -o m.tprof' \
	'tprof-flame heap.pb -o' 'tprof-import heap.pb -o' 'tprof-export --format=csv go.trace -o'; do
	say $how ''
done

# A folder, what is no file, what picks nothing.
mkdir folder
say tprof-top folder
say tprof-merge -o m.tprof folder
say tprof-merge -o /dev/full s.tprof
say tprof-top --run=host=a heap.pb
say tprof-diff --base-label=rev=a --label=rev=b heap.pb
say tprof-diff --run=all --average-by=host s.tprof s.tprof --view=cpu

# Stores that hold nothing, are none, or a half.
cp s.tprof none.tprof
tprof-store delete none.tprof 1 >/dev/null 2>&1
say tprof-top none.tprof
head -c 20000 s.tprof >half.tprof
say tprof-top half.tprof
say tprof-import -o half.tprof go.trace
say tprof-import -o heap.pb go.trace
say tprof-store compact heap.pb

# Numbers without their unit, units that there are not, options that are spelled nearly right.
say tprof-store prune s.tprof --older-than=30
say tprof-store prune s.tprof --older-than=0 -n
for age in x '' -1d 1.5x; do say tprof-store prune s.tprof --older-than=$age; done
say tprof-record --for=5 -- true
say tprof-record --interval=1.5 -- true
for time in 'top go.trace tasks --min=30' 'top go.trace tasks --max=0.5' 'top go.trace --from=0.1' \
	'top go.trace --to=100' 'top go.trace mmu --window=1ms,10' 'export --format=perfetto -o x go.trace --from=100' \
	'flame go.trace --from=1m30' 'path go.trace --min=30' 'leaks go.trace --min-wait=1' 'diff --from=1 go.trace go.trace'; do
	say tprof-$time
done
say tprof-top --unit=furlong heap.pb
say tprof-top -alloc_spce heap.pb
for option in --bogus --fokus=x --ignroe=x; do say tprof-top $option heap.pb; done

# Options by the name that was typed; letters that are none.
say tprof-top --rows go.trace
say tprof-top -n x go.trace
say tprof-path --rows=x go.trace
say tprof-import -q go.trace
say tprof-leaks -an 3 go.trace

# Advice is what the command can do.
cp "$BIN/tprof-query" elf.bin
: >empty
echo a text >text
for command in top flame path leaks tui report 'merge -o m.tprof'; do say tprof-$command elf.bin </dev/null; done
say tprof-query elf.bin 'SELECT 1'
for file in empty text heap.pb go.trace; do say tprof-merge -o m.tprof $file; done
say tprof-import -o all.tprof s.tprof
say tprof-diff - - </dev/null

# What is for traces, given to a profile; which report has what was asked.
for option in --task=x --region=x --min=1ms --log=x --slowest=3 --from=1s; do say tprof-top heap.pb $option; done
say tprof-top go.trace --sort=totl
say tprof-top go.trace gc --slowest=3

# SQL.
say tprof-query 'SELECT 1' s.tprof
say tprof-query s.tprof 'select name from goroutine, stack, goroutine g'
say tprof-query s.tprof 'select percentile(id) from goroutine'
say tprof-query s.tprof 'select'
