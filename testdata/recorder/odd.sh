# Programs and places that a recorder cannot do its work with, part of check.sh and real.sh: it says
# so, and the program is never worse off for it.

# refused NAME TEXT PROGRAM…: not recorded, with a message that holds TEXT; only with --force it runs.
refused() {
	name=$1 text=$2 runs=$3
	shift 3
	rm -rf dumps
	run refused record -o dumps --all -- "$@"
	if [ "$status" -eq 0 ]; then
		bad "$name" 'status 0' refused.err
	elif [ -s refused.out ]; then
		bad "$name" 'it was run' refused.out
	elif ! grep -qi "$text" refused.err; then
		bad "$name" "does not say '$text'" refused.err
	else
		ok "$name" "$(grep -i "$text" refused.err | head -n 1)"
	fi
	[ "$runs" = runs ] || return 0
	run bare "$@"
	bare=$status
	run forced record -o dumps --all --force -- "$@"
	if [ "$status" -ne "$bare" ] || ! cmp -s bare.out forced.out; then
		bad "$name, --force" "status $status, not $bare" forced.err
	else
		ok "$name, --force" "status $status"
	fi
}

cat >small.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) { free(malloc(10)); puts("it ran"); return 4; }
END
if ${CC:-cc} -static -o static small.c 2>static.err; then
	refused 'a static program' static runs ./static
else
	skip 'a static program' 'there is no static libc'
fi
${CC:-cc} -o plain small.c
if [ "$(id -u)" -eq 0 ] && cp plain setuid && chown 65534 setuid && chmod 4755 setuid && chmod 755 . &&
	! findmnt -no OPTIONS -T . 2>/dev/null | grep -q nosuid; then
	refused 'a setuid program' 'is setuid' runs ./setuid
else
	skip 'a setuid program' 'only root can make one that is not its own'
fi
# The header of a shared executable for AArch64 (e_machine 183), and nothing more.
{
	printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000'
	printf '\003\000\267\000\001\000\000\000'
	head -c 40 /dev/zero
} >foreign
chmod 755 foreign
refused 'a program for another machine' 'architecture\|machine\|aarch64' never ./foreign
refused 'a program that is not there' 'no such program' never ./is-not-there

# The limit on file sizes holds for shared memory as well: beyond it, SIGXFSZ ends the program.
cat >limited <<END
#!/bin/sh
ulimit -f 200
exec "\$@"
END
chmod 755 limited
run bare ./limited "$programs/busy" 50
run recorded timeout 60 ./limited "$bin/tprof-record" -o dumps.limited --all -- "$programs/busy" 50
if [ "$status" -eq 0 ] && cmp -s bare.out recorded.out; then
	ok 'files may not grow'
else
	bad 'files may not grow' "status $status" recorded.err
fi
# The same for the program alone.
same 'files of the program may not grow' 0 --all ./limited "$programs/busy" 50
# No memory to map the arena in.
cat >narrow <<END
#!/bin/sh
ulimit -v \$1
shift
exec "\$@"
END
chmod 755 narrow
same 'an address space too small' 0 --all ./narrow 70000 "$programs/die" return 5

# A disk that is full: the recorder says so, the program does not notice.
mkdir -p disk
if mount -t tmpfs -o size=64k tmpfs disk 2>mount.err; then
	run bare "$programs/busy" 300
	run recorded record -o disk/dumps --all --heap=1 -- "$programs/busy" 300
	if [ "$status" -ne 0 ] || ! cmp -s bare.out recorded.out; then
		bad 'a full disk' "status $status" recorded.err
	elif ! grep -qi 'no space' recorded.err; then
		bad 'a full disk' 'is not spoken of' recorded.err
	elif ! judge disk 0; then
		bad 'a full disk' "$why"
	else
		ok 'a full disk' "$(grep -i 'no space' recorded.err | head -n 1)"
	fi
	umount disk
else
	skip 'a full disk' "$(head -n 1 mount.err)"
fi
run recorded record -o /proc/no/such --all -- "$programs/busy" 10
if [ "$status" -ne 0 ] && [ ! -s recorded.out ]; then
	ok 'a folder that cannot be made' "$(head -n 1 recorded.err)"
else
	bad 'a folder that cannot be made' "status $status" recorded.err
fi

# What is closed for the program is closed for the recorder, too, whose files must not get its number.
without_streams() { "$@" <&- >&-; }
rm -rf dumps
run recorded without_streams record -o dumps --all -- "$programs/busy" 10
if [ "$status" -ne 0 ]; then
	bad 'streams that are closed' "status $status" recorded.err
elif ! judge dumps 3; then
	bad 'streams that are closed' "$why" recorded.err
else
	ok 'streams that are closed' "$n dumps"
fi
