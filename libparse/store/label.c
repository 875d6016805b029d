/* Labels of a run that is in the store already. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/change.h"
#include "store/edit.h"
#include "store/store.h"

/* Appends "key=value" to a list that may be cut. */
static void list(char *text, size_t size, int key_size, const char *key, const char *value)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%.*s=%s", n ? ", " : "", key_size, key, value);
}

/* least: of two values for a key the one that comes first, byte by byte, is kept. */
static int set_one(sqlite3 *db, int64_t run, const char *label, bool least, struct tp_relabelled *r)
{
	const char *eq = strchr(label, '=');
	int n = eq ? (int)(eq - label) : 0, rc;
	sqlite3_stmt *old = NULL, *put = NULL;
	bool same = false;

	if (!n)
		return SQLITE_MISUSE;
	rc = sqlite3_prepare_v2(db, "SELECT value FROM label WHERE run = ? AND key = ?", -1, &old,
				NULL);
	if (!rc)
		rc = sqlite3_bind_int64(old, 1, run);
	if (!rc)
		rc = sqlite3_bind_text(old, 2, label, n, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_step(old);
	if (rc == SQLITE_ROW) {
		const char *was = (const char *)sqlite3_column_text(old, 0);

		same = was && (least ? strcmp(was, eq + 1) <= 0 : !strcmp(was, eq + 1));
		if (!same)
			list(r->before, sizeof(r->before), n, label, was ? was : "");
	}
	sqlite3_finalize(old);
	if (same || (rc != SQLITE_ROW && rc != SQLITE_DONE))
		return same ? SQLITE_OK : rc;
	rc = sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO label VALUES(?, ?, ?)", -1, &put, NULL);
	if (!rc)
		rc = sqlite3_bind_int64(put, 1, run);
	if (!rc)
		rc = sqlite3_bind_text(put, 2, label, n, SQLITE_STATIC);
	if (!rc)
		rc = sqlite3_bind_text(put, 3, eq + 1, -1, SQLITE_STATIC);
	if (!rc && sqlite3_step(put) != SQLITE_DONE)
		rc = SQLITE_ERROR;
	sqlite3_finalize(put);
	if (!rc)
		list(r->now, sizeof(r->now), n, label, eq + 1);
	return rc;
}

/* ---- many runs ---- */

struct labelling {
	const struct tp_labelled *runs;
	size_t n, changed;
	bool least;
};

static int set_many(struct sqlite3 *db, void *ctx, struct tp_err *err)
{
	struct labelling *l = ctx;
	int rc = SQLITE_OK;

	(void)err;
	for (size_t i = 0; !rc && i < l->n; i++) {
		const struct tp_labelled *one = &l->runs[i];
		struct tp_relabelled r = {.run = 0};

		rc = tp_find_run(db, one->hash, &r.run);
		for (size_t k = 0; !rc && r.run && k < one->n; k++)
			rc = set_one(db, r.run, one->labels[k], l->least, &r);
		l->changed += r.now[0] != 0;
	}
	return rc;
}

int tp_store_relabel_all(const char *path, int wait_ms, const struct tp_labelled *runs,
			 size_t nruns, size_t *changed, struct tp_err *err)
{
	struct labelling l = {.runs = runs, .n = nruns};
	int code = tp_change(path, wait_ms, set_many, &l, "cannot write labels of", err);

	*changed = code ? 0 : l.changed;
	return code;
}

int tp_store_add_labels(const char *path, int wait_ms, const struct tp_labelled *runs, size_t nruns,
			struct tp_err *err)
{
	struct labelling l = {.runs = runs, .n = nruns, .least = true};

	return tp_change(path, wait_ms, set_many, &l, "cannot write labels of", err);
}

/* ---- one ---- */

struct relabelling {
	const char *hash;
	const char *const *labels;
	size_t n;
	struct tp_relabelled *r;
};

static int set_all(struct sqlite3 *db, void *ctx, struct tp_err *err)
{
	struct relabelling *l = ctx;
	int rc = tp_find_run(db, l->hash, &l->r->run);

	(void)err;
	if (!rc && !l->r->run)
		return TP_CHANGE_GONE;
	for (size_t i = 0; !rc && i < l->n; i++)
		rc = set_one(db, l->r->run, l->labels[i], false, l->r);
	return rc;
}

int tp_store_relabel(const char *path, int wait_ms, const char *hash, const char *const *labels,
		     size_t n, struct tp_relabelled *r, struct tp_err *err)
{
	struct relabelling l = {.hash = hash, .labels = labels, .n = n};

	memset(r, 0, sizeof(*r));
	l.r = r;
	return tp_change(path, wait_ms, set_all, &l, "cannot label a run of", err);
}

/* ---- the same for some ---- */

struct alteration {
	const char *const *hashes;
	size_t nruns;
	const struct tp_label_change *change;
	struct tp_label_changed *did;
};

static int take_away(sqlite3 *db, int64_t run, const struct alteration *a)
{
	static const char sql[] = "DELETE FROM main.label WHERE run = ?1 AND key = ?2";
	int rc = SQLITE_OK;

	for (size_t i = 0; i < a->change->ngone && !rc; i++) {
		rc = tp_change_step(db, sql, run, a->change->gone[i]);
		a->did->gone += rc ? 0 : (size_t)sqlite3_changes(db);
	}
	return rc;
}

static int alter(struct sqlite3 *db, void *ctx, struct tp_err *err)
{
	struct alteration *a = ctx;
	int rc = SQLITE_OK;

	(void)err;
	for (size_t i = 0; i < a->nruns && !rc; i++) {
		struct tp_relabelled r = {.run = 0};

		rc = tp_find_run(db, a->hashes[i], &r.run);
		if (rc || !r.run)
			continue;
		a->did->runs++;
		for (size_t k = 0; k < a->change->nset && !rc; k++)
			rc = set_one(db, r.run, a->change->set[k], false, &r);
		a->did->changed += r.now[0] != 0;
		if (!rc)
			rc = take_away(db, r.run, a);
	}
	return rc || a->did->runs ? rc : TP_CHANGE_GONE;
}

int tp_store_change_labels(const char *path, int wait_ms, const char *const *hashes, size_t nruns,
			   const struct tp_label_change *change, struct tp_label_changed *did,
			   struct tp_err *err)
{
	struct tp_label_changed counted = {0};
	struct alteration a = {hashes, nruns, change, &counted};
	int code = tp_change(path, wait_ms, alter, &a, "cannot change labels of a run of", err);

	if (code)
		memset(&counted, 0, sizeof(counted));
	*did = counted;
	return code;
}
