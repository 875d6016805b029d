# Source beside its values, where the source is.
tprof-top --list='partition|main\.less' --source-path=testdata/programs testdata/catalog.cpu
echo '-- a path of another machine: what is before the folder of that name is cut off'
tprof-top --list='main\.work$' --source-path=testdata/programs --unit=ms testdata/catalog.heap
echo '-- source that is not here'
tprof-top --list='^sync\.\(\*Mutex\)' --source-path=/nowhere testdata/catalog.block 2>&1
tprof-top --list='^sync\.\(\*Mutex\)' --trim-path=sync --source-path=/nowhere testdata/catalog.block 2>&1
echo '-- no regular file'
mkdir "$TMP/catalog.go"
tprof-top --list=main.fill --source-path="$TMP" testdata/catalog.cpu 2>&1
rmdir "$TMP/catalog.go" && mkfifo "$TMP/catalog.go"
tprof-top --list=main.fill --source-path="$TMP" testdata/catalog.cpu 2>&1
echo '-- nothing matches'
tprof-top --list=nobody testdata/catalog.cpu 2>&1
echo "status $?"
