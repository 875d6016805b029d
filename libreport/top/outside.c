#include "top/outside.h"

#include <string.h>

#include "base/buf.h"
#include "clock/clock.h"
#include "clock/when.h"
#include "decode/dict.h"
#include "keys.h"
#include "store/store.h"
#include "task/choose.h"
#include "task/inside.h"

int rep_outside_range(struct tp_store *s, const struct rep_run *run,
		      const struct rep_filter_text *text, struct tp_err *err)
{
	int64_t end_ns = run->row.duration_ns, from, to, wall[2];
	char first[REP_WHEN_SIZE], last[REP_WHEN_SIZE];
	struct rep_clock clock = {0};
	int code = rep_filter_check_run(text, run, err);

	if (code || !rep_filter_needs_clock(text))
		return code;
	code = rep_clock_load(s, run, &clock, err);
	if (!code)
		code = rep_filter_range_at(text, end_ns, &clock, &from, &to, err);
	if (!code && from > end_ns) {
		if (rep_clock_wall(&clock, 0, &wall[0]) && rep_clock_wall(&clock, end_ns, &wall[1]))
			code = tp_err_set(
			    err, TP_ENOENT, TP_OFFSET_NONE,
			    "the time range does not overlap the run, which lasted from %s "
			    "to %s",
			    rep_when_text(first, wall[0]), rep_when_text(last, wall[1]));
		else
			code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
					  "the time range does not overlap the run");
	}
	rep_clock_release(&clock);
	return code;
}

static bool is_runtime(struct tp_text t)
{
	return t.size > 8 && (!memcmp(t.text, "runtime.", 8) || !memcmp(t.text, "runtime/", 8));
}

/* Lists the entry functions of all goroutines, the runtime's own last. */
static int list_names(const struct tp_rows *rows, const struct tp_dict *dict, struct tp_buf *b)
{
	const int64_t *name = rows->col[TP_COL(GOROUTINE, name)];
	struct rep_keys names = {0};
	int code = 0;

	for (size_t n = 0; !code && n < 2 * rows->nrows; n++) {
		bool runtime = n >= rows->nrows;
		size_t i = n % rows->nrows;
		uint32_t at;

		if (name[i] > 0 && is_runtime(tp_dict_text(dict, (uint32_t)name[i])) == runtime)
			code = rep_keys_add(&names, (uint32_t)name[i], 0, 0, 0, &at);
	}
	if (!code)
		code = rep_pick_names(b, dict, &names);
	rep_keys_release(&names);
	return code;
}

static int none(const struct rep_filter *f, const struct tp_rows *rows, const struct tp_dict *dict,
		struct tp_err *err)
{
	struct tp_buf b = {0};
	int code;

	if (f->by_id)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "no goroutine has the id %s; tprof-top FILE goroutines lists "
				  "them",
				  f->text.goroutine);
	code = list_names(rows, dict, &b);
	if (code)
		tp_nomem(err);
	else
		code = tp_err_set(
		    err, TP_ENOENT, TP_OFFSET_NONE,
		    b.size ? "nothing matches --goroutine=%.60s; the entry functions are %.*s"
			   : "nothing matches --goroutine=%.60s",
		    f->text.goroutine, (int)b.size, (const char *)b.data);
	tp_buf_release(&b);
	return code;
}

int rep_outside_goroutines(struct tp_store *s, const struct rep_run *run,
			   const struct rep_filter_text *text, struct tp_err *err)
{
	const struct rep_filter_text only = {.goroutine = text->goroutine};
	const uint32_t columns = 1u << TP_COL(GOROUTINE, id) | 1u << TP_COL(GOROUTINE, name);
	struct rep_matcher m = {0};
	struct tp_dict *dict = NULL;
	struct tp_rows rows = {0};
	struct rep_goids goids = {0};
	struct rep_filter f;
	bool any = false;
	int code;

	if (!text->goroutine)
		return 0;
	code = rep_filter_init(&f, &only, err);
	if (!code)
		code = tp_rows_load(s, run->row.id, TP_TABLE_GOROUTINE, columns, &rows, err);
	if (!code && f.by_id)
		code = rep_goids_load(&goids, s, run->row.id, err);
	if (!code)
		code = tp_dict_load(s, run->row.id, &dict, err);
	if (!code)
		code = rep_matcher_init(&m, &f, dict, err);
	for (size_t i = 0; !code && !any && i < rows.nrows; i++)
		any = f.by_id
			  ? rep_goids_match(&goids, &f.id, rows.col[TP_COL(GOROUTINE, id)][i])
			  : rep_match_goroutine(&m, (uint32_t)rows.col[TP_COL(GOROUTINE, name)][i]);
	if (!code)
		code = rep_matcher_settle(&m, err);
	if (!code && !any)
		code = none(&f, &rows, dict, err);
	rep_matcher_release(&m);
	tp_rows_release(&rows);
	tp_dict_free(dict);
	rep_goids_release(&goids);
	rep_filter_release(&f);
	return code;
}

int rep_outside_types(struct tp_store *s, const struct rep_run *run,
		      const struct rep_filter_text *text, struct tp_err *err)
{
	const struct rep_filter_text all = {.goroutine = NULL};
	struct rep_inside inside = {.n = 0};
	struct rep_view view = {0};
	struct rep_filter f;
	int code;

	if (!text->task && !text->region)
		return 0;
	code = rep_filter_init(&f, &all, err);
	if (!code)
		code = rep_view_init(&view, s, run, &f, NULL, err);
	if (!code)
		code = rep_inside_init(&inside, &view, text->task, text->region, err);
	rep_inside_release(&inside);
	rep_view_release(&view);
	rep_filter_release(&f);
	return code;
}
