/* clocks: what time of day it was in runs, how well that is known, and from where. */
#include <string.h>

#include "clock/clock.h"
#include "clock/when.h"
#include "tprof-store/store.h"

static const struct rep_column columns[] = {
    {.name = "run", .doc = "id of the run", .title = "RUN", .kind = REP_ID},
    {.name = "name",
     .doc = "of the run",
     .title = "NAME",
     .kind = REP_TEXT,
     .shorten = REP_SHORTEN_LEFT},
    {.name = "source", .doc = "what its clock was set by", .title = "FROM", .kind = REP_TEXT},
    {.name = "begin",
     .doc = "when it began, in UTC",
     .title = "BEGAN (UTC)",
     .kind = REP_TEXT,
     .right = true},
    {.name = "begin_ns", .doc = "the same in Unix time", .kind = REP_ID, .raw_only = true},
    {.name = "duration_ns",
     .doc = "how long it lasts",
     .title = "LASTS",
     .kind = REP_NS,
     .drop = 1},
    {.name = "error_ns",
     .doc = "the clock may be off by so much",
     .title = "ERROR",
     .kind = REP_NS},
    {.name = "snapshots",
     .doc = "readings of the clock in the trace",
     .title = "READ",
     .kind = REP_COUNT,
     .drop = 2},
    {.name = "drift_ns_per_s",
     .doc = "how fast the trace's clock runs away from the time of day",
     .title = "DRIFT NS/S",
     .kind = REP_FLOAT,
     .drop = 3},
    {.name = "step_ns",
     .doc = "the largest jump of the time of day",
     .title = "STEP",
     .kind = REP_NS,
     .drop = 4},
};
#define NCOLUMNS (sizeof(columns) / sizeof(columns[0]))

static int put_run(struct store_args *args, struct rep_output *out, const struct rep_run *run,
		   struct tp_err *err)
{
	struct rep_value row[NCOLUMNS];
	struct rep_clock clock;
	char text[REP_WHEN_SIZE] = "";
	int64_t wall = 0;
	int code = rep_clock_load(args->cmd.store, run, &clock, err);
	bool known = !code && rep_clock_wall(&clock, 0, &wall);
	size_t n = 0;

	if (code) {
		rep_clock_release(&clock);
		return code;
	}
	if (known)
		rep_when_text(text, wall);
	row[n++] = rep_int(run->row.id);
	row[n++] = rep_text(run->row.name, strlen(run->row.name));
	row[n++] = rep_str(rep_clock_source_names[clock.source]);
	row[n++] = known ? rep_text(text, strlen(text)) : rep_null();
	row[n++] = known ? rep_int(wall) : rep_null();
	row[n++] = run->row.ticks ? rep_null() : rep_int(run->row.duration_ns);
	row[n++] = known ? rep_int(clock.error_ns) : rep_null();
	row[n++] = rep_int(clock.source == REP_CLOCK_SNAPSHOT ? (int64_t)clock.n : 0);
	row[n++] = clock.n > 1 ? rep_float(clock.drift) : rep_null();
	row[n++] = clock.n > 1 ? rep_int(clock.step_ns) : rep_null();
	code = rep_output_row(out, row, err);
	rep_clock_release(&clock);
	return code;
}

int store_clocks(struct store_args *args)
{
	struct rep_runs runs = {0};
	struct rep_output *out = NULL;
	struct tp_err err;
	int code, status = store_pick(args, args->cmd.run_spec ? args->cmd.run_spec : "all", &runs);

	if (status)
		return status;
	cmd_pager(&args->cmd);
	status = cmd_output(&args->cmd, false, &out);
	if (!status) {
		code = rep_output_begin(out, "clocks", columns, NCOLUMNS, &err);
		for (size_t i = 0; i < runs.n && !code; i++)
			code = put_run(args, out, &runs.run[i], &err);
		if (!code)
			code = rep_output_end(out, &err);
		status = cmd_output_end(&args->cmd, out, args->path, code, &err);
	}
	rep_runs_release(&runs);
	return status;
}
