/* Stores that nobody vouches for: damaged ones are checked, read, reported on, asked by SQL,
 * changed and imported into. Every call may fail, with a sentence. */
#include <stdio.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>

#include "harness/damage.h"
#include "harness/fuzz.h"
#include "store/edit.h"
#include "store/merge/merge.h"
#include "store/tables.h"
#include "store/verify.h"

struct verdict {
	bool failed; /* it could not be verified: a part of it is of a newer version, say */
	size_t wrong, of_file;
	int64_t run[8]; /* the first ones that something is wrong with */
	size_t nruns;
	char last[200];
};

static void found(void *ctx, int64_t run, const char *what)
{
	struct verdict *v = ctx;

	MUST(what && what[0]);
	v->wrong++;
	v->of_file += !run;
	snprintf(v->last, sizeof(v->last), "%s", what);
	if (run && v->nruns < 8 && (!v->nruns || v->run[v->nruns - 1] != run))
		v->run[v->nruns++] = run;
}

static struct verdict verify(const char *path)
{
	struct verdict verdict = {0};
	const struct tp_verify v = {.found = found, .ctx = &verdict};
	struct tp_err err = {0};
	size_t wrong = 0;

	verdict.failed = tp_store_verify(path, &v, &wrong, &err);
	if (verdict.failed) {
		MUST_SAY(err);
		snprintf(verdict.last, sizeof(verdict.last), "%.190s", err.msg);
	} else {
		MUST(verdict.wrong == wrong);
	}
	return verdict;
}

static void read_trace(struct fuzz_store *f)
{
	struct tp_event_range all = {INT64_MIN, INT64_MAX, 0, INT64_MAX};
	int64_t run = f->run->row.id;
	struct tp_event_reader *reader;
	const struct tp_event *ev;
	struct tp_err err = {0};
	size_t n;
	int more;

	for (int t = 0; t < TP_NTABLES; t++) {
		struct tp_rows rows;

		if (tp_rows_load(f->s, run, (enum tp_table_id)t, 0, &rows, &err))
			MUST_SAY(err);
		tp_rows_release(&rows);
	}
	if (tp_events_open(&reader, f->s, run, &all, &err)) {
		MUST_SAY(err);
		return;
	}
	while ((more = tp_events_next(reader, &ev, &n, &err)) > 0)
		for (size_t i = 0; i < n; i++)
			MUST(ev[i].from < 255 && ev[i].to < 255);
	if (more)
		MUST_SAY(err);
	tp_events_close(reader);
}

static void read_profile(struct fuzz_store *f, uint64_t pick)
{
	struct tp_profile *p;
	struct tp_err err = {0};

	if (tp_profile_load(f->s, f->run->row.id, &p, &err)) {
		MUST_SAY(err);
		return;
	}
	fuzz_profile_check(p);
	fuzz_profile_round(p);
	fuzz_profile_reports(p, pick);
	tp_profile_free(p);
}

/* ---- merging ---- */

/* Does a store have the dump that is a run of the result? */
static bool has_dump(const char *path, const char *merged, int64_t run)
{
	static const char sql[] =
	    "select 1 from other.run not indexed "
	    "where hash = (select hash from main.run where id = ?1)"; /* the index may lack it */
	sqlite3_stmt *s = NULL;
	sqlite3 *db;
	bool has = true;

	MUST(!sqlite3_open_v2(merged, &db, SQLITE_OPEN_READONLY, NULL));
	MUST(!sqlite3_prepare_v2(db, "attach ?1 as other", -1, &s, NULL));
	sqlite3_bind_text(s, 1, path, -1, SQLITE_STATIC);
	sqlite3_step(s);
	sqlite3_finalize(s);
	/* What cannot be asked has it. */
	if (!sqlite3_prepare_v2(db, sql, -1, &s, NULL)) {
		sqlite3_bind_int64(s, 1, run);
		has = sqlite3_step(s) != SQLITE_DONE;
		sqlite3_finalize(s);
	}
	sqlite3_close(db);
	return has;
}

/* What is damaged may stay so, in the run that is, and nothing else. */
static void check_merged(const char *path, const struct verdict *before, const char *damaged)
{
	struct verdict after = verify(path);
	bool sound = !before->failed && !before->wrong,
	     /* Where something is wrong with the file, runs were not looked at before. */
	    bad = (after.failed && !before->failed && !before->of_file) || after.of_file ||
		  (sound && after.wrong);

	for (size_t i = 0; i < after.nruns && !bad; i++)
		bad = !has_dump(damaged, path, after.run[i]);
	if (bad)
		fprintf(stderr, "%s\n", after.last);
	MUST(!bad);
}

static int merge(const char *to, const char *const *stores, size_t n, struct tp_err *err)
{
	const struct tp_merge_options opt = {.wait_ms = 0};
	struct tp_merge_result result;
	int code = tp_store_merge(to, stores, n, &opt, &result, err);

	if (code)
		MUST_SAY(*err);
	return code;
}

static void must_be_same(const char *a, const char *b)
{
	FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
	uint8_t x[4096], y[4096];
	size_t n, m;

	MUST(f && g);
	do {
		n = fread(x, 1, sizeof(x), f);
		m = fread(y, 1, sizeof(y), g);
		MUST(n == m && !memcmp(x, y, n));
	} while (n);
	fclose(f);
	fclose(g);
}

