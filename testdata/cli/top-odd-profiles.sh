# Profiles that break rules, or are several, and what is recovered: ids of .NET and Julia, a default
# type without values, profiles one after the other, texts that are appended or have words before.
cp testdata/odd/*.pb.gz testdata/inbox/inbox-3.d2 "$TMP"
cd "$TMP"
try() { echo "= $*"; "$@" 2>&1; echo "status $?"; }
for f in no-ids from-zero twice twice-timed last-zero; do
	try tprof-top $f.pb.gz
done
for f in no-ids from-zero twice twice-timed; do
	tprof-import --strict -o "s.tprof" $f.pb.gz 2>&1; echo "status $?"
done
tprof-import -o s.tprof twice.pb.gz no-ids.pb.gz >/dev/null 2>&1
tprof-query s.tprof 'SELECT text FROM notice'
try tprof-flame -o last.svg last-zero.pb.gz
tprof-report -o last.html last-zero.pb.gz && grep -o '<p class="note">[^<]*' last.html
cp last-zero.pb.gz new.pb.gz
tprof-report -o both.html --base=last-zero.pb.gz new.pb.gz && grep -o '<p class="note">[^<]*' both.html
try tprof-diff last-zero.pb.gz new.pb.gz
tprof-diff --format=csv last-zero.pb.gz new.pb.gz 2>&1 >/dev/null

cat >heap.txt <<'END'
heap profile: 2: 2048 [4: 4096] @ heap/1048576
1: 1024 [2: 2048] @ 0x401000 0x402000
#	0x400fff	main.knead+0x1f	/srv/p/p.go:10
#	0x401fff	main.main+0x2f	/srv/p/p.go:20

1: 1024 [2: 2048] @ 0x403000 0x402000
#	0x402fff	main.bake+0x1f	/srv/p/p.go:15
#	0x401fff	main.main+0x2f	/srv/p/p.go:20

# runtime.MemStats
# Alloc = 4096
END
cat heap.txt heap.txt >appended.txt
{ printf '=====\nheap of the bakery\n=====\n'; cat heap.txt; } >heading.txt
try tprof-top -inuse_space appended.txt
try tprof-top -inuse_space heading.txt
tprof-import -o t.tprof heading.txt >/dev/null 2>&1
tprof-query t.tprof 'SELECT text FROM notice'
# Nothing is left of what is damaged.
{ head -n 1 heap.txt; echo '1: 10'; } >damaged.txt
try tprof-top damaged.txt
tprof-import -o u.tprof damaged.txt 2>&1; echo "status $?"
# What a server answers.
echo 'Could not enable CPU profiling: cpu profiling already in use' >answer.pb.gz
try tprof-top answer.pb.gz
printf '<!DOCTYPE html>\n<html><head><title>\n502 Bad Gateway</title></head>' >page.pb.gz
try tprof-top page.pb.gz
# A label's value that no sample has.
try tprof-top --tag-focus=state=baking inbox-3.d2
try tprof-top --tag-focus=oven=2 inbox-3.d2
# Each warning is told.
cat no-ids.pb.gz no-ids.pb.gz >both.pb.gz
try tprof-top both.pb.gz
tprof-import -o both.tprof both.pb.gz 2>&1 >/dev/null
