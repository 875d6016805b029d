# Source beside its values, where the source is.
export GOROOT=/nowhere GOPATH=/nowhere GOMODCACHE=/nowhere
tprof-top --list='partition|main\.less' --source-path=testdata/programs testdata/catalog.cpu
echo '-- a path of another machine: what is before the folder of that name is cut off'
tprof-top --list='main\.work$' --source-path=testdata/programs --unit=ms testdata/catalog.heap
echo '-- source that is not here'
tprof-top --list='^sync\.\(\*Mutex\)' --source-path=/nowhere testdata/catalog.block 2>&1
tprof-top --list='^sync\.\(\*Mutex\)' --trim-path=sync --source-path=/nowhere testdata/catalog.block 2>&1
echo '-- as rows: the first one of a function in a file has no line; it says why there is no source'
tprof-top --list='main\.(less|swap)' --source-path=testdata/programs --format=csv testdata/catalog.cpu
tprof-top --list='^sync\.\(\*Mutex\)' --source-path=/nowhere --format=json testdata/catalog.block
echo '-- no regular file'
mkdir "$TMP/catalog.go"
tprof-top --list=main.fill --source-path="$TMP" testdata/catalog.cpu 2>&1
rmdir "$TMP/catalog.go" && mkfifo "$TMP/catalog.go"
tprof-top --list=main.fill --source-path="$TMP" testdata/catalog.cpu 2>&1
echo '-- nothing matches'
tprof-top --list=nobody testdata/catalog.cpu 2>&1
echo "status $?"
echo '-- where Go keeps sources, behind -trimpath: its own tree, and the module whose go.mod is there'
mkdir -p "$TMP/root/src/sync" "$TMP/app/cmd"
seq 1 300 | sed 's/^/mutex /' >"$TMP/root/src/sync/mutex.go"
GOROOT="$TMP/root" tprof-top --list='^sync\.\(\*Mutex\)' --source-path=/nowhere testdata/catalog.block | head -8
cp testdata/programs/fill.go "$TMP/app/fill.go"
echo 'module fill' >"$TMP/app/go.mod"
tprof-top --list='main\.\(\*B\)' --sample-index=alloc_space --source-path="$TMP/app/cmd" testdata/generic/fill.heap
