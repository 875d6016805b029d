#!/bin/sh
# make demo: a trace of a real program becomes a store, the store a ranking, and a flame graph.
#
#   BIN=FOLDER sh testdata/demo.sh
set -eu
cd "$(dirname "$0")/.."
store=build/demo/checkout.tprof
mkdir -p build/demo
rm -f "$store"
run() {
	printf '\n\033[1m$ %s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[01]*m//g'; fi
	"$BIN/$@"
}
echo
echo 'A bookshop whose till is a Go program recorded itself for half a second'
echo '(testdata/programs/checkout.go). Where did its goroutines spend their time?'
run tprof-import -o "$store" testdata/checkout.trace
run tprof-top --no-pager "$store"
echo
echo 'Customers wait for cashiers, and cashiers for the bank and for a lock. What does a single'
echo 'order wait for? Calls from top to bottom, widths are time:'
run tprof-flame --no-pager --view=wall --task=order --format=text "$store"
run tprof-flame --view=wall --task=order -o build/demo/order.svg "$store"
run tprof-flame -o build/demo/catalog.html testdata/catalog.cpu
cat <<END

Two thirds are the network behind Shop.pay, a third is one mutex in Inventory.Reserve. Next
(the commands are in ${BIN#"$PWD"/}; 'make install' puts them into your PATH):

  tprof-top $store block       what they waited for, where
  tprof-top $store overview    all reports on one page
  tprof-query $store           any question, in SQL; .tables lists what there is

A trace of your own: go test -trace YOUR.trace, or
curl -o YOUR.trace 'http://HOST/debug/pprof/trace?seconds=5'; then tprof-top YOUR.trace

The picture above, to zoom, search and hover over in a browser, and one of a CPU profile with a
table, callers and callees:

  file://$PWD/build/demo/order.svg
  file://$PWD/build/demo/catalog.html
END
