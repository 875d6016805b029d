# The formats that are text, whole: heap, in use, of functions of our own.
set -- --focus=main --show-from=main.work --sample-index=inuse_space testdata/catalog.heap
for format in text folded speedscope; do
	echo "== $format"
	tprof-flame --format=$format "$@"
done
echo == color
tprof-flame --format=text --color=always --min-width=10% "$@" | sed 's/\x1b/ESC/g'
echo == flame, narrow
COLUMNS=40 tprof-flame --format=text --flame "$@"
echo '-- frames'
tprof-flame --format=frames testdata/catalog.cpu >"$TMP/frames"
head -n 5 "$TMP/frames"
# The same as inside the page.
sed -n '/^"names"/,/^"frames"/p' "$TMP/frames" | cksum
tprof-flame --format=html testdata/catalog.cpu | sed -n '/^"names"/,/^"frames"/p' | cksum
