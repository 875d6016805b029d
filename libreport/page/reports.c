/* Makes the tables of tprof-top for a page. A second thread, with a connection of its own, makes
 * the slow ones while the page is drawn. Of a long run, those that take most memory are made when
 * all else is done. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/many.h"
#include "page/inside.h"
#include "top/top.h"

/* Reports that a page does not show: `story` is a text, `region` lists single regions, whose sums are in `regions`, and
 * `pauses` has tables of others. */
static const char *const left_out[] = {"story", "region", "pauses"};
/* Reports that the second thread makes: they take long, because they read single tasks, logs or
 * events. */
static const char *const slow[] = {"outliers", "task",	   "logs",    "gc",
				   "locks",    "overview", "incident"};

/* Reports that take most memory, of the slow ones. */
static const char *const large[] = {"outliers", "overview"};

#define LONG_RUN 10000000 /* events */

enum { QUICK, SLOW, LARGE, NPARTS };

struct part {
	int kind;
	int64_t rows;
	const char *own;
	struct tp_store *store;
	const struct rep_run *run;
	struct rep_cells *cells; /* tables, one element for each report */
	size_t n, room;
	struct tp_err err;
	int code;
};

struct page_reports {
	struct part part[NPARTS];
	pthread_t thread;
	bool running;
};

static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

#define IS_ONE_OF(name, list) is_one_of(name, list, sizeof(list) / sizeof((list)[0]))

static const struct rep_sheet *find_sheet(const struct part *part, const char *name,
					  const struct rep_cells **cells)
{
	for (size_t k = 0; k < part->n; k++) {
		*cells = &part->cells[k];
		for (size_t s = 0; s < (*cells)->n; s++)
			if (!strcmp((*cells)->sheet[s].name, name))
				return &(*cells)->sheet[s];
	}
	return NULL;
}

/* A page has findings of the overview alone, as its tables are there. The report outliers is made before it. */
static int make_one(struct part *part, const struct rep_report *report)
{
	const struct rep_cells *cells;
	bool findings = report->page;
	const struct rep_top_options opt = {.report = report,
					    .filter.own = part->own,
					    .rows = part->rows,
					    .tables = true,
					    .whole = findings,
					    .findings = findings,
					    .outliers = find_sheet(part, "outliers", &cells)};
	struct rep_output *out = NULL;
	int code;

	if (tp_grow(&part->cells, &part->room, part->n, sizeof(*part->cells)))
		return tp_nomem(&part->err);
	code = rep_cells_output(&part->cells[part->n++], &out, &part->err);
	if (!code)
		code = rep_top(out, part->store, part->run, 1, &opt, &part->err);
	rep_output_free(out);
#ifdef __GLIBC__
	/* What a report took stays with its thread otherwise, besides what the next report takes. */
	if (part->run->row.events > LONG_RUN)
		malloc_trim(0);
#endif
	return code;
}

static int kind_of(const struct part *part, const char *name)
{
	if (!IS_ONE_OF(name, slow))
		return QUICK;
	return part->run->row.events > LONG_RUN && IS_ONE_OF(name, large) ? LARGE : SLOW;
}

static void make(struct part *part)
{
	for (size_t i = 0; rep_reports[i] && !part->code; i++) {
		const char *name = rep_reports[i]->name;

		if (!IS_ONE_OF(name, left_out) && kind_of(part, name) == part->kind)
			part->code = make_one(part, rep_reports[i]);
	}
}

static void *on_thread(void *ctx)
{
	make(ctx);
	return NULL;
}

/* Opens the store a second time. Returns NULL if it cannot be, as a store in memory, which has no
 * name. */
static struct tp_store *open_again(struct tp_store *store)
{
	const char *path = sqlite3_db_filename(tp_store_db(store), "main");
	struct tp_store *again;
	struct tp_err err;

	return path && *path && !tp_store_open(&again, path, &err) ? again : NULL;
}

int page_reports_begin(struct page *p, struct tp_err *err)
{
	struct page_reports *r = calloc(1, sizeof(*r));

	p->reports = r;
	if (!r)
		return tp_nomem(err);
	for (int i = 0; i < NPARTS; i++)
		r->part[i] = (struct part){.kind = i,
					   .rows = p->rows,
					   .own = p->opt->own,
					   .store = p->store,
					   .run = p->run};
	r->part[SLOW].store = open_again(p->store);
	r->running =
	    r->part[SLOW].store && !pthread_create(&r->thread, NULL, on_thread, &r->part[SLOW]);
	if (!r->running) {
		tp_store_close(r->part[SLOW].store);
		r->part[SLOW].store = p->store;
		make(&r->part[SLOW]);
	}
	make(&r->part[QUICK]);
	return 0;
}

static void join(struct page_reports *r)
{
	if (!r->running)
		return;
	pthread_join(r->thread, NULL);
	r->running = false;
	tp_store_close(r->part[SLOW].store);
}

int page_reports_wait(struct page *p, struct tp_err *err)
{
	if (!p->reports)
		return 0;
	join(p->reports);
	for (size_t t = 0; p->run->row.events > LONG_RUN && t < TP_NTABLES; t++)
		rep_view_unload(&p->view, (enum tp_table_id)t);
	make(&p->reports->part[LARGE]);
	for (int i = 0; i < NPARTS; i++) {
		if (p->reports->part[i].code) {
			*err = p->reports->part[i].err;
			return p->reports->part[i].code;
		}
	}
	return 0;
}

void page_reports_free(struct page *p)
{
	if (!p->reports)
		return;
	join(p->reports);
	for (int i = 0; i < NPARTS; i++) {
		struct part *part = &p->reports->part[i];

		for (size_t k = 0; k < part->n; k++)
			rep_cells_release(&part->cells[k]);
		free(part->cells);
	}
	free(p->reports);
}

const struct rep_sheet *page_report_of(const struct page *p, const char *name,
				       const struct rep_cells **cells)
{
	const struct rep_sheet *t = NULL;

	for (int i = 0; i < NPARTS && !t; i++)
		t = find_sheet(&p->reports->part[i], name, cells);
	return t;
}

const struct rep_sheet *page_report(const struct page *p, const char *name)
{
	const struct rep_cells *cells;

	return page_report_of(p, name, &cells);
}
