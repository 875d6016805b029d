# Without a manual page (no man here) help is --help.
mkdir "$TMP/bin"
ln -s "$BIN/tprof-import" "$TMP/bin/tprof-import"
cp "$BIN/tprof" "$TMP/bin/tprof"
PATH=$TMP/bin "$TMP/bin/tprof" help import
