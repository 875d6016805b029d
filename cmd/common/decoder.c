#include "common/decoder.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/child.h"
#include "common/common.h"
#include "common/limit.h"
#include "common/progress.h"
#include "open/input.h"
#include "symbol/sidecar.h"

/* Memory that both processes see. Values written by the child are as untrusted as the dump. */
struct shared {
	_Atomic int stage; /* index in `stages` */
	_Atomic uint64_t done, total;

	int code;
	struct tp_err err;
	struct tp_import_result result;
	unsigned char materialized;
};

static const char *const stages[] = {NULL, "unpack", "read"};
enum { NSTAGES = sizeof(stages) / sizeof(stages[0]) };

struct work {
	const char *path, *store;
	const struct tp_import_options *opt;
	struct tp_temp_store temp;
	struct shared *shared;
};

/* ---- in the child ---- */

static int note_progress(void *ctx, const char *stage, uint64_t done, uint64_t total)
{
	struct shared *s = ctx;
	int i = NSTAGES - 1;

	while (i && strcmp(stage, stages[i]) != 0)
		i--;
	/* The limit on memory applies to this process. */
	if (i == 1)
		cmd_limit_stdin(done);
	atomic_store_explicit(&s->done, done, memory_order_relaxed);
	atomic_store_explicit(&s->total, total, memory_order_relaxed);
	atomic_store_explicit(&s->stage, i, memory_order_release);
	return 0;
}

static bool is_new(const char *store)
{
	struct stat st;

	return stat(store, &st) || !st.st_size;
}

static int collect(void *ctx, unsigned has)
{
	struct work *w = ctx;
	struct shared *s = w->shared;
	struct tp_import_options opt = *w->opt;

	(void)has;
	opt.store.temp = &w->temp;
	if (opt.progress) {
		opt.progress = note_progress;
		opt.progress_ctx = s;
	}
	s->code = tp_import(w->path, w->store, &opt, &s->result, &s->err);
	if (!s->code && !s->result.known)
		s->code = tp_temp_store_close(
		    &w->temp, opt.store.materialize && is_new(w->temp.path), &s->err);
	s->materialized = w->temp.materialized;
	return 0;
}

/* ---- in this process ---- */

/* Stopping the import ends the child at once, even while it waits; its output is removed with the temporary
 * store. */
static int show_progress(void *ctx)
{
	struct work *w = ctx;
	struct shared *s = w->shared;
	int stage = atomic_load_explicit(&s->stage, memory_order_acquire);

	if (stage < 0 || stage >= NSTAGES)
		stage = 0;
	return w->opt->progress(w->opt->progress_ctx, stage ? stages[stage] : stages[1],
				atomic_load_explicit(&s->done, memory_order_relaxed),
				atomic_load_explicit(&s->total, memory_order_relaxed));
}

static void end(char *text, size_t size)
{
	text[size - 1] = '\0';
}

/* Makes a valid bool of whatever byte the child has written. */
static void judge(bool *b)
{
	unsigned char byte;

	memcpy(&byte, b, 1);
	*b = byte != 0;
}

static int take_result(struct work *w, struct tp_import_result *r, struct tp_err *err)
{
	const struct shared *s = w->shared;
	int code = s->code;

	memcpy(r, &s->result, sizeof(*r));
	end(r->hash, sizeof(r->hash));
	end(r->format, sizeof(r->format));
	end(r->what, sizeof(r->what));
	end(r->first_loss, sizeof(r->first_loss));
	end(r->unnamed, sizeof(r->unnamed));
	end(r->bare, sizeof(r->bare));
	end(r->labels.now, sizeof(r->labels.now));
	end(r->labels.before, sizeof(r->labels.before));
	judge(&r->known);
	judge(&r->profile);
	judge(&r->ticks);
	judge(&r->uncounted);
	w->temp.runs = 1;
	w->temp.materialized = s->materialized;
	if (!code)
		return 0;
	memcpy(err, &s->err, sizeof(*err));
	end(err->msg, sizeof(err->msg));
	err->code = code < 0 && code >= TP_EUNKNOWN ? code : TP_EFORMAT;
	return err->code;
}

