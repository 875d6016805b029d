# Machine code beside its values. What objdump says is canned, so that it is the same everywhere.
mkdir "$TMP/bin"
cat >"$TMP/bin/objdump" <<'CANNED'
#!/bin/sh
printf '\n00000000004eca00 <main.sortTitles>:\n'
printf '  4eca00:\tcmp    0x10(%%r14),%%rsp\n'
printf '  4eca83:\tcmp    %%r8,%%rbx\n'
printf '  4eca86:\tjle    4ecb46 <main.sortTitles+0x146>  # a long one, %s\n' "$5"
printf '  4ecc00:\tret\n'
CANNED
chmod +x "$TMP/bin/objdump"
# No more of a program than its symbols. Numbers of eight bytes, the lowest byte first.
words() {
	for word; do
		for byte in 0 8 16 24 32 40 48 56; do
			printf "\\$(printf %o $((word >> byte & 255)))"
		done
	done
}
{
	printf '\177ELF\002\001\001\0\0\0\0\0\0\0\0\0\002\0\076\0\001\0\0\0'
	words 0 0 240
	printf '\0\0\0\0\100\0\070\0\0\0\100\0\003\0\0\0'
	# At 64: no symbol, main.sortTitles, main.sortTitles.hidden. At 136: a text that ends them.
	words 0 0 0 $((1 << 48 | 2 << 32 | 1)) 0x4eca00 0x230 $((1 << 48 | 2 << 32 | 17)) 0x4ecc40 0x100
	printf '\0main.sortTitles\0main.sortTitles.hidden\0'
	dd if=/dev/zero bs=1 count=64 2>/dev/null
} | dd of="$TMP/catalog" bs=1 count=240 2>/dev/null
{
	words 0 0 0 0 0 0 0 0
	words $((2 << 32)) 0 0 64 72 $((1 << 32 | 2)) 8 24
	words $((3 << 32)) 0 0 136 40 0 1 0
} >>"$TMP/catalog"
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
