# By leaf, by line, by label; stacks cut short.
cd testdata
tprof-flame --format=folded --reverse --max-depth=2 --focus='^main' catalog.cpu | sort -t ' ' -k 2nr | head -n 8
echo == lines
tprof-flame --format=folded --granularity=lines --show='^main\.' --focus=main.fill catalog.cpu | head -n 5
echo == labels
tprof-flame --format=folded --tag-root=shelf,thread --show='^main\.|^(shelf|thread)' catalog.cpu | cut -d ';' -f 1-2 | sort -u | head -n 5
echo == pprof spelling
tprof-flame --format=folded -inuse_objects -show=^main catalog.heap | tail -n 3
