#include "import.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dump.h"
#include "order/pipe.h"
#include "order/read.h"
#include "store/trace_row.h"
#include "timeline/timeline.h"

/* What one import works on; released in one place, whatever happened. */
struct work {
	const struct tp_import_options *opt;
	struct tp_dump dump;
	struct tp_store_run *run; /* NULL once committed or aborted */
	struct tp_timeline *timeline;
	struct tp_trace trace;
	struct tp_pipe *pipe;
};

static int put_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct work *w = ctx;

	/* Known before the first event where one frequency holds for the whole trace: go 1.5
	 * to 1.21. */
	if (w->trace.version < 22)
		tp_store_set_tick(w->run, w->trace.ns_per_tick);
	return tp_store_put_events(w->run, ev, n, err);
}

static int feed_timeline(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct work *w = ctx;

	return tp_timeline_feed(w->timeline, ev, n, err);
}

static int feed_both(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	int code = feed_timeline(ctx, ev, n, err);

	return code ? code : put_events(ctx, ev, n, err);
}

static int unpack_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct tp_import_options *opt = ctx;

	return opt->progress(opt->progress_ctx, "unpack", done, total);
}

static int read_progress(void *ctx, uint64_t done, uint64_t total)
{
	const struct tp_import_options *opt = ctx;

	return opt->progress(opt->progress_ctx, "read", done, total);
}

/* Processors this process may run on (a container or taskset may leave fewer than there are). */
static int processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return CPU_COUNT(&set);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!strcmp(path, "-"))
		return "stdin";
	return slash && slash[1] ? slash + 1 : path;
}

static int threads(const struct work *w)
{
	return w->opt->threads > 0 ? w->opt->threads : processors();
}

static int name_profile(struct work *w, struct tp_profile *p, struct tp_import_result *r,
			struct tp_err *err)
{
	size_t notices = p->nnotices;
	struct tp_symbolizer *symbols = w->dump.symbols;
	int code = symbols ? tp_profile_symbolize(p, symbols, NULL, NULL, err) : 0;

	if (!code && p->nnotices > notices)
		snprintf(r->unnamed, sizeof(r->unnamed), "%s", p->notices[notices].text);
	return code;
}

/* Decode and order on this thread; timeline and blocks wherever there is a processor for them. */
static int read_trace(struct work *w, const char *path, struct tp_err *err)
{
	const struct tp_import_options *opt = w->opt;
	struct tp_trace_options how = {
	    .strict = opt->strict,
	    .progress = opt->progress ? read_progress : NULL,
	    .progress_ctx = (void *)opt,
	};
	struct tp_sink sink = {.events = feed_both, .ctx = w};
	int code = tp_dump_begin_trace(&w->dump, path, &how, err), pipe_code, n = threads(w);

	if (code)
		return code;
	if (n < 2)
		return tp_trace_read(w->dump.in, &how, &w->trace, &sink, err);

	struct tp_sink consumers[] = {
	    {.events = feed_timeline, .ctx = w},
	    {.events = put_events, .ctx = w},
	};
	/* Where there is no memory for a pipe, this thread does it all. */
	if (!tp_pipe_new(&w->pipe, consumers, 2, (size_t)n - 1, err))
		sink = tp_pipe_sink(w->pipe);
	code = tp_trace_read(w->dump.in, &how, &w->trace, &sink, err);
	pipe_code = w->pipe ? tp_pipe_finish(w->pipe, code ? NULL : err) : 0;
	return code ? code : pipe_code;
}

#define MAX_KEY 128

/* The end of a label's key; NULL, and *err, where it is no label. */
static const char *end_of_key(const char *label, struct tp_err *err)
{
	const char *eq = strchr(label, '=');

	if (eq && eq != label && eq - label < MAX_KEY)
		return eq;
	tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "label '%s' is not KEY=VALUE", label);
	return NULL;
}

static int put_labels(struct work *w, struct tp_err *err)
{
	for (size_t i = 0; i < w->opt->nlabels; i++) {
		const char *label = w->opt->labels[i], *eq = end_of_key(label, err);
		char key[MAX_KEY];
		int code;

		if (!eq)
			return TP_EFORMAT;
		snprintf(key, sizeof(key), "%.*s", (int)(eq - label), label);
		code = tp_store_put_label(w->run, key, eq + 1, err);
		if (code)
			return code;
	}
	return 0;
}

/* Whoever labels a dump wants to find it by that, also when it is there already. */
static int relabel(const struct tp_import_options *opt, const char *path,
		   struct tp_import_result *result, struct tp_err *err)
{
	struct tp_labelled l = {.hash = result->hash, .set = opt->labels, .nset = opt->nlabels};
	int code;

