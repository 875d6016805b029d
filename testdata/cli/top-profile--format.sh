# What other programs read has the numbers as they are, and all of the rows.
tprof-top --format=csv -n 3 testdata/catalog.heap
tprof-top --format=json -n 1 --granularity=lines testdata/catalog.cpu
tprof-top --format=tsv testdata/catalog.heap | wc -l
tprof-top --format=csv --nodefraction=0.3 testdata/catalog.heap | cut -d , -f 1-5,8
tprof-top --divide-by=2 --format=csv -n 1 testdata/catalog.heap | cut -d , -f 1,4
COLUMNS=40 tprof-top -n 3 testdata/catalog.heap
