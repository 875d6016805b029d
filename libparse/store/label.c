/* Changes labels of runs that are in a store. */
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "store/change.h"
#include "store/edit.h"
#include "store/query.h"

/* Appends "key=value" to a list, which may be cut. */
static void list(char *text, size_t size, int key_size, const char *key, const char *value)
{
	size_t n = strlen(text);

	snprintf(text + n, size - n, "%s%.*s=%s", n ? ", " : "", key_size, key, value);
}

static int set_one(sqlite3 *db, const char *label, bool least, struct tp_relabelled *r)
{
	const char *eq = strchr(label, '=');
	size_t n = eq ? (size_t)(eq - label) : 0;
	struct tp_query q;
	bool same = false;
	int rc;

	if (!n)
		return SQLITE_MISUSE;
	q = tp_query(NULL, db, "SELECT value FROM label WHERE run = ? AND key = ?", "it", r->run,
		     label, n);
	if (tp_query_row(&q)) {
		const char *was = (const char *)sqlite3_column_text(q.stmt, 0);

		same = was && (least ? strcmp(was, eq + 1) <= 0 : !strcmp(was, eq + 1));
		if (!same)
			list(r->before, sizeof(r->before), (int)n, label, was ? was : "");
	}
	rc = tp_query_done(&q);
	if (rc || same)
		return rc;
	q = tp_query(NULL, db, "INSERT OR REPLACE INTO label VALUES(?, ?, ?)", "its", r->run, label,
		     n, eq + 1);
	tp_query_row(&q);
	rc = tp_query_done(&q);
	if (!rc)
		list(r->now, sizeof(r->now), (int)n, label, eq + 1);
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
