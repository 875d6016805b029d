# A time range that lies outside the run, or a goroutine that it has not, is told the same by all commands,
# with status 3; a range the wrong way round with status 2. Of several traces some may be over before.
cd testdata
try() {
	echo "$*" | sed "s,$TMP,TMP,g"
	"$@" 2>&1 >/dev/null
	echo "= $?"
}
tprof-import -o "$TMP/s" checkout.trace errands.trace >/dev/null

for range in --from=2027-11-21T10:00:00Z --to=2020-01-01T00:00:00Z --goroutine=nosuch --goroutine=99999 --from=99s '--from=200ms --to=100ms' '--from=50% --to=1ms' '--from=80% --to=20%' --to=0s; do
	echo "-- $range"
	try tprof-top $range checkout.trace
	try tprof-top --view=cpu $range checkout.trace
	try tprof-top --over=run --view=cpu $range checkout.trace errands.trace
	try tprof-flame $range checkout.trace
	try tprof-path $range checkout.trace
	try tprof-diff $range checkout.trace errands.trace
	try tprof-diff --view=cpu $range checkout.trace errands.trace
	for form in 'pprof --view=cpu' 'folded --pprof=net' trace perfetto; do
		try tprof-export --format=$form $range -o "$TMP/out" checkout.trace
	done
done
ls "$TMP"

echo '-- one of several'
at=$(tprof-query --format=csv "$TMP/s" 'SELECT max(duration_ns) - 1000 FROM run' | tail -n 1 | tr -d '\r')ns
tprof-top -n 1 --run=all --from="$at" "$TMP/s" 2>&1 >/dev/null
tprof-top -n 1 --run=all --view=wall --from="$at" "$TMP/s" 2>&1 >/dev/null

echo '-- what one side has is what changed'
tprof-diff --goroutine=stamp checkout.trace inbox/inbox.trace 2>&1 >/dev/null
echo "= $?"
echo '-- other filters that leave nothing'
try tprof-top --reason=nosuch checkout.trace
try tprof-top --view=offcpu --reason=nosuch checkout.trace
try tprof-export --format=pprof --view=offcpu --reason=nosuch -o "$TMP/out" checkout.trace
try tprof-path --task=nosuch checkout.trace
try tprof-path --region=nosuch checkout.trace
try tprof-top --task=nosuch checkout.trace tasks
