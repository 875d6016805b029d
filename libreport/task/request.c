#include "task/request.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/search.h"
#include "output/text.h"
#include "task/choose.h"
#include "task/workers.h"

/* ---- which logs ---- */

static bool in_word(const struct tp_text *t, size_t at)
{
	unsigned char c = at < t->size ? (unsigned char)t->text[at] : ' ';

	return isalnum(c) || c == '_' || c >= 0x80;
}

#define MOST_BLANKS 64

/* Goes back over blanks and quotes, but not far: a message may have nothing else. */
static size_t before_blanks(const struct tp_text *t, size_t at)
{
	for (size_t i = 0; at && i < MOST_BLANKS && memchr(" \t\"'", t->text[at - 1], 4); i++)
		at--;
	return at;
}

/* Returns whether `key` and a '=' or ':' stand before `at`. */
static bool follows_key(const struct tp_text *t, size_t at, const struct tp_text *key)
{
	at = before_blanks(t, at);
	if (!at || (t->text[at - 1] != '=' && t->text[at - 1] != ':'))
		return false;
	at = before_blanks(t, at - 1);
	return at >= key->size && !memcmp(t->text + at - key->size, key->text, key->size) &&
	       (at == key->size || !in_word(t, at - key->size - 1));
}

bool rep_request_in(struct tp_text message, struct tp_text key, struct tp_text id)
{
	const char *from = message.text, *end = message.text + message.size, *hit;

	if (!id.size)
		return false;
	while ((hit = memmem(from, (size_t)(end - from), id.text, id.size))) {
		size_t at = (size_t)(hit - message.text);

		if ((!at || !in_word(&message, at - 1)) && !in_word(&message, at + id.size) &&
		    (!key.size || follows_key(&message, at, &key)))
			return true;
		from = hit + 1;
	}
	return false;
}

static bool same(struct tp_text a, struct tp_text b)
{
	return a.size == b.size && !memcmp(a.text, b.text, a.size);
}

/* The answers by string: whether it is the key, whether it has the id, whether with the key. */
enum { KNOWN = 1, IS_KEY = 2, HAS_ID = 4, HAS_BOTH = 8 };

struct finding {
	struct rep_request *r;
	struct rep_view *v;
	struct rep_tasks tasks;
	struct tp_text key, id;
	uint8_t *answer;
	struct loose {
		int64_t ts, goroutine;
		int64_t start; /* of the innermost region */
		uint32_t region;
	} * loose; /* logs outside of tasks that are known */
	size_t nloose, room;
};

static uint8_t ask(struct finding *f, int64_t string)
{
	uint32_t s = string > 0 && string < tp_dict_strings(f->v->dict) ? (uint32_t)string : 0;
	struct tp_text t = tp_dict_text(f->v->dict, s);

	if (!f->answer[s])
		f->answer[s] =
		    (uint8_t)(KNOWN | (same(t, f->key) ? IS_KEY : 0) |
			      (rep_request_in(t, (struct tp_text){0}, f->id) ? HAS_ID : 0) |
			      (f->key.size && rep_request_in(t, f->key, f->id) ? HAS_BOTH : 0));
	return f->answer[s];
}

static bool matches(struct finding *f, size_t log)
{
	uint8_t message = ask(f, REP_AT(f->v, LOG, message, log));

	if (!(message & HAS_ID) || !f->key.size || message & HAS_BOTH)
		return message & HAS_ID;
	return ask(f, REP_AT(f->v, LOG, category, log)) & IS_KEY;
}

static void mark(uint8_t *of, size_t row, size_t *n)
{
	*n += !of[row];
	of[row] = 1;
}

static int find_tasks(struct finding *f)
{
	struct rep_view *v = f->v;
	int code = 0;

	for (size_t i = 0; i < v->nrows[TP_TABLE_LOG] && !code; i++) {
		int64_t id = REP_AT(v, LOG, task, i), g = REP_AT(v, LOG, goroutine, i);
		uint32_t task;

		if (!matches(f, i))
			continue;
		f->r->log[i] = 1;
		task = id > 0 ? rep_tasks_find(&f->tasks, id) : TP_NONE;
		if (task != TP_NONE) {
			mark(f->r->task, task, &f->r->ntasks);
			continue;
		}
		if (g < 0 || (uint64_t)g >= v->nrows[TP_TABLE_GOROUTINE])
			continue;
		code = tp_grow(&f->loose, &f->room, f->nloose, sizeof(*f->loose));
		if (!code)
			f->loose[f->nloose++] =
			    (struct loose){REP_AT(v, LOG, ts_ns, i), g, INT64_MIN, TP_NONE};
	}
	return code;
}

/* ---- logs outside of tasks ---- */

