# Execution traces, compared by what they measure.
cd testdata/parcels
tprof-diff -n 3 old-1.trace new-1.trace
tprof-diff -n 3 --base old-?.trace -- new-?.trace
tprof-diff --by=tasks --per=task --all-stats old-1.trace new-1.trace
tprof-diff --by=reasons --per=run -n 3 old-1.trace new-1.trace
tprof-diff --by=regions --from=25% --to=75% -n 3 old-1.trace new-1.trace
tprof-diff --format=csv --by=tasks old-1.trace new-1.trace
tprof-diff --format=markdown --changed --by=tasks,regions old-1.trace new-1.trace
cd ..
tprof-diff -n 2 checkout-1.19.trace checkout.trace

# A store of both builds.
tprof-import -o "$TMP/s.tprof" --label rev=a parcels/old-?.trace >/dev/null 2>&1
tprof-import -o "$TMP/s.tprof" --label rev=b parcels/new-?.trace >/dev/null 2>&1
tprof-diff --by=tasks -n 2 --base-label=rev=a --label=rev=b "$TMP/s.tprof"

# What is no profile is not called one.
: >"$TMP/empty"
tprof-diff checkout.trace "$TMP/empty" 2>&1
echo "status $?"
