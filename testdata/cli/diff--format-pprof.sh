# A difference as profile.proto: what tprof-export and pprof's -diff_base make of it.
cd testdata/prices
tprof-diff --format=pprof old-1.heap new-1.heap >"$TMP/d"
tprof-export --format=pprof --diff-base=old-1.heap new-1.heap | cmp - "$TMP/d" && echo the same
tprof-top -n 3 "$TMP/d"
tprof-diff --format=pprof -focus=main --normalize old-1.heap old-2.heap -- new-1.heap new-2.heap >"$TMP/d"
tprof-export --format=pprof -focus=main --normalize --diff-base=old-1.heap --diff-base=old-2.heap new-1.heap new-2.heap |
	cmp - "$TMP/d" && wc -c <"$TMP/d"
cd ..
tprof-diff --format=pprof --pprof=sync checkout-1.19.trace checkout.trace | tprof-top -n 2 -
try() { tprof-diff --format=pprof "$@" 2>&1; echo "status $?"; }
try checkout-1.19.trace checkout.trace
try --gate='total>+1%' catalog.cpu catalog.cpu
try catalog.cpu catalog.heap
