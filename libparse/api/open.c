#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handle.h"
#include "import.h"
#include "open/peek.h"
#include "store/trace_row.h"

/* The codes of both headers are the same. */
#define SAME(name) _Static_assert((int)TPROF_##name == (int)TP_##name, #name)
SAME(ENOMEM);
SAME(EIO);
SAME(EFORMAT);
SAME(ETRUNC);
SAME(EVERSION);
SAME(ELIMIT);
SAME(ENOENT);
SAME(ESTORE);
SAME(EBUSY);
SAME(ECANCEL);
SAME(EUNKNOWN);
/* NOLINTNEXTLINE(misc-redundant-expression): the assertion is that both sides are the same */
_Static_assert(TPROF_UNKNOWN == TP_NULL && TPROF_NOWHERE == TP_OFFSET_NONE, "no time, no offset");

/* Fills in *to if code is negative, and returns code. Puts `path` in front of the message unless it is NULL,
 * as it is for stores, whose messages already name the path. */
static int give(int code, const char *path, const struct tp_err *from, struct tprof_err *to)
{
	struct tp_err e;

	if (code >= 0 || !to)
		return code;
	e = *from;
	if (path)
		tp_err_prefix(&e, "%s", path);
	tp_err_printable(&e);
	memset(to, 0, sizeof(*to));
	to->code = code;
	to->offset = e.offset;
	_Static_assert(sizeof(to->text) == sizeof(e.msg), "messages fit");
	memcpy(to->text, e.msg, sizeof(to->text));
	return code;
}

int api_give(struct tprof *t, int more, struct tprof_err *err)
{
	return give(more, t->store ? NULL : t->path, &t->err, err);
}

/* ---- options ---- */

/* Larger than any version of the struct; a larger size was never set. */
#define MOST_OPTIONS 4096

/* A program may have been compiled with an older header, whose struct is a part of ours, or with a newer one,
 * which does no harm as long as the program sets only options known here. */
static int take_options(struct tprof_options *to, const struct tprof_options *from,
			struct tp_err *err)
{
	static const struct tprof_options defaults = TPROF_OPTIONS_INIT;
	const unsigned char *bytes = (const unsigned char *)from;

	*to = defaults;
	if (!from)
		return 0;
	if (from->size < sizeof(from->size) || from->size > MOST_OPTIONS)
		return tp_err_set(err, TPROF_EMISUSE, TP_OFFSET_NONE,
				  "the options do not begin with TPROF_OPTIONS_INIT");
	for (size_t i = sizeof(*to); i < from->size; i++)
		if (bytes[i])
			return tp_err_set(err, TPROF_EMISUSE, TP_OFFSET_NONE,
					  "the options set one that libtprof " TPROF_VERSION
					  " does not have");
	memcpy(to, from, from->size < sizeof(*to) ? from->size : sizeof(*to));
	return 0;
}

static struct tp_symbol_options symbols_of(const struct tprof_options *opt)
{
	return (struct tp_symbol_options){opt->binaries, opt->nbinaries, opt->symbol_path};
}

/* ---- a handle ---- */

/* Sets *is_store to whether the file is a store. Returns TP_EIO, because a pipe must not be opened twice;
 * ignores other errors, because opening the file as a dump explains them better. */
static int look(const char *path, bool *is_store, struct tp_err *err)
{
	static const char magic[] = "SQLite format 3";
	char head[sizeof(magic)];
	size_t size = 0;
	int code = tp_peek_packed(path, head, sizeof(head), &size, err);

	*is_store = !code && size == sizeof(head) && !memcmp(head, magic, sizeof(magic));
	return code == TP_EIO ? code : 0;
}

static int open_store(struct tprof *t, const char *path, struct tp_err *err)
{
	struct tp_profile *profile;
	int code = tp_store_open(&t->store, path, err);

	if (!code)
		code = api_stored_open(t, err);
	if (code || t->info.kind != TPROF_PROFILE)
		return code;
	code = tp_profile_load(t->store, t->info.run, &profile, err);
	return code ? code : api_profile_open(t, profile, err);
}

static int open_profile(struct tprof *t, struct tp_err *err)
{
	struct tp_profile *p;
	int code = tp_dump_profile(&t->dump, t->opt.strict, &p, err);

	if (!code && t->dump.symbols) {
		code = tp_profile_symbolize(p, t->dump.symbols, NULL, NULL, err);
		if (code)
			tp_profile_free(p);
	}
	if (code)
		return code;
	snprintf(t->format, sizeof(t->format), "%s", p->format);
	t->info.kind = TPROF_PROFILE;
	t->info.wall_ns = p->time_ns ? p->time_ns : TPROF_UNKNOWN;
	t->info.duration_ns = p->duration_ns;
	t->info.events = (int64_t)p->nsamples;
	tp_dump_release(&t->dump);
	return api_profile_open(t, p, err);
}

static int open_dump(struct tprof *t, const char *path, struct tp_err *err)
{
	struct tp_input_options how = {
	    .progress = t->opt.progress,
	    .progress_ctx = t->opt.ctx,
	    .tmp_dir = t->opt.tmp_dir,
	    .hash_later = true,
	};
	struct tp_symbol_options symbols = symbols_of(&t->opt);
	int code = tp_dump_open(&t->dump, path, &how, &symbols, t->opt.strict, err);

	if (code)
		return code;
	if (t->dump.seen.format == TP_FORMAT_PROFILE)
		return open_profile(t, err);
	if (t->dump.seen.format == TP_FORMAT_STORE)
		return tp_err_set(
		    err, TP_EUNKNOWN, 0,
		    "a store is read as a plain file, not packed and not from a pipe");
	snprintf(t->format, sizeof(t->format), "%s", t->dump.seen.column);
	return 0;
}

