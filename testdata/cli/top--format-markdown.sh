# Markdown has what a table shows, and no charts.
tprof-top --format=markdown -n 3 testdata/checkout.trace block
tprof-top --format=markdown -n 3 testdata/checkout.trace mmu
tprof-top --format=csv --tags testdata/catalog.heap | head -4
