/* Changes labels of runs that are in a store. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/change.h"
#include "store/edit.h"

/* Appends "key=value" to a list, which may be cut. */
static void list(char *text, size_t size, int key_size, const char *key, const char *value)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%.*s=%s", n ? ", " : "", key_size, key, value);
}

static int set_one(sqlite3 *db, const char *label, bool least, struct tp_relabelled *r)
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
		rc = sqlite3_bind_int64(old, 1, r->run);
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
		rc = sqlite3_bind_int64(put, 1, r->run);
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

static int remove_one(sqlite3 *db, const char *key, struct tp_relabelled *r)
{
	int rc =
	    tp_change_step(db, "DELETE FROM main.label WHERE run = ?1 AND key = ?2", r->run, key);

	r->removed += rc ? 0 : (size_t)sqlite3_changes(db);
	return rc;
}

struct labelling {
	struct tp_labelled *runs;
	size_t n;
	bool least;
};

static int label_runs(struct sqlite3 *db, void *ctx, struct tp_err *err)
{
	struct labelling *l = ctx;
	bool any = false;
	int rc = SQLITE_OK;

	(void)err;
	for (size_t i = 0; !rc && i < l->n; i++) {
		struct tp_labelled *run = &l->runs[i];
		struct tp_relabelled *r = &run->result;

		rc = tp_find_run(db, run->hash, &r->run);
		if (!r->run)
			continue;
		any = true;
		for (size_t k = 0; !rc && k < run->nset; k++)
			rc = set_one(db, run->set[k], l->least, r);
		for (size_t k = 0; !rc && k < run->nremove; k++)
			rc = remove_one(db, run->remove[k], r);
	}
	return rc || any ? rc : TP_CHANGE_GONE;
}

int tp_store_label(const char *path, int wait_ms, struct tp_labelled *runs, size_t n, bool least,
		   struct tp_err *err)
{
	struct labelling l = {runs, n, least};

	for (size_t i = 0; i < n; i++)
		memset(&runs[i].result, 0, sizeof(runs[i].result));
	return tp_change(path, wait_ms, label_runs, &l, "cannot change labels of a run of", err);
}
