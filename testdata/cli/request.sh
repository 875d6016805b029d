# A request is found by its trace_id: in two tasks, in one, in a region, on a goroutine, in labels.
export COLUMNS=100 LC_ALL=C.UTF-8
exec 2>&1
trace=testdata/desk/desk.trace
id() { echo "${1}0f6c2e9d4b8a7135f0e1d2c3b4a5$1"; }
for of in b2 a1 c3 d4; do
	tprof-top $trace block --request="$(id $of)"
	tprof-top $trace logs --request="$(id $of)"
	tprof-path $trace --request="$(id $of)" | sed -n 2p
done
tprof-top $trace tasks --request="$(id b2)"
tprof-top $trace regions --request="$(id c3)" --format=csv
tprof-top $trace goroutines --request="$(id d4)" --format=json
tprof-top $trace --view=offcpu --request="$(id a1)" --task=ask
tprof-top $trace --view=offcpu --request="$(id a1)"
tprof-flame $trace --view=offcpu --request="$(id b2)" --format=folded
tprof-export $trace --view=offcpu --request="$(id b2)" --format=pprof | tprof-top --traces -
tprof-diff $trace --request="$(id a1)" $trace --format=csv | grep '^task'
# The numbers are those of its task.
for report in groups goroutines breakdown block regions; do
	tprof-top $trace $report --format=csv --task=3 >"$TMP/task"
	tprof-top $trace $report --format=csv --request="$(id a1)" | diff "$TMP/task" - && echo "$report: equal"
done

# With a key, the category is the key, or the message has it.
tprof-top $trace logs --request="$(id d4)" --request-key=trace_id
tprof-top $trace logs --request-key=mail --request="$(id d4)" | wc -l
tprof-top $trace logs --request="$(id d4)" --request-key=span_id
# Only whole words: no log has this part of an id. But a number may be one.
tprof-top $trace --request=a10f6c2e
tprof-top testdata/errands.trace tasks --request=10
tprof-top testdata/relay.trace --request=10
tprof-top $trace --request-key=trace_id
tprof-top $trace --request=
tprof-top --over=run $trace testdata/errands.trace --request=10
tprof-export $trace --format=perfetto --request=1

# Labels: of a profile, of stacks, of OpenTelemetry's links; a number needs its key.
for dump in goroutine d2; do
	tprof-top testdata/desk/desk.$dump --request="$(id a1)" --tags
done
tprof-top testdata/desk/desk.d2 --request="$(id b2)" --goroutines
tprof-top testdata/desk/desk.d2 --request=1
tprof-top testdata/desk/desk.d2 --request=9 --request-key=creator
tprof-top testdata/desk/desk.d2 --request=1 --request-key=creator --goroutines | head -1
tprof-top testdata/desk/desk.d2 --goroutines --by=trace_id --format=csv
tprof-top testdata/desk/desk.d2 --goroutines --by=trace_id
tprof-top testdata/desk/desk.d2 --by=trace_id
tprof-top testdata/otlp/shop.otlp --request=0102030405060708
tprof-export --format=pprof --request="$(id a1)" testdata/desk/desk.goroutine | tprof-top --tags -
tprof-leaks testdata/desk/desk.d2 --by=trace_id
tprof-leaks testdata/desk/desk.goroutine --by=trace_id --format=csv
tprof-leaks testdata/desk/desk.goroutine testdata/desk/desk.d2 --request="$(id a1)"
tprof-leaks $trace --by=trace_id || echo "status $?"
