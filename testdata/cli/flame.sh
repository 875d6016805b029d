# Standard output is SVG unless it is a terminal; the file's ending picks the format.
tprof-flame testdata/catalog.cpu >"$TMP/piped"
tprof-flame -o "$TMP/named.svg" testdata/catalog.cpu
cmp "$TMP/piped" "$TMP/named.svg" && echo the same
head -c 140 "$TMP/named.svg"
echo
echo "below 3 MB: $(($(wc -c <"$TMP/named.svg") < 3000000))"
tprof-flame -o "$TMP/page.html" testdata/catalog.cpu
head -n 2 "$TMP/page.html" | cut -c 1-80
tprof-flame -o "$TMP/stacks.folded" testdata/catalog.cpu
wc -l <"$TMP/stacks.folded"
ls "$TMP"
