# A program that is known to the byte: three blocks of 1000 bytes, one of them kept.
cat >"$TMP/blocks.c" <<END
#include <stdlib.h>
#include <unistd.h>
static void *kept;
__attribute__((noinline)) static void *make(void)
{
	void *volatile p = malloc(1000);
	return p;
}
int main(void)
{
	free(make());
	free(make());
	kept = make();
	return write(1, "done\n", 5) == 5 ? 3 : 1;
}
END
cc -O1 -g -o "$TMP/blocks" "$TMP/blocks.c"
cd "$TMP" || exit
# Of times, and of numbers that are the system's, only that they are there; it uses hardly any CPU time, and
# has a sample by chance.
plain() { sed -E 's/(cpu.pb.gz +[^ ]+) .*/\1/; s,run/cpu,run/heap,; s/^CPU time: .*/CPU time: TIME/; s/blocks: [0-9.]+[a-z]+,/blocks: TIME,/; s/ +[0-9.]+[KM]?i?B(  |$)/ SIZE\1/; s/[0-9]+ events?/N events/; s/^.*have no names.*$//; /^$/d' "$1"; }
tprof-record -o run --all --heap=1 -- ./blocks arg 2>err
echo "status $?"
plain err
ls run
tprof-top --sample-index=inuse_space run/heap.pb.gz | grep -E ' main$| make$'
tprof-top --sample-index=alloc_objects run/heap.pb.gz | grep -E ' main$| make$'
tprof-import --strict -o s.tprof run/trace.out | sed 's/,.*//'
# Into the same folder: files of the earlier recording go, others stay.
echo mine >run/notes
tprof-record -q -o run --trace -- ./blocks
ls run
# A folder of its own, where none is named; one line with a space in it is one word of a shell.
mkdir 'a b'
cd 'a b' || exit
tprof-record -- ../blocks 2>../err
ls | sed 's/[0-9]*$/PID/'
tprof-record -o 'c d' --trace -- ../blocks 2>&1 | tail -n 1
