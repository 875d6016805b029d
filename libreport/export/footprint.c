#include "export/footprint.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "base/many.h"
#include "order/raw.h"
#include "store/sqlerr.h"

static int by_size(const void *a, const void *b)
{
	const struct rep_footprint_row *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->events != y->events)
		return x->events > y->events ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int add(struct rep_footprint *f, const char *name, uint64_t events, uint64_t bytes,
	       struct tp_err *err)
{
	struct rep_footprint_row *row;

	if (tp_grow(&f->row, &f->room, f->n, sizeof(*f->row)))
		return tp_nomem(err);
	row = &f->row[f->n++];
	*row = (struct rep_footprint_row){.events = events, .bytes = bytes};
	snprintf(row->name, sizeof(row->name), "%s", name);
	f->events += events;
	f->bytes += bytes;
	return 0;
}

static void sort(struct rep_footprint *f)
{
	if (f->n)
		qsort(f->row, f->n, sizeof(*f->row), by_size);
}

int rep_footprint_of_dump(struct rep_footprint *f, const void *data, size_t size,
			  struct tp_err *err)
{
	uint64_t events[TP_RAW_TYPES] = {0}, bytes[TP_RAW_TYPES] = {0};
	struct tp_raw_event ev;
	struct tp_raw *r;
	int code = tp_raw_open(&r, data, size, err), more = 0;

	*f = (struct rep_footprint){.size = size, .measured = true};
	if (code)
		return code;
	while ((more = tp_raw_next(r, &ev, err)) > 0) {
		events[ev.type]++;
		bytes[ev.type] += ev.least;
	}
	for (unsigned t = 0; !code && t < TP_RAW_TYPES; t++)
		if (events[t])
			code = add(f, tp_raw_name(r, (uint8_t)t), events[t], bytes[t],
				   more < 0 ? NULL : err);
	tp_raw_close(r);
	sort(f);
	return code ? code : more;
}

int rep_footprint_of_run(struct rep_footprint *f, struct tp_store *store, const struct tp_run *run,
			 struct tp_err *err)
{
	static const char sql[] = "SELECT name, events FROM wire WHERE run = ? AND events > 0";
	sqlite3 *db = tp_store_db(store);
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL), code = 0;

	*f = (struct rep_footprint){0};
	if (!rc)
		rc = sqlite3_bind_int64(st, 1, run->id);
	while (!rc && !code && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(st, 0);

		rc = 0;
		code = add(f, name ? name : "", (uint64_t)sqlite3_column_int64(st, 1), 0, err);
	}
	if (!code && rc && rc != SQLITE_DONE)
		code = tp_sql_cause(err, db, "cannot read how many events");
	sqlite3_finalize(st);
	sort(f);
	return code;
}

void rep_footprint_release(struct rep_footprint *f)
{
	free(f->row);
	*f = (struct rep_footprint){0};
}

static struct rep_value share(uint64_t part, uint64_t whole)
{
	return whole ? rep_float((double)part / (double)whole) : rep_null();
}

static int print_row(const struct rep_footprint *f, struct rep_output *out, const char *name,
		     uint64_t bytes, uint64_t events, struct tp_err *err)
{
	const struct rep_value row[] = {
	    rep_str(name),
	    f->measured ? rep_int((int64_t)bytes) : rep_null(),
	    f->measured ? share(bytes, f->size) : rep_null(),
	    events ? rep_int((int64_t)events) : rep_null(),
	    events ? share(events, f->events) : rep_null(),
	    f->measured && events ? rep_float((double)bytes / (double)events) : rep_null(),
	};

	return rep_output_row(out, row, err);
}

int rep_footprint_print(const struct rep_footprint *f, struct rep_output *out, struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "event",
	     .doc = "type of events",
	     .title = "EVENT",
	     .kind = REP_TEXT,
	     .shorten = REP_SHORTEN_RIGHT},
	    {.name = "bytes",
	     .doc = "bytes they take in the file",
	     .title = "BYTES",
	     .kind = REP_COUNT},
	    {.name = "bytes_share",
	     .doc = "of the bytes of all events",
	     .title = "SHARE",
	     .kind = REP_SHARE},
	    {.name = "events", .doc = "events", .title = "EVENTS", .kind = REP_COUNT},
	    {.name = "events_share", .doc = "of all events", .title = "SHARE", .kind = REP_SHARE},
	    {.name = "bytes_each",
	     .doc = "bytes of one, on average",
	     .title = "EACH",
	     .kind = REP_FLOAT},
	};
	int code =
	    rep_output_begin(out, "footprint", columns, sizeof(columns) / sizeof(*columns), err);

	for (size_t i = 0; !code && i < f->n; i++)
		code = print_row(f, out, f->row[i].name, f->row[i].bytes, f->row[i].events, err);
	if (!code && f->measured && f->size > f->bytes)
		code = print_row(f, out, "(header and padding)", f->size - f->bytes, 0, err);
	if (!code)
		code = rep_output_end(out, err);
	return code;
}