static int by_place(const void *a, const void *b)
{
	const struct loose *x = a, *y = b;

	if (x->goroutine != y->goroutine)
		return x->goroutine < y->goroutine ? -1 : 1;
	return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static int find_places(struct finding *f, struct tp_err *err)
{
	struct rep_view *v = f->v;
	struct rep_request *r = f->r;
	int code = 0;

	if (f->nloose)
		qsort(f->loose, f->nloose, sizeof(*f->loose), by_place);
	for (uint32_t i = 0; f->nloose && i < v->nrows[TP_TABLE_REGION] && !code; i++) {
		int64_t g = REP_AT(v, REGION, goroutine, i);
		int64_t start = rep_region_start(v, i), end = rep_region_end(v, i);
		struct loose at = {.goroutine = g, .ts = start};
		size_t k = 0, first;

		if (!REP_AT(v, REGION, name, i))
			continue;
		TP_SEARCH(k, f->nloose, m, by_place(&f->loose[m], &at) < 0);
		for (first = k;
		     k < f->nloose && f->loose[k].goroutine == g && f->loose[k].ts <= end; k++)
			if (start >= f->loose[k].start) {
				f->loose[k].start = start;
				f->loose[k].region = i;
			}
		code = rep_view_spend(v, k - first, err);
	}
	for (size_t i = 0; i < f->nloose && !code; i++)
		if (f->loose[i].region != TP_NONE)
			mark(r->region, f->loose[i].region, &r->nregions);
		else
			mark(r->goroutine, (size_t)f->loose[i].goroutine, &r->ngoroutines);
	return code;
}

/* ---- all of it ---- */

static int none(const struct rep_view *v, const char *text, struct tp_err *err)
{
	struct rep_keys categories = {0};
	struct tp_buf b = {0};
	uint32_t at;

	for (size_t i = 0; i < v->nrows[TP_TABLE_LOG]; i++) {
		int64_t category = REP_AT(v, LOG, category, i);

		if (category > 0 && rep_keys_add(&categories, (uint32_t)category, 0, 0, 0, &at))
			break;
	}
	if (categories.n && !rep_pick_names(&b, v->dict, &categories))
		tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			   "no log has the request %.60s; the logs have the key%s %.*s",
			   rep_request_shown(text), categories.n > 1 ? "s" : "", (int)b.size,
			   (const char *)b.data);
	else
		tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			   v->nrows[TP_TABLE_LOG]
			       ? "no log has the request %.60s; the logs have no categories"
			       : "no log has the request %.60s; the trace has no logs "
				 "(runtime/trace.Log)",
			   rep_request_shown(text));
	tp_buf_release(&b);
	rep_keys_release(&categories);
	return TP_ENOENT;
}

static int load(struct rep_view *v, struct tp_err *err)
{
	int code = rep_view_load(v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, name), err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_LOG,
				     REP_BIT(LOG, ts_ns) | REP_BIT(LOG, task) |
					 REP_BIT(LOG, goroutine) | REP_BIT(LOG, category) |
					 REP_BIT(LOG, message),
				     err);
	return code ? code
		    : rep_view_load(v, TP_TABLE_REGION,
				    REP_BIT(REGION, name) | REP_BIT(REGION, goroutine) |
					REP_BIT(REGION, start_ns) | REP_BIT(REGION, end_ns),
				    err);
}

int rep_request_find(struct rep_request *r, struct rep_view *v, const char *text,
		     struct tp_err *err)
{
	const char *id = strchr(text, '=');
	struct finding f = {.r = r, .v = v};
	int code;

	memset(r, 0, sizeof(*r));
	id = id ? id + 1 : text + 1;
	f.id = (struct tp_text){id, (uint32_t)strlen(id)};
	if (id > text + 1)
		f.key = (struct tp_text){text + 1, (uint32_t)(id - text - 2)};
	code = rep_tasks_init_ids(&f.tasks, v, err);
	if (!code)
		code = load(v, err);
	if (code)
		goto done;
	f.answer = calloc(tp_dict_strings(v->dict) + (size_t)1, 1);
	r->task = calloc(f.tasks.n + (size_t)1, 1);
	r->region = calloc(v->nrows[TP_TABLE_REGION] + 1, 1);
	r->goroutine = calloc(v->nrows[TP_TABLE_GOROUTINE] + 1, 1);
	r->log = calloc(v->nrows[TP_TABLE_LOG] + 1, 1);
	if (!f.answer || !r->task || !r->region || !r->goroutine || !r->log || find_tasks(&f))
		code = tp_nomem(err);
	if (!code)
		code = find_places(&f, err);
	if (!code && !r->ntasks && !r->nregions && !r->ngoroutines)
		code = none(v, text, err);
done:
	free(f.loose);
	free(f.answer);
	rep_tasks_release(&f.tasks);
	return code;
}

void rep_request_release(struct rep_request *r)
{
	free(r->task);
	free(r->region);
	free(r->goroutine);
	free(r->log);
	memset(r, 0, sizeof(*r));
}
