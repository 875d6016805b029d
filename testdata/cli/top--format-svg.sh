# Graphviz draws; here something else stands in for it.
mkdir "$TMP/bin"
printf '#!/bin/sh\necho "$*"\nhead -n 2\n' >"$TMP/bin/dot"
chmod +x "$TMP/bin/dot"
old=$PATH
PATH=$TMP/bin:$PATH
tprof-top --format=svg testdata/catalog.cpu
printf '#!/bin/sh\necho "cannot draw" >&2\nexit 7\n' >"$TMP/bin/dot"
echo '-- it fails'
tprof-top --format=svg testdata/catalog.cpu 2>&1
echo "status $?"
echo '-- it is not there'
rm "$TMP/bin/dot"
ln -s "$BIN/tprof-top" "$TMP/bin/tprof-top"
PATH=$TMP/bin
tprof-top --format=svg testdata/catalog.cpu 2>&1
echo "status $?"
PATH=$old
