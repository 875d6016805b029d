# Machine code beside its values. What objdump says is canned, so that it is the same everywhere.
mkdir "$TMP/bin"
cat >"$TMP/bin/objdump" <<'CANNED'
#!/bin/sh
case $1 in
-t)
	cat <<'SYMBOLS'

/app/catalog:     file format elf64-x86-64

SYMBOL TABLE:
0000000000401000 l    d  .text	0000000000000000              .text
00000000004eca00 l     F .text	0000000000000230              main.sortTitles
00000000004ecc40 l     F .text	0000000000000100 .hidden main.sortTitles.hidden
SYMBOLS
	;;
-d)
	printf '\n00000000004eca00 <main.sortTitles>:\n'
	printf '  4eca00:\tcmp    0x10(%%r14),%%rsp\n'
	printf '  4eca83:\tcmp    %%r8,%%rbx\n'
	printf '  4eca86:\tjle    4ecb46 <main.sortTitles+0x146>  # a long one, %s\n' "$5"
	printf '  4ecc00:\tret\n'
	;;
esac
CANNED
chmod +x "$TMP/bin/objdump"
# No more than the head of a program.
{
	printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\076\000\001\000\000\000'
	printf '\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000\000'
	printf '\000\000\000\000\100\000\070\000\000\000\100\000\000\000\000\000'
} >"$TMP/catalog"
old=$PATH
PATH=$TMP/bin:$PATH
tprof-top --disasm=sortTitles --binary="$TMP/catalog" testdata/catalog.cpu 2>&1
echo '-- an address'
tprof-top --disasm=0x4eca83 --binary="$TMP/catalog" testdata/catalog.cpu 2>&1
echo "status $?"
echo '-- in the syntax of Intel'
tprof-top --disasm=sortTitles --binary="$TMP/catalog" --intel-syntax testdata/catalog.cpu 2>&1 | grep long
echo '-- objdump fails'
printf '#!/bin/sh\necho "cannot read" >&2\nexit 1\n' >"$TMP/bin/objdump"
tprof-top --disasm=sortTitles --binary="$TMP/catalog" testdata/catalog.cpu 2>&1
echo "status $?"
echo '-- objdump is not there'
rm "$TMP/bin/objdump"
ln -s "$BIN/tprof-top" "$TMP/bin/tprof-top"
PATH=$TMP/bin
tprof-top --disasm=sortTitles --binary="$TMP/catalog" testdata/catalog.cpu 2>&1
echo "status $?"
PATH=$old
echo '-- the program is not here'
tprof-top --disasm=sortTitles testdata/catalog.cpu 2>&1
echo "status $?"
echo '-- nothing matches'
tprof-top --disasm=nobody testdata/catalog.cpu 2>&1
echo "status $?"
