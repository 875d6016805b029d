/* The tables of tprof-top for a page. Those that take long are made on a thread of their own, with
 * a connection of its own, while the page is drawn. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "page/inside.h"
#include "top/top.h"

/* Texts, and what is there by type already: not for a page. */
static const char *const left_out[] = {"story", "region"};
static const char *const slow[] = {"outliers", "task", "logs", "gc"};

struct part {
	bool slow; /* which of them */
	int64_t rows;
	struct tp_store *store;
	const struct rep_run *run;
	struct page_tables tables;
	struct tp_err err;
	int code;
};

struct page_reports {
	struct part part[2];
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

static void make(struct part *part)
{
	struct rep_output *out = NULL;
	int code = page_tables_output(&part->tables, &out, &part->err);

	for (size_t i = 0; rep_reports[i] && !code; i++) {
		struct rep_top_options opt = {
		    .report = rep_reports[i], .rows = part->rows, .tables = true};
		const char *name = opt.report->name;

		if (rep_top_several(opt.report) || IS_ONE_OF(name, left_out) ||
		    IS_ONE_OF(name, slow) != part->slow)
			continue;
		page_tables_next(&part->tables);
		code = rep_top(out, part->store, part->run, 1, &opt, &part->err);
	}
	rep_output_free(out);
	part->code = code;
}

static void *on_thread(void *ctx)
{
	make(ctx);
	return NULL;
}

/* A store in memory, which has no name, is for one thread. */
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
	for (int i = 0; i < 2; i++)
		r->part[i] = (struct part){
		    .slow = i == 1, .rows = p->rows, .store = p->store, .run = p->run};
	r->part[1].store = open_again(p->store);
	r->running = r->part[1].store && !pthread_create(&r->thread, NULL, on_thread, &r->part[1]);
	if (!r->running) {
		tp_store_close(r->part[1].store);
		r->part[1].store = p->store;
		make(&r->part[1]);
	}
	make(&r->part[0]);
	return 0;
}

static void join(struct page_reports *r)
{
	if (!r->running)
		return;
	pthread_join(r->thread, NULL);
	r->running = false;
	tp_store_close(r->part[1].store);
}

int page_reports_wait(struct page *p, struct tp_err *err)
{
	if (!p->reports)
		return 0;
	join(p->reports);
	for (int i = 0; i < 2; i++) {
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
	for (int i = 0; i < 2; i++)
		page_tables_release(&p->reports->part[i].tables);
	free(p->reports);
}

const struct page_table *page_report(const struct page *p, const char *name)
{
	const struct page_table *t = page_table_find(&p->reports->part[0].tables, name);

	return t ? t : page_table_find(&p->reports->part[1].tables, name);
}
