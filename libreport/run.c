#include "run.h"
#include "store/sqlerr.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"

static const char runs_sql[] =
    "SELECT id, kind, name, source, hash, format, start_ns, duration_ns, ticks, wall_ns, events,"
    " inferred, generations, goroutines, size_in, lost_bytes, lost_events, imported_ns,"
    " (SELECT count(*) FROM loss WHERE loss.run = run.id),"
    " (SELECT group_concat(text, '; ') FROM (SELECT DISTINCT text FROM (SELECT " REP_NOTICE_TEXT
    " AS text FROM notice WHERE notice.run = run.id AND severity > 0 ORDER BY rowid LIMIT 3))),"
    " EXISTS (SELECT 1 FROM loss WHERE loss.run = run.id AND bytes = 0 AND events = 0)"
    " FROM run ORDER BY id";
static const char labels_sql[] =
    "SELECT run, key || '=' || value FROM label ORDER BY run, key, value";

static int store_error(sqlite3 *db, struct tp_err *err)
{
	return tp_sql_cause(err, db, "cannot read the list of runs");
}

static int64_t number_or_null(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ? TP_NULL
							      : sqlite3_column_int64(st, column);
}

/* A copy of the column's text, "" for NULL; NULL when memory is out. */
static char *text(sqlite3_stmt *st, int column)
{
	const char *t = (const char *)sqlite3_column_text(st, column);

	return strdup(t ? t : "");
}

/* The entry is valid to release also after an error. */
static int read_run(sqlite3_stmt *st, struct rep_run *run)
{
	struct tp_run *r = &run->row;

	r->id = sqlite3_column_int64(st, 0);
	r->kind = text(st, 1);
	r->name = text(st, 2);
	r->source = text(st, 3);
	r->hash = text(st, 4);
	r->format = text(st, 5);
	r->start_ns = sqlite3_column_int64(st, 6);
	r->duration_ns = sqlite3_column_int64(st, 7);
	r->ticks = sqlite3_column_int(st, 8) != 0;
	r->wall_ns = number_or_null(st, 9);
	r->events = sqlite3_column_int64(st, 10);
	r->inferred = sqlite3_column_int64(st, 11);
	r->generations = sqlite3_column_int64(st, 12);
	r->goroutines = sqlite3_column_int64(st, 13);
	r->size_in = sqlite3_column_int64(st, 14);
	r->lost_bytes = sqlite3_column_int64(st, 15);
	r->lost_events = sqlite3_column_int64(st, 16);
	r->imported_ns = sqlite3_column_int64(st, 17);
	run->losses = sqlite3_column_int64(st, 18);
	run->warning = text(st, 19);
	run->uncounted = sqlite3_column_int(st, 20) != 0;
	return r->kind && r->name && r->source && r->hash && r->format && run->warning ? 0
										       : TP_ENOMEM;
}

static int put_label(struct rep_run *run, sqlite3_stmt *st, struct tp_err *err)
{
	char **grown = tp_more(run->labels, run->nlabels + 1, sizeof(*grown));

	if (grown)
		run->labels = grown;
	if (!grown || !(grown[run->nlabels] = text(st, 1)))
		return tp_nomem(err);
	run->nlabels++;
	return 0;
}

/* Of all runs in one pass, as both are in the order of runs: a fleet's store has thousands. */
static int load_labels(sqlite3 *db, struct rep_runs *runs, struct tp_err *err)
{
	sqlite3_stmt *st = NULL;
	size_t i = 0;
	int code = 0, step = SQLITE_ERROR;

	if (sqlite3_prepare_v2(db, labels_sql, -1, &st, NULL))
		return store_error(db, err);
	while (!code && (step = sqlite3_step(st)) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(st, 0);

		while (i < runs->n && runs->run[i].row.id < id)
			i++;
		if (i < runs->n && runs->run[i].row.id == id)
			code = put_label(&runs->run[i], st, err);
	}
	if (!code && step != SQLITE_DONE)
		code = store_error(db, err);
	sqlite3_finalize(st);
	return code;
}

