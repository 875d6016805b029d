/* Runs that are parts of a trace, among those that are picked. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "run.h"
#include "store/cut.h"

/* ---- which are parts ---- */

/* A part that does not say any more what it is of, or says it of another run, is a run like others.
 */
static int read_part(struct tp_store *s, struct rep_run *run, struct tp_err *err)
{
	struct tp_cut cut = {0};
	struct tp_err why;
	uint8_t hash[16];
	char own[33];
	int code = tp_store_peek_cut(s, run->row.id, &cut, &why);

	if (code == TP_ENOMEM) {
		*err = why;
		return code;
	}
	if (code != 1)
		return 0;
	tp_cut_hash(cut.dump, cut.first, cut.last, hash);
	tp_hash_text(hash, own);
	if (strcmp(own, run->row.hash) != 0)
		return 0;
	run->part = (struct rep_run_part){.first = cut.first, .last = cut.last, .of = cut.of};
	tp_hash_text(cut.dump, run->part.trace);
	return 0;
}

/* Whether there is a list of runs does not depend on blocks: damage there is for whoever reads them
 * to tell. */
int rep_runs_find_parts(struct tp_store *s, struct rep_runs *runs, struct tp_err *err)
{
	sqlite3_stmt *st = NULL;
	int code = 0;

	if (sqlite3_prepare_v2(
		tp_store_db(s),
		"SELECT 1 FROM main.block WHERE run = ?1 AND stream = '" TP_CUT_STREAM "' LIMIT 1",
		-1, &st, NULL))
		return 0;
	for (size_t i = 0; i < runs->n && !code; i++) {
		bool cut;

		if (strcmp(runs->run[i].row.kind, "trace") != 0)
			continue;
		cut = !sqlite3_bind_int64(st, 1, runs->run[i].row.id) &&
		      sqlite3_step(st) == SQLITE_ROW;
		sqlite3_reset(st);
		if (cut)
			code = read_part(s, &runs->run[i], err);
	}
	sqlite3_finalize(st);
	return code;
}

/* ---- what counts twice ---- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int rep_runs_find_twice(const struct rep_runs *runs, bool *twice)
{
	const char **hash = tp_many(runs->n + 1, sizeof(*hash));

	if (!hash)
		return TP_ENOMEM;
	for (size_t i = 0; i < runs->n; i++)
		hash[i] = runs->run[i].row.hash;
	qsort(hash, runs->n, sizeof(*hash), compare_texts);
	for (size_t i = 0; i < runs->n; i++) {
		const char *trace = runs->run[i].part.trace;

		twice[i] = *trace && bsearch(&trace, hash, runs->n, sizeof(*hash), compare_texts);
	}
	free(hash);
	return 0;
}

/* Takes parts out whose whole trace is there. */
static int leave_out(struct rep_runs *picked)
{
	bool *twice = tp_many(picked->n, sizeof(*twice));
	int code = twice ? rep_runs_find_twice(picked, twice) : TP_ENOMEM;
	size_t n = 0;

	for (size_t i = 0; i < picked->n && !code; i++)
		if (!twice[i])
			picked->run[n++] = picked->run[i];
	if (!code) {
		picked->parts_left = picked->n - n;
		picked->n = n;
	}
	free(twice);
	return code;
}

static int by_place(const void *a, const void *b)
{
	const struct rep_run *x = *(const struct rep_run *const *)a;
	const struct rep_run *y = *(const struct rep_run *const *)b;
	int order = strcmp(x->part.trace, y->part.trace);

	if (!order)
		order = (x->part.first > y->part.first) - (x->part.first < y->part.first);
	return order ? order : (x->part.last > y->part.last) - (x->part.last < y->part.last);
}

/* The first two that have generations in common. */
static int find_overlap(struct rep_runs *picked, size_t nparts)
{
	const struct rep_run **part = tp_many(nparts, sizeof(*part));
	size_t n = 0;

	if (!part)
		return TP_ENOMEM;
	for (size_t i = 0; i < picked->n && n < nparts; i++)
		if (*picked->run[i].part.trace)
			part[n++] = &picked->run[i];
	qsort(part, n, sizeof(*part), by_place);
	for (size_t i = 1; i < n && !picked->overlap[0]; i++) {
		if (strcmp(part[i - 1]->part.trace, part[i]->part.trace) != 0 ||
		    part[i]->part.first > part[i - 1]->part.last)
			continue;
		picked->overlap[0] = (size_t)(part[i - 1] - picked->run) + 1;
		picked->overlap[1] = (size_t)(part[i] - picked->run) + 1;
	}
	free(part);
	return 0;
}

static size_t count_parts(const struct rep_runs *runs)
{
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		n += *runs->run[i].part.trace != '\0';
	return n;
}

int rep_runs_pick(const struct rep_runs *all, const char *spec, struct rep_runs *picked,
		  struct tp_err *err)
{
	int code = rep_runs_select(all, spec, picked, err), failed = 0;
	size_t nparts;

	if (code || picked->n < 2)
		return code;
	nparts = count_parts(picked);
	if (nparts)
		failed = leave_out(picked);
	nparts -= picked->parts_left;
	if (nparts > 1 && !failed)
		failed = find_overlap(picked, nparts);
	return failed ? tp_nomem(err) : 0;
}

char *rep_runs_parts_text(const struct rep_runs *picked, char text[REP_RUNS_PARTS_TEXT])
{
	const struct rep_run *a, *b;
	int at = 0;

	text[0] = '\0';
	if (picked->parts_left == 1)
		at = snprintf(text, REP_RUNS_PARTS_TEXT,
			      "a part of a trace is left out, as the whole trace is picked, too; "
			      "--run=ID picks it alone");
	else if (picked->parts_left)
		at = snprintf(text, REP_RUNS_PARTS_TEXT,
			      "%zu parts of traces are left out, as the whole traces are picked, "
			      "too; --run=ID picks one alone",
			      picked->parts_left);
	if (!picked->overlap[0])
		return text;
	a = &picked->run[picked->overlap[0] - 1];
	b = &picked->run[picked->overlap[1] - 1];
	snprintf(text + at, REP_RUNS_PARTS_TEXT - (size_t)at,
		 "%s%.100s: the part of generations %u to %u (run %lld) and that of %u to %u (run "
		 "%lld) overlap: what both have counts twice, unless --run picks others",
		 at ? "; " : "", a->row.name, a->part.first, a->part.last, (long long)a->row.id,
		 b->part.first, b->part.last, (long long)b->row.id);
	return text;
}
