#include "engine/fetch.h"

#include <stdlib.h>
#include <string.h>

#include "engine/fetching.h"

size_t rep_engine_held_most = REP_ENGINE_HELD_MOST;

int rep_held_add(struct rep_held *held, size_t more, struct tp_err *err)
{
	if (more > rep_engine_held_most || held->now > rep_engine_held_most - more)
		return tp_err_set(
		    err, TP_ELIMIT, TP_OFFSET_NONE,
		    "the engine's answer needs more than the %zu MiB of memory that it "
		    "may have; ask for fewer runs",
		    rep_engine_held_most >> 20);
	held->now += more;
	return 0;
}

/* ---- runs, written in order ---- */

struct writing {
	const struct rep_fetching *f;
	size_t next; /* first run that is not written */
};

static int finish(struct writing *w, struct tp_store_run *to, struct tp_err *err)
{
	const struct rep_engine_run *run = &w->f->runs->run[w->next];
	struct tp_run row = run->row;
	int code = 0;

	for (size_t i = 0; i < run->nlabels && !code; i++) {
		const char *value = run->label[i] + strcspn(run->label[i], "=");
		char *key = strndup(run->label[i], (size_t)(value - run->label[i]));

		code = key ? tp_store_put_label(to, key, value + 1, err) : tp_nomem(err);
		free(key);
	}
	if (code) {
		tp_store_abort(to);
		return code;
	}
	w->next++;
	return tp_store_commit(to, &row, err);
}

static int begin(struct writing *w, struct tp_store_run **to, struct tp_err *err)
{
	const struct tp_store_options opt = {.wait_ms = -1, .temp = w->f->temp};

	return tp_store_begin(to, w->f->path, &opt, err);
}

/* Writes the runs before `end`, which have no samples here; rep_fetch_ordinary adds the rest. */
static int write_until(struct writing *w, size_t end, struct tp_err *err)
{
	int code = 0;

	while (w->next < end && !code) {
		struct tp_store_run *to;

		code = begin(w, &to, err);
		if (!code)
			code = finish(w, to, err);
	}
	return code;
}

static int on_profile(void *ctx, size_t run, struct tp_profile *p, struct tp_err *err)
{
	struct writing *w = ctx;
	struct tp_store_run *to;
	int code = write_until(w, run, err);

	if (!code)
		code = begin(w, &to, err);
	if (code)
		return code;
	code = tp_store_put_profile(to, p, err);
	if (!code)
		return finish(w, to, err);
	tp_store_abort(to);
	return code;
}

static int write_runs(const struct rep_fetching *f, struct tp_err *err)
{
	struct writing w = {.f = f};
	int code = rep_fetch_profiles(f, on_profile, &w, err);

	return code ? code : write_until(&w, f->runs->n, err);
}

int rep_engine_fetch(const struct rep_engine_link *link, const struct rep_engine_place *at,
		     const struct rep_engine_runs *runs, const struct rep_engine_fetch_options *opt,
		     const char *path, struct tp_err *err)
{
	const struct tp_store_options how = {.wait_ms = -1};
	struct rep_held held = {0};
	struct tp_temp_store temp;
	int64_t first;
	struct rep_fetching f = {.link = link,
				 .at = at,
				 .runs = runs,
				 .opt = opt,
				 .temp = &temp,
				 .path = path,
				 .held = &held};
	size_t added;
	int code = tp_temp_store_create(&temp, path);

	if (code)
		*err = temp.err;
	else
		code = tp_temp_store_open(&temp, 0, err);
	if (!code) {
		struct tp_err closing;
		int closed;

		code = write_runs(&f, err);
		closed = tp_temp_store_close(&temp, false, &closing);
		if (!code && closed) {
			*err = closing;
			code = closed;
		}
	}
	if (!code)
		code = tp_temp_store_publish(&temp, &how, &first, &added, err);
	tp_temp_store_release(&temp);
	if (!code)
		code = rep_fetch_ordinary(&f, err);
	return code;
}
