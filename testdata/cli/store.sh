# tprof-store: what a store holds, and keeping it in order.
s=$TMP/s.tprof
tprof-import -o "$s" --label rev=a testdata/checkout.trace testdata/catalog.heap testdata/checkout-cut.trace >/dev/null 2>&1
try() { echo "\$ tprof-store $*" | sed "s,$TMP/,,g"; tprof-store "$@" 2>&1 | sed "s,$TMP/,,g"; }
list() { tprof-store list "$s" --format=csv | cut -d, -f1-4,7,9,10 ; }
list
COLUMNS=80 tprof-store list "$s" | sed 's/  *[0-9.]*KiB /  SIZE /'
tprof-store show "$s" 1 --format=csv | grep -v imported | head -n 14
try rename "$s" 2 heap-before
try label "$s" heap-before rev=b os=linux
try label "$s" 2 os= nosuch=
list
try verify "$s"
try delete -n "$s" rev=a
try delete "$s" rev=b
try prune "$s" --keep-last=1 --older-than=1d
try prune "$s" --keep-last=1
list
tprof-store compact "$s" >/dev/null
try verify "$s"
try upgrade "$s"
tprof-top "$s" 2>/dev/null | head -n 4
try delete "$s" all
list
export XDG_CACHE_HOME=$TMP/cache
tprof-top testdata/checkout.trace >/dev/null 2>&1
tprof-store cache | sed "s,$TMP/,,g; s/, [^ ]* of/, SIZE of/"
tprof-store cache --empty | sed "s,$TMP/,,g; s/, [^ ]*$/, SIZE/"
tprof-store cache | sed "s,$TMP/,,g"
