s=$TMP/shop.tprof
tprof-import -o "$s" testdata/checkout.trace >/dev/null
tprof-top "$s" tasks --slowest=1%
tprof-top "$s" regions --slowest=5 --region=reserve -n 6
tprof-top "$s" outliers --task=order --slowest=10% -n 3 --format=csv
# Tasks whose story is known: what makes them slow is the queue, and they say so.
tprof-import -o "$TMP/errands.tprof" testdata/errands.trace >/dev/null
tprof-top "$TMP/errands.tprof" tasks --slowest=10% --task=errand
tprof-top "$TMP/errands.tprof" tasks --task=39
tprof-top "$TMP/errands.tprof" tasks --log='errand 20 '