static struct rep_run *append(struct rep_runs *runs)
{
	struct rep_run *grown = tp_more(runs->run, runs->n + 1, sizeof(*grown));

	if (!grown)
		return NULL;
	runs->run = grown;
	memset(&grown[runs->n], 0, sizeof(*grown));
	return &grown[runs->n++];
}

int rep_runs_load(struct tp_store *s, struct rep_runs *runs, struct tp_err *err)
{
	sqlite3 *db = tp_store_db(s);
	sqlite3_stmt *st = NULL;
	int code = 0, step = SQLITE_ERROR;

	memset(runs, 0, sizeof(*runs));
	if (sqlite3_prepare_v2(db, runs_sql, -1, &st, NULL))
		return store_error(db, err);
	while ((step = sqlite3_step(st)) == SQLITE_ROW) {
		struct rep_run *run = append(runs);

		if (!run || read_run(st, run)) {
			code = tp_nomem(err);
			goto done;
		}
	}
	if (step != SQLITE_DONE)
		code = store_error(db, err);
	if (!code)
		code = load_labels(db, runs, err);
done:
	sqlite3_finalize(st);
	return code;
}

static bool has_label(const struct rep_run *run, const char *label)
{
	for (size_t i = 0; i < run->nlabels; i++)
		if (!strcmp(run->labels[i], label))
			return true;
	return false;
}

/* The label of the run that the spec begins with, up to a comma or its end: there may be commas in
 * it, and a run has one label of a key. Its length, 0 for none. */
static size_t begins_with(const struct rep_run *run, const char *spec)
{
	for (size_t i = 0; i < run->nlabels; i++) {
		size_t n = strlen(run->labels[i]);

		if (!strncmp(spec, run->labels[i], n) && (!spec[n] || spec[n] == ','))
			return n;
	}
	return 0;
}

/* All of "key=value,key=value", two at least; the last may be the name. */
static bool has_labels(const struct rep_run *run, const char *spec)
{
	const char *at = spec;
	size_t n;

	while ((n = begins_with(run, at))) {
		if (!at[n])
			return true;
		at += n + 1;
	}
	return at != spec && !strcmp(at, run->row.name);
}

static bool is_id(const char *spec, int64_t id)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long)id);
	return !strcmp(spec, digits);
}

static const struct rep_run *latest(const struct rep_runs *all)
{
	const struct rep_run *best = NULL;

	for (size_t i = 0; i < all->n; i++)
		if (!best || all->run[i].row.imported_ns >= best->row.imported_ns)
			best = &all->run[i];
	return best;
}

static int pick(struct rep_runs *picked, const struct rep_run *run, struct tp_err *err)
{
	struct rep_run *slot = append(picked);

	if (!slot)
		return tp_nomem(err);
	*slot = *run;
	return 0;
}

#define LIST_END  8  /* for ", …" */
#define MORE_RUNS 40 /* for " and 2 more" */

static bool has_key(const struct rep_run *run, const char *key, size_t n)
{
	for (size_t i = 0; i < run->nlabels; i++)
		if (!strncmp(run->labels[i], key, n) && run->labels[i][n] == '=')
			return true;
	return false;
}

/* Adds a word of n bytes to a list that has room for `size` and the end; false: it is full. */
static bool list_word(char *list, size_t size, const char *word, size_t n)
{
	size_t used = strlen(list);
	/* A comma of its own would look like the end of it. */
	const char *quote = memchr(word, ',', n) ? "'" : "";
	int more = snprintf(list + used, size - used, "%s%s%.*s%s", used ? ", " : "", quote, (int)n,
			    word, quote);

	if (more >= 0 && (size_t)more < size - used)
		return true;
	snprintf(list + used, size + LIST_END - used, "%s", used ? ", …" : "");
	return false;
}

