#include "tprof-tui/fill.h"

#include "profile/demangle.h"
#include "profile/request.h"
#include "query/query.h"
#include "task/request.h"

int tui_fill_report(struct tui_fill *f, const struct rep_report *report, unsigned by, int64_t rows,
		    struct tp_store *store, struct rep_output *out, struct tp_err *err)
{
	char times[60];
	const struct rep_top_options opt = {
	    .report = report,
	    .rows = rows,
	    .tables = true,
	    .whole = true,
	    .filter = tui_select_filter(&f->job.select, by, times),
	};

	return rep_top(out, store, f->job.select.run, 1, &opt, err);
}

int tui_fill_worst(struct tui_fill *f, const struct rep_worst_options *opt, unsigned by,
		   const char *name, struct tp_store *store, struct rep_output *out,
		   struct tp_err *err)
{
	struct tui_filtered all = {0};
	int code = tui_filtered_init(&all, &f->job.select, by, store, err);

	if (!code)
		code = rep_worst_print(&all.view, opt, name, out, err);
	tui_filtered_release(&all);
	return code;
}

int tui_fill_query(struct tui_fill *f, const char *sql, const char *name, struct tp_store *store,
		   struct rep_output *out, struct tp_err *err)
{
	const struct rep_query_options opt = {.run = f->job.select.run->row.id};
	struct rep_query *q = NULL;
	int code = rep_query_new(&q, store, &opt, err);

	if (!code)
		code = rep_query_run(q, sql, out, err);
	rep_query_free(q);
	return code ? code : rep_cells_dress(&f->cells, name, err);
}

int tui_fill_load(struct tp_store *store, const struct rep_run *run, const char *task,
		  struct tp_profile **p, struct tp_err *err)
{
	int code = tp_profile_load(store, run->row.id, p, err);

	if (!code)
		code = rep_profile_demangle(*p, REP_DEMANGLE_DEFAULT, err);
	return code || !rep_is_request(task) ? code : rep_profile_keep_request(*p, task, err);
}

int tui_fill_notes(const struct rep_filter_notes *notes, struct rep_output *out, struct tp_err *err)
{
	int code = 0;

	for (size_t at = 0; at < notes->texts.size && !code;) {
		const char *text = (const char *)notes->texts.data + at;

		code = rep_output_note(out, true, text, err);
		at += strlen(text) + 1;
	}
	return code;
}
