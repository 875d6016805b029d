# A range of time clips what it cuts; two halves make a whole.
s=$TMP/shop.tprof
tprof-import -o "$s" testdata/checkout.trace >/dev/null
tprof-top -n 3 --from=100ms --to=150ms "$s"
tprof-top -n 3 --from=25% --to=50% "$s" block
tprof-top --to=75% "$s" procs
# States of regions that it cuts are known as a whole only; another report has each by itself.
COLUMNS=150 tprof-top --from=100ms --to=200ms "$s" regions
tprof-top --from=100ms --to=200ms -n 3 --region=pay "$s" region
tprof-top --from=100ms --to=200ms --format=csv "$s" regions
sum() { tprof-top --format=tsv "$@" "$s" | awk -F'\t' 'NR > 1 { n += $3 } END { printf "%.0f", n }'; }
whole=$(sum) first=$(sum --to=200ms) second=$(sum --from=200ms)
[ "$whole" = $((first + second)) ] && echo "$whole ns are the two halves"