/* "host, version": the keys of all labels, each once. */
static void list_keys(const struct rep_runs *all, char *list, size_t size)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->run[i].nlabels; k++) {
			const char *label = all->run[i].labels[k];
			size_t n = strcspn(label, "=");
			bool seen = false;

			for (size_t j = 0; j < i && !seen; j++)
				seen = has_key(&all->run[j], label, n);
			if (!seen && !list_word(list, size, label, n))
				return;
		}
}

/* "v1, v2": what the labels of this key are, each once. */
static void list_values(const struct rep_runs *all, const char *key, size_t n, char *list,
			size_t size)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->run[i].nlabels; k++) {
			const char *label = all->run[i].labels[k];
			bool seen = strncmp(label, key, n) != 0 || label[n] != '=';

			for (size_t j = 0; j < i && !seen; j++)
				seen = has_label(&all->run[j], label);
			if (!seen && !list_word(list, size, label + n + 1, strlen(label + n + 1)))
				return;
		}
}

/* What of "key=value,key=value" no run has, its length into *n; NULL: some have each of them. */
static const char *unknown_label(const struct rep_runs *all, const char *spec, size_t *n)
{
	for (;; spec += *n + 1) {
		*n = 0;
		for (size_t i = 0; i < all->n; i++) {
			size_t more = begins_with(&all->run[i], spec);

			*n = more > *n ? more : *n;
		}
		if (!*n) {
			*n = strcspn(spec, ",");
			return spec;
		}
		if (!spec[*n])
			return NULL;
	}
}

static int no_such_label(const struct rep_runs *all, const char *spec, struct tp_err *err)
{
	char list[160] = "";
	size_t n, key;
	const char *unknown = unknown_label(all, spec, &n);
	bool known = false;

	if (!unknown)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no run has all the labels '%.100s'; each of them is some run's",
				  spec);
	if (n && unknown != spec && !memchr(unknown, '=', n))
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no run with the labels '%.*s' is called '%.60s'",
				  (int)(unknown - spec - 1 < 100 ? unknown - spec - 1 : 100), spec,
				  unknown);
	key = strcspn(unknown, "=");
	key = key < n ? key : n;
	n = n < 60 ? n : 60;
	for (size_t i = 0; i < all->n && !known; i++)
		known = has_key(&all->run[i], unknown, key);
	if (known) {
		list_values(all, unknown, key, list, sizeof(list) - LIST_END);
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no run has the label '%.*s'; %.*s is: %s", (int)n, unknown,
				  (int)(key < 60 ? key : 60), unknown, list);
	}
	list_keys(all, list, sizeof(list) - LIST_END);
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  *list ? "no run has the label '%.*s', nor any of that key; keys are: %s"
				: "no run has the label '%.*s'; none has any%s",
			  (int)n, unknown, list);
}

/* The first label with this value, or NULL. */
static const char *label_of_value(const struct rep_runs *all, const char *value)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->run[i].nlabels; k++) {
			const char *label = all->run[i].labels[k];

			if (label[strcspn(label, "=")] && !strcmp(strchr(label, '=') + 1, value))
				return label;
		}
	return NULL;
}

static int no_such_run(const struct rep_runs *all, const char *spec, struct tp_err *err)
{
	char list[160 + MORE_RUNS] = "";
	const char *label = *spec ? label_of_value(all, spec) : NULL;
	size_t used = 0;

	if (strchr(spec, '='))
		return no_such_label(all, spec, err);
	if (label)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no run is called '%.60s'; it is a value of the label %.*s: "
				  "--run=%.120s",
				  spec, (int)strcspn(label, "="), label, label);
	for (size_t i = 0; i < all->n; i++) {
		size_t room = sizeof(list) - MORE_RUNS - used;
		int n = snprintf(list + used, room, "%s%lld (%s)", i ? ", " : "",
				 (long long)all->run[i].row.id, all->run[i].row.name);

		if (n < 0 || (size_t)n >= room) {
			snprintf(list + used, sizeof(list) - used, "%s%zu %s", i ? " and " : "",
				 all->n - i,
				 i	       ? "more"
				 : all->n == 1 ? "run"
					       : "runs");
			break;
		}
		used += (size_t)n;
	}
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "no run is called '%.60s'; there are: %s",
			  spec, list);
}

