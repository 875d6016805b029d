/* tprof-export: a run of a store in the forms that other programs read. */
#include <stdlib.h>
#include <string.h>

#include "common/common.h"
#include "common/stream.h"
#include "order/listing.h"

struct args {
	struct cmd cmd;
	const char *path;
	const char *format;
};

enum { KEY_RUN = 0x2000, KEY_FORMAT };

static const struct argp_option options[] = {
    {"format", KEY_FORMAT, "FORMAT", 0,
     "events: one line per event in order, with time, M, P, G, kind, detail and stack", 0},
    {"run", KEY_RUN, "RUN", 0,
     "Pick a run of the store: latest (the default), an id, a name, or a label KEY=VALUE", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case KEY_FORMAT:
		if (strcmp(arg, "events") != 0)
			argp_error(state, "--format: no format '%s'; there is events", arg);
		args->format = arg;
		return 0;
	case KEY_RUN:
		args->cmd.run_spec = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (args->path)
			argp_error(state, "one store or dump at a time");
		args->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->path)
			argp_error(state, "which store or dump?");
		if (!args->format)
			argp_error(state, "which form? Give --format=events");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The ids behind the indices of events, as the store keeps them. */
struct ids {
	struct tp_rows g, m, p;
};

static int load_ids(struct tp_store *s, int64_t run, struct ids *ids, struct tp_err *err)
{
	int code =
	    tp_rows_load(s, run, TP_TABLE_GOROUTINE, 1u << TP_COL(GOROUTINE, id), &ids->g, err);

	if (!code)
		code =
		    tp_rows_load(s, run, TP_TABLE_THREAD, 1u << TP_COL(THREAD, id), &ids->m, err);
	if (!code)
		code = tp_rows_load(s, run, TP_TABLE_PROC, 1u << TP_COL(PROC, id), &ids->p, err);
	return code;
}

static int list_events(struct tp_event_reader *r, const struct tp_listing *l, struct tp_err *err)
{
	struct cmd_stream out = {0};
	const struct tp_event *ev;
	size_t n;
	int code = 0, more = 0;

	while (!code && (more = tp_events_next(r, &ev, &n, err)) > 0) {
		for (size_t i = 0; !code && i < n; i++)
			if ((code = tp_listing_line(l, &ev[i], &out.buf)))
				tp_err_set(err, code, TP_OFFSET_NONE, "out of memory");
		if (!code)
			code = cmd_stream_flush(&out, CMD_STREAM_BLOCK, err);
	}
	if (!code)
		code = more;
	if (!code)
		code = cmd_stream_flush(&out, 0, err);
	cmd_stream_release(&out);
	return code;
}

static int export_events(struct args *args)
{
	static const struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	struct tp_store *s = args->cmd.store;
	const struct tp_run *run = &args->cmd.runs.run[0].row;
	struct tp_event_reader *reader = NULL;
	struct tp_dict *dict = NULL;
	struct ids ids = {0};
	struct tp_err err;
	int code;

	code = tp_dict_load(s, run->id, &dict, &err);
	if (!code)
		code = load_ids(s, run->id, &ids, &err);
	if (!code)
		code = tp_events_open(&reader, s, run->id, &all, &err);
	if (!code) {
		struct tp_listing listing = {
		    .dict = dict,
		    .g_id = (const uint64_t *)ids.g.col[TP_COL(GOROUTINE, id)],
		    .m_id = (const uint64_t *)ids.m.col[TP_COL(THREAD, id)],
		    .p_id = ids.p.col[TP_COL(PROC, id)],
		    .ng = (uint32_t)ids.g.nrows,
		    .nm = (uint32_t)ids.m.nrows,
		    .np = (uint32_t)ids.p.nrows,
		    .start_ns = run->start_ns,
		};
		code = list_events(reader, &listing, &err);
	}
	if (reader)
		tp_events_close(reader);
	tp_rows_release(&ids.g);
	tp_rows_release(&ids.m);
	tp_rows_release(&ids.p);
	tp_dict_free(dict);
	return code ? cmd_fail(&args->cmd, args->path, &err) : CMD_OK;
}

static int run(struct args *args)
{
	int status = cmd_open(&args->cmd, args->path);

	if (status)
		return status;
	if (args->cmd.runs.n > 1) {
		cmd_error(&args->cmd, "--run=%s picks %zu runs; pick one of them by its id",
			  args->cmd.run_spec, args->cmd.runs.n);
		return CMD_USAGE;
	}
	return export_events(args);
}

int main(int argc, char **argv)
{
	struct argp argp = {
	    .options = options,
	    .parser = on_option,
	    .args_doc = "STORE|DUMP",
	    .doc = "Write a run in a form that other programs read.\v"
		   "The forms are described in tprof-export(1).",
	};
	struct args args = {.cmd = CMD_INIT("tprof-export")};

	cmd_parse(&args.cmd, &argp, argc, argv, &args);
	return cmd_finish(&args.cmd, run(&args));
}
