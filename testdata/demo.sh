#!/bin/sh
# make demo: a trace of a real program becomes a store, the store a ranking, and a flame graph; and a
# native program is recorded.
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
echo 'Customers wait for cashiers, and cashiers for the bank and for a lock. What do all who work'
echo 'for an order do meanwhile? Calls from top to bottom, widths are time:'
run tprof-flame --no-pager --view=wall --task=order --format=text "$store"
run tprof-flame --view=wall --task=order -o build/demo/order.svg "$store"
run tprof-flame -o build/demo/catalog.html testdata/catalog.cpu
echo
echo 'The customer waits for the cashier; two thirds of what the cashier does is to wait for the network'
echo 'behind Shop.pay, a third for one mutex in Inventory.Reserve.'
echo
echo 'And a program in C (testdata/programs/warehouse.c), recorded as it runs: four threads pack orders,'
echo 'one counts the stock, all of them need the shelf. Who keeps the others from it?'
${CC:-cc} -O2 -g -pthread -o build/demo/warehouse testdata/programs/warehouse.c
run tprof-record -o build/demo/warehouse.run -- build/demo/warehouse
run tprof-top --no-pager -n 3 build/demo/warehouse.run/mutex.pb.gz
web= # where libmicrohttpd is missing, there is none
[ ! -x "$BIN/tprof-web" ] || web="
  tprof-web $store             all of it in the browser, with a timeline; ? lists the keys"
cat <<END

Next (the commands are in ${BIN#"$PWD"/}; 'make install' puts them into your PATH):

  tprof-top $store block       what they waited for, where
  tprof-top $store overview    all reports on one page$web
  tprof-tui $store             all of it in the terminal, by keys; ? lists them
  tprof-query $store           any question, in SQL; .tables lists what there is
  tprof-top build/demo/warehouse.run/trace.out block

A trace of your own: go test -trace YOUR.trace, or
curl -o YOUR.trace 'http://HOST/debug/pprof/trace?seconds=5'; then tprof-top YOUR.trace.
Of a program in C, C++ or Rust: tprof-record -- PROGRAM

The picture above, to zoom, search and hover over in a browser, and one of a CPU profile with a
table, callers and callees:

  file://$PWD/build/demo/order.svg
  file://$PWD/build/demo/catalog.html
END
