# The picture in the README is what the command draws today. When it is not: run the line below with
# -o testdata/orders.svg, and look at it.
tprof-flame --task=order --title="What a bookshop's orders wait for" -o "$TMP/orders.svg" testdata/checkout.trace
cmp "$TMP/orders.svg" testdata/orders.svg && echo the same
