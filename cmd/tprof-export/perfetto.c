/* Traces in Chrome's trace event format, several of them on one clock. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/units.h"
#include "clock/clock.h"
#include "common/file.h"
#include "common/range.h"
#include "export/choice.h"
#include "export/perfetto/perfetto.h"
#include "tprof-export/export.h"

struct shown { /* a run */
	struct cmd *cmd;
	const char *path;
	const struct rep_run *run;
	struct rep_clock clock;
	struct rep_choice choice;
	int64_t wall_ns; /* Unix time at which it began, where all have a clock */
};

struct shows {
	struct cmd *cmds; /* one per path */
	size_t ncmds;
	struct shown *run;
	size_t n;
};

static int open_all(struct export_args *args, struct shows *all)
{
	const struct cmd_files *files = &args->cmd.files[CMD_NEW];
	int status = CMD_OK;

	all->cmds = calloc(files->n, sizeof(*all->cmds));
	if (!all->cmds)
		return cmd_nomem(&args->cmd);
	for (size_t i = 0; i < files->n && !status; i++) {
		struct cmd *c = &all->cmds[i];
		struct shown *more;

		*c = args->cmd;
		all->ncmds++;
		status = cmd_open(c, files->path[i]);
		if (status)
			return status;
		more = realloc(all->run, (all->n + c->runs.n) * sizeof(*more));
		if (!more)
			return cmd_nomem(&args->cmd);
		all->run = more;
		for (size_t k = 0; k < c->runs.n; k++)
			if (!strcmp(c->runs.run[k].row.kind, "trace"))
				all->run[all->n++] = (struct shown){
				    .cmd = c, .path = files->path[i], .run = &c->runs.run[k]};
	}
	if (all->n)
		return CMD_OK;
	return cmd_reject(&args->cmd, CMD_INPUT,
			  "%s: has profiles and no traces; --format=pprof writes profiles",
			  cmd_path(&args->cmd));
}

static int choose(struct export_args *args, struct shown *s, size_t n)
{
	struct tp_err err;
	int code = rep_clock_load(s->cmd->store, s->run, &s->clock, &err);

	if (!code)
		code = rep_choice_init(&s->choice, s->cmd->store, s->run, &args->view.trace.filter,
				       &err);
	/* Of several, not all need have the goroutine. */
	if (code == TP_ENOENT && n > 1)
		return CMD_OK;
	if (code == TP_EFORMAT)
		return cmd_reject(&args->cmd, CMD_USAGE, "%s: %s", s->run->row.name, err.msg);
	return code ? cmd_fail(&args->cmd, s->path, &err) : CMD_OK;
}

/* Puts the runs on one clock, which begins with the first of them. */
static int align(struct export_args *args, struct shows *all, struct rep_perfetto_clock *clock)
{
	clock->unix_time = true;
	for (size_t i = 0; i < all->n; i++) {
		struct shown *s = &all->run[i];

		if (!rep_clock_wall(&s->clock, 0, &s->wall_ns)) {
			clock->unix_time = false;
			if (all->n == 1)
				return CMD_OK;
			return cmd_reject(&args->cmd, CMD_USAGE,
					  "%s: nothing says at what time of day it was recorded, "
					  "so it cannot be shown beside others; write it by itself",
					  s->run->row.name);
		}
		if (!i || s->wall_ns < clock->base_ns)
			clock->base_ns = s->wall_ns;
	}
	for (size_t i = 0; i < all->n; i++) {
		const struct shown *s = &all->run[i];

		if (s->clock.error_ns > clock->error_ns)
			clock->error_ns = s->clock.error_ns;
		if (all->n > 1 && s->clock.source != REP_CLOCK_SNAPSHOT)
			cmd_note(&args->cmd,
				 "%s: its place among the others is known within %.3gs only (from "
				 "its %s)",
				 s->run->row.name, (double)s->clock.error_ns / 1e9,
				 s->clock.source == REP_CLOCK_FILE ? "file's time" : "start");
	}
	return CMD_OK;
}

/* ---- writing ---- */

#define EVENT_BYTES 160.0	       /* of JSON per event; from 60 to 220 in real traces */
#define LARGE	    (64.0 * (1 << 20)) /* what takes a browser some time */

static bool is_packed(const struct export_args *args)
{
	return args->cmd.output && !strcmp(cmd_file_ending(args->cmd.output), ".gz");
}

