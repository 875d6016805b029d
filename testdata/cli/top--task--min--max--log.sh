s=$TMP/shop.tprof
tprof-import -o "$s" testdata/checkout.trace >/dev/null
tprof-top "$s" tasks --min=27ms
tprof-top "$s" tasks --task=order --min=2ms --max=2.1ms -n 3
tprof-top "$s" tasks --log='^too busy' -n 2 --format=csv
tprof-top "$s" tasks --task=103
tprof-top "$s" regions --task=order
tprof-top "$s" regions --region='^pay$' --min=26ms
tprof-top "$s" region --sort=running -n 2 --format=json
tprof-top "$s" logs --from=50% --log=busy -n 3
tprof-top "$s" story --task=10 --format=csv
tprof-top "$s" logs --task=refund 2>&1; echo "status $?"
tprof-top "$s" tasks --task=refund 2>&1; echo "status $?"
