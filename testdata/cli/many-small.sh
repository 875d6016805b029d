# Thousands of small profiles at once take memory for what is in them, not for each of them.
many=$(yes testdata/catalog.block | head -n 3000)
tprof-flame --format=folded $many | wc -l
tprof-diff --base $many -- $many | head -n 2 | cut -c 1-60
