#include "export/choice.h"

#include <stdlib.h>

static int choose(struct rep_choice *c, const struct tp_rows *rows, const struct rep_goids *goids,
		  const struct rep_filter *f, struct rep_matcher *m)
{
	c->n = rows->nrows;
	c->wanted = calloc(c->n + 1, 1);
	if (!c->wanted)
		return TP_ENOMEM;
	for (size_t i = 0; i < c->n; i++) {
		c->wanted[i] =
		    f->by_id
			? rep_goids_match(goids, &f->id, rows->col[TP_COL(GOROUTINE, id)][i])
			: rep_match_goroutine(m, (uint32_t)rows->col[TP_COL(GOROUTINE, name)][i]);
		c->nwanted += c->wanted[i];
	}
	return 0;
}

static int find_goroutines(struct rep_choice *c, struct tp_store *s, int64_t run,
			   const struct rep_filter *f, struct tp_err *err)
{
	const uint32_t columns = 1u << TP_COL(GOROUTINE, id) | 1u << TP_COL(GOROUTINE, name);
	struct rep_matcher m = {0};
	struct tp_dict *dict = NULL;
	struct rep_goids goids = {0};
	struct tp_rows rows = {0};
	int code = tp_rows_load(s, run, TP_TABLE_GOROUTINE, columns, &rows, err);

	if (!code && f->by_id)
		code = rep_goids_load(&goids, s, run, err);
	if (!code)
		code = tp_dict_load(s, run, &dict, err);
	if (!code)
		code = rep_matcher_init(&m, f, dict, err);
	if (!code && choose(c, &rows, &goids, f, &m))
		code = tp_nomem(err);
	if (!code)
		code = rep_matcher_settle(&m, err);
	if (!code && !c->nwanted)
		code = tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "--goroutine=%s: no goroutine matches; tprof-top FILE goroutines "
				  "lists them",
				  f->text.goroutine);
	rep_goids_release(&goids);
	rep_matcher_release(&m);
	tp_rows_release(&rows);
	tp_dict_free(dict);
	return code;
}

int rep_choice_init(struct rep_choice *c, struct tp_store *s, const struct rep_run *run,
		    const struct rep_filter_text *text, struct tp_err *err)
{
	struct rep_filter f;
	struct rep_clock clock = {0};
	int code = rep_filter_init(&f, text, err);

	*c = (struct rep_choice){.from_ns = INT64_MIN, .to_ns = INT64_MAX};
	if (!code)
		code = rep_clock_load(s, run, &clock, err);
	if (!code)
		code = rep_filter_range_at(text, run->row.duration_ns, &clock, &c->from_ns,
					   &c->to_ns, err);
	rep_clock_release(&clock);
	if (!code && text->goroutine)
		code = find_goroutines(c, s, run->row.id, &f, err);
	rep_filter_release(&f);
	return code;
}

void rep_choice_release(struct rep_choice *c)
{
	free(c->wanted);
	c->wanted = NULL;
}
