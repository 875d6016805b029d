# Wrong arguments end with status 2; a program that is not there with 127, one that cannot be
# executed with 126, as in a shell; one that cannot be recorded with 3.
try() { tprof-record "$@" >"$TMP/out" 2>&1; status=$?; sed "s,$TMP/,,g" "$TMP/out"; echo "status $status"; }
try
try --heap
try --heap=much -- true
try --heap=0 -- true
try --block=soon -- true
try --mutex=-1 -- true
try --trace-format=1.4 -- true
try --profile-format=json -- true
try --profiler=1.9 -- true
try --profiler=1.5 --mutex -- true
try --stack-depth=2000 -- true
try --strict --force -- true
try --interval=0 -- true
try --snapshot=x
try --snapshot=1 --heap
try --snapshot=1 -- true
try --snapshot=999999999
# A running program cannot be asked for all of it.
for option in --heap --block --mutex --goroutine --threadcreate --all --interval=1s --follow-children \
	--profile-format=text --profiler=1.8 --force --snapshot=1; do
	try --pid=1 $option
done
try --pid=1 -- true
try --pid=0
try --pid=2147483646
try --nosuch -- true
try -- nosuch --heap
try -- "$TMP/nosuch"
try -- "$TMP"
echo 'not executable' >"$TMP/plain"
try -- "$TMP/plain"
printf '#!/nowhere/lua\n' >"$TMP/script"
chmod +x "$TMP/script"
try -- "$TMP/script"
# Where its files would be is a file; then the program does not run.
try -o "$TMP/plain" -- echo it ran
try -o "$TMP/plain/x" -- echo it ran
sleep 5 & sleeper=$!
try --pid=$sleeper -o "$TMP/plain/x"
kill $sleeper
TPROF_PRELOAD="$TMP/nosuch.so" try -- echo it ran
mkdir "$TMP/a folder"
cp "$BIN/../lib/tprof-preload.so" "$TMP/a folder"
TPROF_PRELOAD="$TMP/a folder/tprof-preload.so" try -- echo it ran