	for (size_t i = 0; i < opt->nlabels; i++)
		if (!end_of_key(opt->labels[i], err))
			return TP_EFORMAT;
	code = tp_store_label(path, opt->store.wait_ms, &l, 1, false, err);
	result->labels = l.result;
	if (!code)
		result->run = l.result.run;
	return code;
}

static void sum_losses(const struct tp_loss *losses, size_t n, struct tp_import_result *r)
{
	r->losses = n;
	for (size_t i = 0; i < n; i++) {
		tp_add_count(&r->lost_bytes, losses[i].bytes);
		tp_add_count(&r->lost_events, losses[i].events);
		r->uncounted |= !losses[i].bytes && !losses[i].events;
	}
	if (n)
		snprintf(r->first_loss, sizeof(r->first_loss), "%s", losses[0].reason);
}

static int64_t unix_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static uint64_t file_size(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (uint64_t)st.st_size;
}

static uint64_t grown(const char *path, uint64_t before)
{
	uint64_t after = file_size(path);

	return after > before ? after - before : 0;
}

/* The dump's hash as 32 hex digits. */
static void hash_text(const struct work *w, char text[33])
{
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", w->dump.in->hash[i]);
}

/* What is the same for runs of all kinds; then the run is published. */
static int commit(struct work *w, const char *path, struct tp_run *row,
		  struct tp_import_result *result, struct tp_err *err)
{
	static const struct tp_input_options no_progress;
	struct tp_store_run *run = w->run;
	int code = put_labels(w, err);

	if (!code)
		code = tp_input_hash(w->dump.in, &no_progress, err);
	if (code)
		return code;
	hash_text(w, result->hash);
	row->hash = result->hash;
	row->name = w->opt->name ? w->opt->name : base_name(path);
	row->source = w->opt->source ? w->opt->source : base_name(path);
	row->format = result->format;
	row->duration_ns = result->duration_ns;
	row->events = result->events;
	row->goroutines = result->goroutines;
	row->size_in = (int64_t)w->dump.in->stored_size;
	row->lost_bytes = result->lost_bytes;
	row->lost_events = result->lost_events;
	row->imported_ns = unix_now_ns();

	w->run = NULL; /* commit frees it, also when it fails */
	code = tp_store_commit(run, row, err);
	result->run = row->id;
	result->known = row->known;
	return code;
}

/* Everything between the opened dump and the published run. */
static int import_trace(struct work *w, const char *path, struct tp_import_result *result,
			struct tp_err *err)
{
	struct tp_run row = {0};
	struct tp_trace *t = &w->trace;
	int code;

	w->timeline = tp_timeline_new(w->run);
	if (!w->timeline)
		return tp_nomem(err);
	code = read_trace(w, path, err);
	if (!code)
		code = tp_dump_end_trace(&w->dump, t, result->unnamed, err);
	if (!code)
		code = tp_timeline_finish(w->timeline, t, err);
	if (!code)
		code = tp_store_put_trace(w->run, t, err);
	if (code)
		return code;

	sum_losses(t->losses, t->nlosses, result);
	tp_trace_row(&row, t);
	result->events = row.events;
	result->goroutines = t->ng;
	result->inferred = row.inferred;
	result->duration_ns = row.duration_ns;
	result->ticks = row.ticks;
	if (w->dump.seen.version >= 22 && !t->generations && t->nnotices)
		snprintf(result->bare, sizeof(result->bare), "%s", t->notices[0].text);
	return commit(w, path, &row, result, err);
}

static int import_profile(struct work *w, const char *path, struct tp_import_result *result,
			  struct tp_err *err)
{
	struct tp_run row = {.kind = "profile", .wall_ns = TP_NULL};
	struct tp_profile *p;
	int code = tp_dump_profile(&w->dump, w->opt->strict, &p, err);

	if (code)
		return code;
	for (size_t i = 0; i < p->nnotices; i++)
		if (p->notices[i].severity == TP_INFO)
			snprintf(result->seen, sizeof(result->seen), "%s", p->notices[i].text);
	tp_profile_warnings(p, result->others, sizeof(result->others));
	code = name_profile(w, p, result, err);
	if (!code)
		code = tp_store_put_profile(w->run, p, err);
	if (!code) {
		snprintf(result->format, sizeof(result->format), "%s", p->format);
		sum_losses(p->losses, p->nlosses, result);
		result->profile = true;
		result->events = (int64_t)p->nsamples;
		result->duration_ns = p->duration_ns;
		if (p->time_ns)
			row.wall_ns = p->time_ns;
		code = commit(w, path, &row, result, err);
	}
	tp_profile_free(p);
	return code;
}

