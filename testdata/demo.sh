#!/bin/sh
# make demo: a trace of a real program becomes a store, and the store a ranking.
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
cat <<END

Try next (the commands are in ${BIN#"$PWD"/}; 'make install' puts them into your PATH):
  tprof-top --help                                 blocking, latency, CPU, GC, tasks, …
  tprof-top YOUR.trace                             a trace of your own program: go test -trace, or
                                                   curl -o YOUR.trace HOST/debug/pprof/trace?seconds=5
  tprof-query $store               ask it anything in SQL; .tables lists what there is
END
