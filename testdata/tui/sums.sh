# For numbers-timeline.tui: the cells of a timeline, saved as CSV, add up to what tprof-top prints of the same
# goroutines in the same time range, to the nanosecond.
#
#   sh sums.sh CSV TRACE [OPTIONS of tprof-top]
set -eu
csv=$1 trace=$2
shift 2
range=$(awk -F, 'NR == 2 { from = $4 } NR > 1 { if ($4 < from) from = $4; if ($5 > to) to = $5 }
	END { printf "--from=%.0fns --to=%.0fns", from, to }' "$csv")
{
	# shellcheck disable=SC2086
	tprof-top --format=tsv $range "$@" "$trace" goroutines
	echo groups
	# shellcheck disable=SC2086
	tprof-top --format=tsv $range "$@" "$trace" groups
	echo cells
	tr ',' '\t' <"$csv"
} | awk -F'\t' '
	$0 == "groups" || $0 == "cells" { part = $0; heading = 1; next }
	NR == 1 || heading { for (i = 1; i <= NF; i++) at[$i] = i; heading = 0; next }
	part != "cells" {
		key = part == "groups" ? "groups " $(at["function"]) : "goroutines " $(at["goroutine"])
		want[key] = sprintf("%.0f %.0f %.0f %.0f %.0f", $(at["running_ns"]), $(at["runnable_ns"]),
			$(at["syscall_ns"]) + $(at["syscall_blocked_ns"]), $(at["blocked_ns"]), $(at["lost_ns"]))
		next
	}
	{
		key = $(at["row"]) == "groups" ? "groups " $(at["name"]) : "goroutines " $(at["id"])
		n = split("running runnable syscall blocked lost", states, " ")
		for (i = 1; i <= n; i++) sum[key, i] += $(at[states[i] "_ns"])
		rows[key] = 1
	}
	END {
		for (key in rows) {
			got = sprintf("%.0f %.0f %.0f %.0f %.0f", sum[key, 1], sum[key, 2], sum[key, 3],
				sum[key, 4], sum[key, 5])
			# Who was not there then is in no report.
			if (got != (key in want ? want[key] : "0 0 0 0 0")) {
				print key ": cells add up to " got ", tprof-top prints " want[key]
				wrong = 1
			}
			compared++
		}
		if (compared < 2) { print "nothing was compared"; wrong = 1 }
		exit wrong
	}'