int rep_runs_select(const struct rep_runs *all, const char *spec, struct rep_runs *picked,
		    struct tp_err *err)
{
	/* In this order; the first rule that finds something decides. */
	enum { BY_WORD, BY_ID, BY_LABEL, BY_LABELS, BY_NAME, RULES };
	int code = 0;

	memset(picked, 0, sizeof(*picked));
	picked->shared = true;
	if (!all->n)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "%s", REP_NO_RUNS);
	for (int rule = BY_WORD; rule < RULES && !picked->n; rule++) {
		for (size_t i = 0; !code && i < all->n; i++) {
			const struct rep_run *run = &all->run[i];
			bool match = false;

			if (rule == BY_WORD)
				match = !strcmp(spec, "all") ||
					(!strcmp(spec, "latest") && run == latest(all));
			else if (rule == BY_ID)
				match = is_id(spec, run->row.id);
			else if (rule == BY_LABEL)
				match = has_label(run, spec);
			else if (rule == BY_LABELS)
				match = has_labels(run, spec);
			else
				match = !strcmp(spec, run->row.name);
			if (match)
				code = pick(picked, run, err);
		}
	}
	if (!code && !picked->n)
		code = no_such_run(all, spec, err);
	return code;
}

void rep_runs_release(struct rep_runs *runs)
{
	for (size_t i = 0; !runs->shared && i < runs->n; i++) {
		struct rep_run *run = &runs->run[i];

		free((char *)run->row.kind);
		free((char *)run->row.name);
		free((char *)run->row.source);
		free((char *)run->row.hash);
		free((char *)run->row.format);
		free(run->warning);
		for (size_t k = 0; k < run->nlabels; k++)
			free(run->labels[k]);
		free(run->labels);
	}
	free(runs->run);
	memset(runs, 0, sizeof(*runs));
}

int rep_runs_check_clocks(const struct rep_run *run, size_t n, const char *verb, struct tp_err *err)
{
	for (size_t i = 1; i < n; i++)
		if (run[i].row.ticks != run[0].row.ticks)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "one of the runs has no clock: its ticks cannot be %s "
					  "the times of the others",
					  verb);
	return 0;
}

/* "1000ns", or "0"; up to a comma. */
static bool is_in_ticks(const char *text, size_t size)
{
	size_t digits = strspn(text, "0123456789");

	if (!digits)
		return false;
	return size == digits + 2 ? !memcmp(text + digits, "ns", 2)
				  : strspn(text, "0") == size && size;
}

int rep_run_check_time(const struct rep_run *run, const char *option, const char *text,
		       const char *others, struct tp_err *err)
{
	size_t size;

	if (!run->row.ticks)
		return 0;
	for (const char *at = text;; at += size + 1) {
		size = strcspn(at, ",");
		if (!is_in_ticks(at, size))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "%s %.100s: the trace has no clock, and does not say how "
					  "long its ticks are; give %sticks, like 1000ns",
					  option, text, others);
		if (!at[size])
			return 0;
	}
}

char *rep_run_heading(const struct rep_run *run, char text[REP_RUN_HEADING])
{
	char goroutines[28], events[28], ticks[28], duration[64];

	if (run->row.ticks)
		snprintf(duration, sizeof(duration), "%s ticks (the trace has no clock)",
			 tp_fmt_count(ticks, run->row.duration_ns));
	else
		tp_fmt_ns(duration, run->row.duration_ns);
	snprintf(text, REP_RUN_HEADING, "%s: format %s, %s, %s goroutine%s, %s event%s",
		 run->row.name, run->row.format, duration,
		 tp_fmt_count(goroutines, run->row.goroutines), run->row.goroutines == 1 ? "" : "s",
		 tp_fmt_count(events, run->row.events), run->row.events == 1 ? "" : "s");
	return text;
}
