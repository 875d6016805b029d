# What the samples are, with their labels.
tprof-top --traces --sample-index=alloc_space --unit=kB testdata/catalog.heap
tprof-top --traces --no-inlines --tag-focus=shelf=poetry testdata/catalog.cpu | head -n 40
echo '-- labels'
tprof-top --tags testdata/catalog.cpu
tprof-top --tags --tag-hide=shelf testdata/catalog.cpu
tprof-top --tags --sample-index=0 --unit=B testdata/catalog.heap | head -n 20
echo '-- everything'
tprof-top --raw testdata/catalog.heap
tprof-top --raw --tag-show=none --no-inlines testdata/catalog.cpu | sed -n '1,12p;/^Locations/,+6p'
echo '-- comments'
tprof-top --comments testdata/catalog.heap
echo "status $?"