/* A store of ours, by its head; application_id is big-endian, as SQLite's file format has it. */
static bool is_ours(const uint8_t *data, size_t size)
{
	return size >= 72 && ((uint32_t)data[68] << 24 | (uint32_t)data[69] << 16 |
			      (uint32_t)data[70] << 8 | data[71]) == TP_STORE_APPLICATION_ID;
}

int tp_import(const char *path, const char *store_path, const struct tp_import_options *opt,
	      struct tp_import_result *result, struct tp_err *err)
{
	static const struct tp_import_options defaults = {0};
	struct work w = {.opt = opt ? opt : &defaults};
	struct tp_input_options how = {
	    .progress = w.opt->progress ? unpack_progress : NULL,
	    .progress_ctx = (void *)w.opt,
	    .tmp_dir = w.opt->tmp_dir,
	    .tmp_fd = w.opt->tmp_fd,
	};
	struct tp_store_options target;
	const struct tp_recognition *seen = &w.dump.seen;
	struct timespec t0, t1;
	uint64_t before;
	int code;

	memset(result, 0, sizeof(*result));
	clock_gettime(CLOCK_MONOTONIC, &t0);
	before = file_size(store_path);

	/* A store that does not exist yet cannot contain the dump, so hashing can wait. */
	how.hash_later = !before && !w.opt->known;
	code = tp_dump_open(&w.dump, path, &how, &w.opt->symbols, w.opt->strict, err);
	if (code) {
		if (w.dump.in)
			result->size_in = w.dump.in->stored_size;
		goto done;
	}
	result->size_in = w.dump.in->stored_size;
	if (seen->format == TP_FORMAT_STORE) {
		code = tp_err_set(
		    err, TP_EUNKNOWN, 0,
		    is_ours(w.dump.in->data, w.dump.in->size)
			? "this is a tprof store; tprof-merge -o STORE puts stores "
			  "together, and tprof-top FILE looks at one"
			: "this is a %s; dumps are imported, and stores are looked at as "
			  "they are: tprof-top FILE",
		    seen->name);
		goto done;
	}
	snprintf(result->what, sizeof(result->what), "%s", seen->name);
	if (seen->format != TP_FORMAT_PROFILE)
		snprintf(result->format, sizeof(result->format), "%s", seen->column);

	if (w.opt->known) {
		hash_text(&w, result->hash);
		result->known = w.opt->known(w.opt->known_ctx, w.dump.in->hash);
		if (result->known)
			goto done;
	}
	target = w.opt->store;
	target.dump_size = w.dump.in->size;
	target.background = threads(&w) > 1;
	code = tp_store_begin(&w.run, store_path, &target, err);
	if (code)
		goto done;
	if (!how.hash_later && !w.opt->known) {
		hash_text(&w, result->hash);
		code = tp_store_find(store_path, result->hash, &result->run, err);
		/* The process that publishes looks again, and may open what this one may not. */
		if (code && target.temp)
			code = 0;
		result->known = result->run;
		if (result->known)
			goto done;
	}
	if (!code)
		code = seen->format == TP_FORMAT_PROFILE ? import_profile(&w, path, result, err)
							 : import_trace(&w, path, result, err);
done:
	if (!code && result->known && w.opt->nlabels && !w.opt->store.temp)
		code = relabel(w.opt, store_path, result, err);
	tp_pipe_free(w.pipe);
	tp_timeline_free(w.timeline);
	if (w.run)
		tp_store_abort(w.run);
	tp_trace_release(&w.trace);
	tp_dump_release(&w.dump);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	result->seconds = (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) / 1e9;
	if (!code && !result->known && !w.opt->store.temp)
		result->size_store = grown(store_path, before);
	return code;
}

int tp_import_publish(const char *store_path, const struct tp_import_options *opt,
		      struct tp_import_result *result, struct tp_err *err)
{
	uint64_t before = file_size(store_path);
	struct timespec t0, t1;
	size_t added;
	int code = 0;

	clock_gettime(CLOCK_MONOTONIC, &t0);
	if (!result->known) {
		code =
		    tp_temp_store_publish(opt->store.temp, &opt->store, &result->run, &added, err);
		result->known = !code && !added;
	}
	if (!code && result->known && opt->nlabels)
		code = relabel(opt, store_path, result, err);
	clock_gettime(CLOCK_MONOTONIC, &t1);
	result->seconds +=
	    (double)(t1.tv_sec - t0.tv_sec) + (double)(t1.tv_nsec - t0.tv_nsec) / 1e9;
	if (!code && !result->known)
		result->size_store = grown(store_path, before);
	return code;
}
