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

static void found(void *ctx, int64_t run, const char *what)
{
	size_t *n = ctx;

	(void)run;
	MUST(what && what[0]);
	++*n;
}

static void verify(const char *path)
{
	size_t told = 0, wrong = 0;
	const struct tp_verify v = {.found = found, .ctx = &told};
	struct tp_err err = {0};

	if (tp_store_verify(path, &v, &wrong, &err))
		MUST_SAY(err);
	else
		MUST(told == wrong);
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

/* With itself, as a store that is there and one that goes into a new one. */
static int merge(const char *path, bool anew, struct tp_err *err)
{
	const struct tp_merge_options opt = {.wait_ms = 0};
	const char *to = anew ? fuzz_path("merged") : path;
	struct tp_merge_result result;
	int code = tp_store_merge(to, &path, 1, &opt, &result, err);

	if (!code)
		verify(to);
	if (anew)
		unlink(to);
	return code;
}

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
	struct tp_relabelled r;
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
		code = tp_store_relabel(path, 0, hash, labels, 1, &r, &err);
		break;
	case 2:
		code = tp_store_unlabel(path, 0, hash, keys, 1, &gone, &err);
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
		code = merge(path, fuzz_pick(&pick, 2), &err);
		break;
	default:
		code =
		    tp_import(fuzz_file("dump", heap, sizeof(heap) - 1), path, &opt, &result, &err);
		break;
	}
	if (code)
		MUST_SAY(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t pick = fuzz_hash(data, size);
	struct fuzz_store f = {.hostile = true};
	struct tp_buf file = {0};
	struct tp_err err = {0};

	damage_apply(data, size, &file);
	f.path = fuzz_file("store", file.data, file.size);
	tp_buf_release(&file);
	if (!fuzz_pick(&pick, 4))
		verify(f.path);
	if (tp_store_open(&f.s, f.path, &err)) {
		MUST_SAY(err);
	} else {
		if (rep_runs_load(f.s, &f.runs, &err))
			MUST_SAY(err);
		for (size_t i = 0; i < f.runs.n && i < 2; i++) {
			f.run = &f.runs.run[i];
			f.result.run = f.run->row.id;
			f.result.profile = strcmp(f.run->row.kind, "trace") != 0;
			if (!fuzz_pick(&pick, 8)) {
				fuzz_sql(&f, pick);
			} else if (f.result.profile) {
				read_profile(&f, pick);
			} else {
				if (!fuzz_pick(&pick, 3))
					read_trace(&f);
				fuzz_trace_reports(&f, pick);
			}
		}
		rep_runs_release(&f.runs);
		tp_store_close(f.s);
	}
	if (!fuzz_pick(&pick, 4))
		edit(f.path, pick);
	fuzz_sweep();
	return 0;
}