void cmd_allow_symbols(struct cmd_jail *jail, const struct tp_symbol_options *opt, char **dirs)
{
	char *rest, *dir;

	*dirs = opt->path ? strdup(opt->path) : NULL;
	for (size_t i = 0; i < opt->nbinaries; i++)
		cmd_jail_allow(jail, opt->binaries[i]);
	rest = *dirs;
	while (rest && (dir = strsep(&rest, ":")))
		cmd_jail_allow(jail, *dir ? dir : ".");
	/* Distributions put the common debug information of several files here (dwz). */
	if (opt->nbinaries || opt->path)
		cmd_jail_allow(jail, "/usr/lib/debug");
}

static int import_in_child(struct work *w, bool require, struct tp_err *err)
{
	struct cmd_child child = {.require = require,
				  .work = collect,
				  .meanwhile = w->opt->progress ? show_progress : NULL,
				  .ctx = w};
	char sidecar[PATH_MAX], *dirs;
	int code, status = 0;

	if (strcmp(w->path, "-") != 0) {
		cmd_jail_allow(&child.jail, w->path);
		if (tp_sidecar_find(w->path, sidecar, sizeof(sidecar)))
			cmd_jail_allow(&child.jail, sidecar);
	}
	if (!w->temp.err.code) {
		cmd_jail_allow(&child.jail, w->temp.path); /* to see if it has the dump already */
		child.jail.write = w->temp.file;
	}
	cmd_allow_symbols(&child.jail, &w->opt->symbols, &dirs);
	code = cmd_child_run(&child, &status, err);
	free(dirs);
	if (!code && status)
		code = tp_err_set(
		    err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the process that decodes it ended with status %d; try again, and report it "
		    "as a bug of tprof if that repeats",
		    status);
	return code;
}

int cmd_import(const char *path, const char *store, const struct tp_import_options *opt,
	       struct tp_import_result *result, struct tp_err *err)
{
	struct tp_import_options how = *opt;
	struct work w = {.path = path, .store = store, .opt = &how};
	enum cmd_jail_mode mode = cmd_jail_mode();
	int code;

	if (mode == CMD_JAIL_OFF)
		return tp_import(path, store, opt, result, err);
	memset(result, 0, sizeof(*result));
	w.shared = cmd_child_share(sizeof(*w.shared));
	if (!w.shared)
		return tp_nomem(err);
	tp_temp_store_create(&w.temp, store); /* tp_store_begin returns the error */
	how.store.temp = &w.temp;
	how.tmp_fd = tp_input_temporary(opt->tmp_dir, NULL);
	code = import_in_child(&w, mode == CMD_JAIL_REQUIRE, err);
	if (!code)
		code = take_result(&w, result, err);
	if (!code)
		code = tp_import_publish(store, &how, result, err);
	if (how.tmp_fd > 0)
		close(how.tmp_fd);
	tp_temp_store_release(&w.temp);
	cmd_child_unshare(w.shared, sizeof(*w.shared));
	return code;
}

/* ---- other work ---- */

struct decode {
	const struct cmd *cmd;
	int (*work)(void *ctx);
	void *ctx;
};

static int decode(void *ctx, unsigned has)
{
	struct decode *d = ctx;

	(void)has;
	return cmd_written(d->cmd, d->work(d->ctx));
}

static int ask_stop(void *ctx)
{
	(void)ctx;
	return cmd_stopped();
}

int cmd_decode(struct cmd *cmd, const char *path, const struct tp_symbol_options *symbols,
	       int (*work)(void *ctx), void *ctx)
{
	struct decode d = {cmd, work, ctx};
	struct cmd_child child = {.speaks = true, .work = decode, .meanwhile = ask_stop, .ctx = &d};
	enum cmd_jail_mode mode = cmd_jail_mode();
	struct tp_err err;
	char *dirs = NULL;
	int code, status = CMD_OK;

	if (mode == CMD_JAIL_OFF)
		return work(ctx);
	child.require = mode == CMD_JAIL_REQUIRE;
	if (path && strcmp(path, "-") != 0)
		cmd_jail_allow(&child.jail, path);
	if (symbols)
		cmd_allow_symbols(&child.jail, symbols, &dirs);
	code = cmd_child_run(&child, &status, &err);
	free(dirs);
	/* The user stopped it, so no message is needed. */
	if (code == TP_ECANCEL)
		return CMD_SYSTEM;
	return code ? cmd_fail(cmd, path, &err) : status;
}
