s=$TMP/shop.tprof
tprof-import -o "$s" testdata/checkout.trace >/dev/null
tprof-top "$s" tasks --slowest=1%
tprof-top "$s" regions --slowest=5 --region=reserve -n 6
tprof-top "$s" outliers --task=order --slowest=10% -n 3 --format=csv