int tprof_open(struct tprof **out, const char *path, const struct tprof_options *opt,
	       struct tprof_err *err)
{
	struct tprof *t = calloc(1, sizeof(*t));
	struct tp_err e = {.offset = TP_OFFSET_NONE};
	bool stored = false;
	int code;

	*out = NULL;
	if (!t)
		return give(tp_nomem(&e), NULL, &e, err);
	t->info.format = t->format;
	t->info.wall_ns = TPROF_UNKNOWN;
	code = take_options(&t->opt, opt, &e);
	if (!code && !(t->path = strdup(path)))
		code = tp_nomem(&e);
	if (!code)
		code = look(path, &stored, &e);
	if (!code)
		code = stored ? open_store(t, path, &e) : open_dump(t, path, &e);
	if (code)
		tprof_close(t);
	else
		*out = t;
	return give(code, stored ? NULL : path, &e, err);
}

void tprof_rewind(struct tprof *t)
{
	api_trace_end(t);
	if (!t->store && !t->profile)
		t->info = (struct tprof_info){.format = t->format, .wall_ns = TPROF_UNKNOWN};
	t->sample_at = 0;
	t->reading = API_NOTHING;
}

void tprof_close(struct tprof *t)
{
	if (!t)
		return;
	tprof_rewind(t);
	api_profile_release(t);
	tp_dict_free(t->stored_dict);
	tp_trace_release(&t->trace);
	tp_dump_release(&t->dump);
	tp_store_close(t->store);
	free(t->path);
	free(t);
}

/* ---- the current reading ---- */

int api_refuse(const struct tprof *t, enum api_reading reading, struct tprof_err *err)
{
	static const char *const names[] = {"", "events", "spans", "goroutines"};
	bool samples = reading == API_SAMPLES;
	struct tp_err e = {.offset = TP_OFFSET_NONE};
	int code = 0;

	if (samples != (t->info.kind == TPROF_PROFILE))
		code = tp_err_set(&e, TP_EUNKNOWN, TP_OFFSET_NONE,
				  samples ? "this is an execution trace (%s), not a profile"
					  : "this is a profile (%s), not an execution trace",
				  t->format);
	else if (!samples && t->reading && t->reading != reading)
		code = tp_err_set(&e, TPROF_EMISUSE, TP_OFFSET_NONE,
				  "%s are being read; call tprof_rewind before you read %s",
				  names[t->reading], names[reading]);
	return give(code, t->path, &e, err);
}

const struct tprof_info *tprof_info(struct tprof *t)
{
	return &t->info;
}

struct sqlite3 *tprof_db(struct tprof *t)
{
	return t->store ? tp_store_db(t->store) : NULL;
}

const struct tprof_notice *tprof_notice(struct tprof *t, size_t i)
{
	/* For a profile in a store, api_stored_open has read them from rows into t->trace. */
	bool of_profile = t->profile && !t->store;
	const struct tp_loss *loss = of_profile ? t->profile->losses : t->trace.losses;
	const struct tp_notice *notice = of_profile ? t->profile->notices : t->trace.notices;
	size_t nlosses = of_profile ? t->profile->nlosses : t->trace.nlosses;
	size_t nnotices = of_profile ? t->profile->nnotices : t->trace.nnotices;
	struct tprof_notice *n = &t->notice;

	/* Return a copy, because reading on may move the originals. */
	*n = (struct tprof_notice){
	    .from_ns = TPROF_UNKNOWN, .to_ns = TPROF_UNKNOWN, .text = t->notice_text};
	if (i >= nlosses) {
		i -= nlosses;
		if (i >= nnotices)
			return NULL;
		_Static_assert((int)TPROF_DAMAGE == (int)TP_DAMAGE, "severities are the same");
		n->severity = (enum tprof_severity)notice[i].severity;
		n->offset = notice[i].offset;
		snprintf(t->notice_text, sizeof(t->notice_text), "%s", notice[i].text);
		return n;
	}
	n->severity = TPROF_LOSS;
	n->offset = loss[i].offset;
	n->bytes = loss[i].bytes;
	n->events = loss[i].events;
	if (loss[i].from_ns != TP_NULL)
		n->from_ns = api_time(t, loss[i].from_ns);
	if (loss[i].to_ns != TP_NULL)
		n->to_ns = api_time(t, loss[i].to_ns);
	snprintf(t->notice_text, sizeof(t->notice_text), "%s", loss[i].reason);
	return n;
}

/* ---- import ---- */

static int import_progress(void *ctx, const char *stage, uint64_t done, uint64_t total)
{
	const struct tprof_options *opt = ctx;

	(void)stage;
	return opt->progress(opt->ctx, done, total);
}

int tprof_import(const char *dump, const char *store, const struct tprof_options *opt, int64_t *run,
		 struct tprof_err *err)
{
	struct tprof_options o;
	struct tp_err e = {.offset = TP_OFFSET_NONE};
	struct tp_import_result result;
	int code = take_options(&o, opt, &e);

	if (!code) {
		struct tp_import_options how = {
		    .name = o.name,
		    .labels = o.labels,
		    .nlabels = o.nlabels,
		    .strict = o.strict,
		    .store = {.wait_ms = -1},
		    .progress = o.progress ? import_progress : NULL,
		    .progress_ctx = &o,
		    .tmp_dir = o.tmp_dir,
		    .symbols = symbols_of(&o),
		};

		code = tp_import(dump, store, &how, &result, &e);
	}
	if (code)
		return give(code, dump, &e, err);
	*run = result.run;
	return result.known;
}

const char *tprof_version(void)
{
	return TPROF_VERSION;
}
