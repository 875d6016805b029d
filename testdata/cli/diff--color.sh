# Colours: growth is red, shrinkage green; what is within the noise has none, and nothing is said by colours alone.
plain() { sed 's/\x1b\[[0-9]*m//g'; }
look() { grep -E "$(printf '\033')\[3[12]m" | sed 's/\x1b\[\(3[129]\)m/<\1>/g'; }
for pair in 'testdata/ledger/ledger-1.heap testdata/ledger/ledger-8.heap' \
	'testdata/ledger/ledger-8.heap testdata/ledger/ledger-1.heap' \
	'testdata/prices/old-2.heap testdata/prices/new-2.heap' \
	'testdata/parcels/old-1.trace testdata/parcels/new-1.trace'; do
	tprof-diff -n 6 --color=always $pair >"$TMP/colours"
	look <"$TMP/colours"
	grep ' ~.*~' "$TMP/colours" | head -2
	tprof-diff -n 6 --color=never $pair >"$TMP/never"
	plain <"$TMP/colours" | cmp - "$TMP/never"
	tprof-diff -n 6 $pair | cmp - "$TMP/never"
	tprof-diff -n 6 --color=always --format=markdown $pair | grep -c "$(printf '\033')"
done
exit 0