/* With a sound store beside it, in one of the ways there are; by a second one the result has to be
 * the same. */
static void merge_beside(const char *path, const struct damaged *d, uint64_t pick)
{
	const char *beside =
	    d->beside ? fuzz_file("beside", d->beside->data, d->beside->size) : path;
	const char *to = fuzz_path("merged"), *again = fuzz_path("again");
	const char *const stores[] = {path, beside}, *const turned[] = {beside, path};
	struct verdict before = verify(path);
	struct tp_err err = {0};
	int code;

	if (d->way > 1) {
		/* One of them is what the other goes into. */
		const struct tp_buf *into = d->way == 2 || !d->beside ? &d->file : d->beside;

		to = fuzz_file("merged", into->data, into->size);
		code = merge(to, into == &d->file ? &beside : &path, 1, &err);
	} else {
		code = merge(to, d->way ? turned : stores, 2, &err);
	}
	if (code) {
		MUST(d->changed);
		return;
	}
	check_merged(to, &before, path);
	if (!fuzz_pick(&pick, 4) && d->way < 2) {
		MUST(!merge(again, d->way ? stores : turned, 2, &err));
		must_be_same(to, again);
	}
}

/* With itself, as a store that is there and one that goes into a new one. */
static int merge_itself(const char *path, bool anew, struct tp_err *err)
{
	const char *to = anew ? fuzz_path("merged") : path;
	struct verdict before = verify(path);
	int code = merge(to, &path, 1, err);

	if (!code)
		check_merged(to, &before, path);
	return code;
}

/* ---- all of it ---- */

/* Of the first run, if there is one, as its row says it. */
static void first_hash(const char *path, char hash[64])
{
	sqlite3_stmt *st = NULL;
	struct tp_store *s;
	struct tp_err err = {0};

	*hash = '\0';
	if (tp_store_open(&s, path, &err)) {
		MUST_SAY(err);
		return;
	}
	if (!sqlite3_prepare_v2(tp_store_db(s), "SELECT hash FROM run WHERE id = 1", -1, &st,
				NULL) &&
	    sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0))
		snprintf(hash, 64, "%s", (const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	tp_store_close(s);
}

static void edit(const char *path, uint64_t pick)
{
	static const uint8_t heap[] = "heap profile: 1: 2 [3: 4] @ heap/1\n1: 2 [3: 4] @ 0x10\n";
	static const char *const labels[] = {"rev=b"}, *const keys[] = {"rev"};
	char hash[64];
	const char *const runs[] = {hash};
	const struct tp_import_options opt = {.threads = 1};
	struct tp_import_result result;
	struct tp_labelled run = {.hash = hash};
	struct tp_err err = {0};
	int64_t before, after;
	size_t gone;
	int code, from;

	first_hash(path, hash);
	switch (fuzz_pick(&pick, 9)) {
	case 0:
		code = tp_store_rename(path, 0, hash, "name", &err);
		break;
	case 1:
		run.set = labels;
		run.nset = 1;
		code = tp_store_label(path, 0, &run, 1, false, &err);
		break;
	case 2:
		run.remove = keys;
		run.nremove = 1;
		code = tp_store_label(path, 0, &run, 1, false, &err);
		break;
	case 3:
		code = tp_store_delete(path, 0, runs, 1, &gone, &err);
		break;
	case 4:
		code = tp_store_compact(path, 0, &before, &after, &err);
		break;
	case 5:
		code = tp_store_upgrade(path, 0, &from, &err);
		break;
	case 6:
	case 7:
		code = merge_itself(path, fuzz_pick(&pick, 2), &err);
		break;
	default:
		code =
		    tp_import(fuzz_file("dump", heap, sizeof(heap) - 1), path, &opt, &result, &err);
		break;
	}
	if (code)
		MUST_SAY(err);
}

static void look(const char *path, bool library, uint64_t *pick)
{
	struct fuzz_store f = {.hostile = true, .path = path};
	struct tp_err err = {0};

	if (tp_store_open(&f.s, f.path, &err)) {
		MUST_SAY(err);
		return;
	}
	if (rep_runs_load(f.s, &f.runs, &err))
		MUST_SAY(err);
	for (size_t i = 0; i < f.runs.n && i < 2; i++) {
		f.run = &f.runs.run[i];
		f.result.run = f.run->row.id;
		f.result.profile = strcmp(f.run->row.kind, "trace") != 0;
		if (library)
			fuzz_library(&f, NULL, 0);
		if (!fuzz_pick(pick, 8)) {
			fuzz_sql(&f, *pick);
		} else if (f.result.profile) {
			read_profile(&f, *pick);
		} else {
			if (!fuzz_pick(pick, 3))
				read_trace(&f);
			fuzz_trace_reports(&f, *pick);
		}
	}
	rep_runs_release(&f.runs);
	tp_store_close(f.s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t pick = fuzz_hash(data, size);
	struct damaged d;
	const char *path;

	damage_apply(data, size, &d);
	path = fuzz_file("store", d.file.data, d.file.size);
	if (d.merge) {
		merge_beside(path, &d, pick);
	} else {
		if (!fuzz_pick(&pick, 4))
			verify(path);
		look(path, !(size % 4), &pick);
		if (!fuzz_pick(&pick, 4))
			edit(path, pick);
	}
	tp_buf_release(&d.file);
	fuzz_sweep();
	return 0;
}
