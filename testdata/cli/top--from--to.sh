# A range of time clips what it cuts; two halves make a whole.
s=$TMP/shop.tprof
tprof-import -o "$s" testdata/checkout.trace >/dev/null
tprof-top -n 3 --from=100ms --to=150ms "$s"
tprof-top -n 3 --from=25% --to=50% "$s" block
tprof-top --to=75% "$s" procs
sum() { tprof-top --format=tsv "$@" "$s" | awk -F'\t' 'NR > 1 { n += $3 } END { printf "%.0f", n }'; }
whole=$(sum) first=$(sum --to=200ms) second=$(sum --from=200ms)
[ "$whole" = $((first + second)) ] && echo "$whole ns are the two halves"
