# The formats: tables for programs, and flame graphs; a folded line for each stack of the path.
tprof-path --task=12 --format=csv testdata/pool.trace hops
tprof-path --task=12 --format=json testdata/pool.trace tree | head -n 4
tprof-path --task=12 --format=tsv testdata/pool.trace totals | head -n 3
tprof-path --task=12 --format=markdown testdata/pool.trace -n 2
tprof-path --task=12 --format=json testdata/pool.trace -n 1
tprof-path --task=12 --format=folded testdata/pool.trace
tprof-path --task=12 --format=text testdata/pool.trace
tprof-path --task=12 -o "$TMP/path.svg" testdata/pool.trace && head -c 60 "$TMP/path.svg"
echo
tprof-path --task=12 -o "$TMP/path.html" --title='Why?' testdata/pool.trace && grep -o '<title>[^<]*' "$TMP/path.html"
tprof-path --task=12 -o "$TMP/hops.json" --format=json testdata/pool.trace hops && wc -l <"$TMP/hops.json"
