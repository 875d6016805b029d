# A file of another program is named, with what makes a readable file of it, through every door.
export COLUMNS=80 LC_ALL=C.UTF-8
cd "$TMP"
try() { "$@" 2>&1; echo "status $?"; }
mkdir d
printf 'PERFILE2h\0\0\0' >d/perf.data
printf 'v 10400 3\nX ./a\nI 1000 5e2919\n' | gzip -n >d/heaptrack.a.7.gz
printf 'v 10400 3\nX ./a\nI 1000 5e2919\n' | zstd -q >d/heaptrack.a.7.zst
printf 'HTTP/1.1 302 Found\r\nLocation: /login\r\n\r\n' >d/cpu.pb.gz
printf '<html><head><title>Sign in\033[31m</title></head></html>\n' >d/heap.pb.gz
printf '{"error":"profile \\u0027cpu\\u0027 is in use"}\n' >d/profile.json
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0' >d/core
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0' >d/program
printf 'no such profile\n' >d/text
printf 'main;f;g 12\n' >d/good.folded
for f in d/perf.data d/heaptrack.a.7.gz d/heaptrack.a.7.zst d/core d/program d/text; do
	try tprof-import -o s.tprof "$f"
	try tprof-top "$f"
done
try tprof-top - <d/cpu.pb.gz
try tprof-flame -o f.svg - <d/heap.pb.gz
try tprof-diff d/good.folded d/profile.json
try tprof-report -o r.html d/perf.data
echo '# in a folder'
try tprof-import -o s.tprof d | sed 's/; [0-9.]*s;.*/; …/'
ls
