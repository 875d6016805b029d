# Tables fit the terminal: what is left out is named, and nothing is wider.
for width in 80 60 40; do
	COLUMNS=$width tprof-top -n 3 testdata/checkout.trace
done
COLUMNS=40 tprof-top testdata/checkout.trace | awk '{ gsub("…", "."); if (length > 40) print "wider:", $0 }'