static void note_size(const struct export_args *args, const struct shows *all)
{
	char size[TP_UNITS_SIZE];
	double bytes = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct rep_choice *c = &all->run[i].choice;
		double length = (double)all->run[i].run->row.duration_ns, part = 1;
		double from = c->from_ns > 0 ? (double)c->from_ns : 0;
		double to = (double)c->to_ns < length ? (double)c->to_ns : length;

		if (length > 0)
			part = to > from ? (to - from) / length : 0;
		bytes += part * (double)all->run[i].run->row.events * EVENT_BYTES;
	}
	if (bytes < LARGE)
		return;
	cmd_note(&args->cmd, "writes %s %s of JSON%s; --from, --to and --goroutine write less",
		 args->view.trace.filter.goroutine ? "at most" : "about",
		 tp_fmt_bytes(size, bytes < 9e18 ? (int64_t)bytes : INT64_MAX),
		 is_packed(args) ? ", compressed to about a tenth"
				 : "; -o NAME.json.gz compresses it to about a tenth");
}

/* Compresses what is written into one member of gzip; `size` 0 ends it. The header holds no time, so
 * equal traces are equal files. */
static int pack(void *ctx, const void *data, size_t size, struct tp_err *err)
{
	unsigned char packed[1 << 15];
	z_stream *z = ctx;
	int code = 0;

	z->next_in = (z_const Bytef *)(uintptr_t)data;
	z->avail_in = (uInt)size;
	do {
		z->next_out = packed;
		z->avail_out = sizeof(packed);
		deflate(z, size ? Z_NO_FLUSH : Z_FINISH);
		code = cmd_write(packed, sizeof(packed) - z->avail_out, err);
	} while (!code && !z->avail_out);
	return code;
}

static int write_all(struct export_args *args, struct shows *all,
		     const struct rep_perfetto_clock *clock)
{
	z_stream z = {0};
	struct tp_out out = {.write = cmd_write_out};
	struct rep_perfetto *p = NULL;
	const char *path = cmd_path(&args->cmd);
	struct tp_err err;
	int code = 0;

	if (is_packed(args)) {
		out = (struct tp_out){.write = pack, .ctx = &z};
		if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
				 Z_DEFAULT_STRATEGY) != Z_OK)
			code = tp_nomem(&err);
	}
	if (!code)
		code = rep_perfetto_begin(&p, &out, clock, &err);
	for (size_t i = 0; i < all->n && !code; i++) {
		struct shown *s = &all->run[i];
		char name[32];
		struct rep_perfetto_run opt = {
		    .name = args->anonymise ? name : s->run->row.name,
		    .anonymise = args->anonymise ? &args->made_up : NULL,
		    .from_ns = s->choice.from_ns,
		    .to_ns = s->choice.to_ns,
		    .wanted = s->choice.wanted,
		    .ngoroutines = s->choice.n,
		    .shift_ns = clock->unix_time ? s->wall_ns - clock->base_ns : 0,
		};

		snprintf(name, sizeof(name), "run %zu", i + 1);
		path = s->path;
		code = rep_perfetto_run(p, s->cmd->store, s->run, &opt, &err);
	}
	if (!code)
		code = rep_perfetto_end(p, &err);
	if (!code && is_packed(args))
		code = pack(&z, NULL, 0, &err);
	deflateEnd(&z);
	rep_perfetto_free(p);
	return code ? cmd_fail(&args->cmd, path, &err) : CMD_OK;
}

int export_perfetto(struct export_args *args)
{
	struct rep_perfetto_clock clock = {0};
	struct cmd_range range = {.text = &args->view.trace.filter};
	struct shows all = {0};
	int status = open_all(args, &all);

	for (size_t i = 0; i < all.n && !status; i++)
		status = cmd_range_add(&args->cmd, &range, all.run[i].cmd->store, all.run[i].run);
	if (!status)
		status = cmd_range_end(&args->cmd, &range);
	for (size_t i = 0; i < all.n && !status; i++)
		status = choose(args, &all.run[i], all.n);
	if (!status)
		status = align(args, &all, &clock);
	if (!status)
		status = export_begin(args);
	if (!status)
		note_size(args, &all);
	for (size_t i = 0; i < all.n && !status; i++)
		export_note_ticks(args, all.run[i].run);
	if (!status)
		status = write_all(args, &all, &clock);
	for (size_t i = 0; i < all.n; i++) {
		rep_clock_release(&all.run[i].clock);
		rep_choice_release(&all.run[i].choice);
	}
	for (size_t i = 0; i < all.ncmds; i++)
		cmd_close(&all.cmds[i]);
	free(all.cmds);
	free(all.run);
	return status;
}
