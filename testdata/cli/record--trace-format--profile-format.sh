# The other formats: go 1.5, with names beside it, and Go's texts.
cat >"$TMP/one.c" <<END
#include <stdlib.h>
#include <time.h>
static void *volatile kept;
__attribute__((noinline)) static void make(void) { kept = malloc(4096); }
int main(void)
{
	make();
	make();
	return nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
}
END
cc -O1 -g -o "$TMP/one" "$TMP/one.c"
cd "$TMP" || exit
tprof-record -q -o run --trace-format=1.5 --trace --heap=1 --block --profile-format=text -- ./one
ls run
head -c 12 run/trace.out
echo
tprof-import --strict -o s.tprof run/trace.out | sed 's/, .*//'
head -n 2 run/heap.txt | sed 's/ @.*//'
grep -c make run/heap.txt
tprof-top run/heap.txt | grep -E ' (make|main)$'
head -n 1 run/block.txt
for version in 1.5 1.8 1.18 1.26; do
	tprof-record -q -o run --heap=1 --profiler=$version -- ./one
	tprof-top --sample-index=alloc_objects run/heap.pb.gz | grep -E ' (make)$'
done
