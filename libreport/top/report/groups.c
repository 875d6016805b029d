/* groups: goroutines by entry function, and where their time went. The first report to look at. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "top/shares.h"

struct groups {
	int64_t total_ns;
	struct rep_shares blocked; /* by reason, which have extra columns */
	struct rep_shares inside;
	uint32_t *by_size; /* reasons, the longest first */
};

enum {
	COLUMN_FUNCTION,
	COLUMN_COUNT,
	COLUMN_TIMES,
	COLUMN_SPANS = COLUMN_TIMES + REP_NTIMES,
	COLUMN_BLOCKED_ON,
	COLUMN_INSIDE,
	NCOLUMNS = COLUMN_INSIDE + REP_NINSIDE
};

static const struct rep_report_column columns[NCOLUMNS] = {
    [COLUMN_FUNCTION] = {.column = {.name = "function",
				    .title = "ENTRY FUNCTION",
				    .kind = REP_TEXT,
				    .shorten = REP_SHORTEN_FUNCTION,
				    .least = 20},
			 .cell = REP_CELL_ENTRY,
			 .key = "function",
			 .doc = "function the goroutines began with"},
    [COLUMN_COUNT] = REP_COLUMN_COUNT("goroutines"),
    [COLUMN_TIMES] = REP_COLUMNS_TIMES(6),
    [COLUMN_SPANS] = {.column = {.name = "spans", .kind = REP_COUNT, .raw_only = true},
		      .doc = "stretches in one state"},
    [COLUMN_BLOCKED_ON] = {.column = {.name = "blocked_on",
				      .title = "BLOCKED ON",
				      .kind = REP_TEXT,
				      .table_only = true,
				      .drop = 8},
			   .doc = "the reasons that took most of the blocked time; in csv, json "
				  "and tsv a column blocked_REASON_ns each"},
    [COLUMN_INSIDE] = REP_COLUMNS_INSIDE(3),
};

struct adding {
	struct rep_job *job;
	struct groups *g;
	struct rep_view *v;
	bool *counted;	       /* per goroutine; NULL: goroutines are counted otherwise */
	uint32_t *entry_group; /* group of an entry function + 1; by string of the run */
	uint32_t nstrings;
};

static int group_of(struct adding *a, uint32_t entry, uint32_t *group)
{
	uint32_t name;
	int code;

	if (entry >= a->nstrings)
		entry = 0;
	if (a->entry_group[entry]) {
		*group = a->entry_group[entry] - 1;
		return 0;
	}
	code = rep_view_string(a->v, entry, &name);
	if (!code)
		code = rep_job_key(a->job, a->v, name, 0, 0, group);
	if (code)
		return code;
	rep_job_row_at(a->job, *group)[COLUMN_FUNCTION] = name;
	a->entry_group[entry] = *group + 1;
	return 0;
}

static int add_blocked(struct adding *a, uint32_t group, const struct rep_part *part)
{
	uint32_t reason;
	int code = rep_view_string(a->v, part->reason, &reason);

	return code ? code : rep_shares_put(&a->g->blocked, group, reason, false, part->total_ns);
}

static int on_part(void *ctx, const struct rep_part *part, struct tp_err *err)
{
	struct adding *a = ctx;
	int64_t *row;
	uint32_t group;
	int code = group_of(a, part->entry, &group);

	if (!code && part->state == TP_ST_WAITING)
		code = add_blocked(a, group, part);
	if (code)
		return rep_job_fail(err, code);
	row = rep_job_row_at(a->job, group);
	rep_times_add(&row[COLUMN_TIMES], part->state, part->total_ns);
	row[COLUMN_SPANS] += part->count;
	tp_sum(&a->g->total_ns, part->total_ns);
	if (a->counted && part->goroutine < a->v->nrows[TP_TABLE_GOROUTINE] &&
	    !a->counted[part->goroutine]) {
		a->counted[part->goroutine] = true;
		row[COLUMN_COUNT]++;
	}
	return 0;
}

/* Every goroutine of the run that --goroutine names. */
static int count_goroutines(struct adding *a, struct tp_err *err)
{
	struct rep_view *v = a->v;

	for (size_t i = 0; i < v->nrows[TP_TABLE_GOROUTINE]; i++) {
		uint32_t entry = rep_view_entry(v, (int64_t)i), group;
		int code;

		if (!rep_match_goroutine(&v->match, entry))
			continue;
		code = group_of(a, entry, &group);
		if (code)
			return rep_job_fail(err, code);
		rep_job_row_at(a->job, group)[COLUMN_COUNT]++;
	}
	return 0;
}

static uint32_t row_of(void *ctx, uint32_t goroutine)
{
	const struct adding *a = ctx;
	uint32_t entry = rep_view_entry(a->v, goroutine);

	if (a->counted ? !a->counted[goroutine] : !rep_match_goroutine(&a->v->match, entry))
		return TP_NONE;
	return a->entry_group[entry < a->nstrings ? entry : 0] - 1;
}

static int add(struct rep_job *job, struct rep_view *v, struct tp_err *err)
{
	const struct rep_filter *f = v->filter;
	struct adding a = {
	    .job = job, .g = job->state, .v = v, .nstrings = tp_dict_strings(v->dict)};
	/* In a time range and under these a goroutine counts only if one of its spans does. */
	bool by_goroutine = !v->whole || f->by_id || f->states || f->given[REP_FILTER_FOCUS] ||
			    f->given[REP_FILTER_IGNORE] || f->given[REP_FILTER_REASON] ||
			    rep_filter_inside(f);
	int code = rep_view_load(v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, name), err);

	if (code)
		return code;
	a.entry_group = calloc((size_t)a.nstrings + 1, sizeof(*a.entry_group));
	if (by_goroutine)
		a.counted = calloc(v->nrows[TP_TABLE_GOROUTINE] + 1, sizeof(*a.counted));
	if (!a.entry_group || (by_goroutine && !a.counted))
		code = rep_job_fail(err, TP_ENOMEM);
	if (!code)
		code =
		    rep_parts_each(v, by_goroutine ? REP_PARTS_BY_GOROUTINE : 0, on_part, &a, err);
	if (!code && !by_goroutine)
		code = count_goroutines(&a, err);
	if (!code)
		code = rep_shares_put_places(&a.g->inside, v, row_of, &a, err);
	free(a.counted);
	free(a.entry_group);
	return code;
}

static int by_size(const void *x, const void *y, void *ctx)
{
	const struct groups *g = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (g->blocked.ns[a] != g->blocked.ns[b])
		return g->blocked.ns[a] > g->blocked.ns[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* "blocked_chan_receive_ns" */
static char *column_name(struct rep_job *job, uint32_t reason)
{
	struct tp_text t = tp_dict_text(job->texts.dict, reason);
	char *name = tp_arena_alloc(&job->texts.arena, (size_t)t.size + 20);
	size_t n = 0;

	if (!name)
		return NULL;
	memcpy(name, "blocked_", 8);
	n = 8;
	for (uint32_t i = 0; i < t.size; i++) {
		unsigned char c = (unsigned char)t.text[i];

		if (isalnum(c) && c < 0x80)
			name[n++] = (char)tolower(c);
		else if (name[n - 1] != '_')
			name[n++] = '_';
	}
	if (n == 8) {
		memcpy(name + n, "unknown", 7);
		n += 7;
	}
	if (name[n - 1] == '_')
		n--;
	memcpy(name + n, "_ns", 4);
	return name;
}

static int finish(struct rep_job *job, struct tp_err *err)
{
	struct groups *g = job->state;

	job->nextra = g->blocked.what.n;
	job->extra = tp_arena_alloc(&job->texts.arena, (job->nextra + 1) * sizeof(*job->extra));
	g->by_size = calloc(job->nextra + 1, sizeof(*g->by_size));
	if (!job->extra || !g->by_size || rep_shares_sort(&g->blocked) ||
	    rep_shares_sort(&g->inside))
		return rep_job_fail(err, TP_ENOMEM);
	for (uint32_t i = 0; i < job->nextra; i++)
		g->by_size[i] = i;
	qsort_r(g->by_size, job->nextra, sizeof(*g->by_size), by_size, g);
	for (size_t i = 0; i < job->nextra; i++) {
		char *name = column_name(job, g->blocked.what.key[g->by_size[i]].part[0]);

		if (!name)
			return rep_job_fail(err, TP_ENOMEM);
		job->extra[i] = (struct rep_column){.name = name, .kind = REP_NS, .raw_only = true};
	}
	rep_job_hide_zeros(job, COLUMN_TIMES + REP_TIME_LOST);
	return 0;
}

static int64_t blocked_on(const struct groups *g, uint32_t group, uint32_t reason)
{
	uint32_t cell;

	return rep_keys_find(&g->blocked.cell, group, reason, 0, 0, &cell)
		   ? g->blocked.cell_ns[cell]
		   : 0;
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct groups *g = job->state;

	if (column == COLUMN_TIMES + REP_TIME_SHARE)
		return rep_share(rep_job_row_at(job, row)[COLUMN_TIMES + REP_TIME_TOTAL],
				 g->total_ns);
	if (column == COLUMN_BLOCKED_ON)
		return rep_shares_text(job, &g->blocked, (uint32_t)row,
				       rep_job_row_at(job, row)[COLUMN_TIMES + REP_TIME_BLOCK],
				       "unknown");
	if (column >= COLUMN_INSIDE && column < NCOLUMNS)
		return rep_shares_inside(job, &g->inside, (uint32_t)row,
					 (unsigned)column - COLUMN_INSIDE);
	return column < NCOLUMNS
		   ? rep_job_cell(job, row, column)
		   : rep_int(blocked_on(g, (uint32_t)row, g->by_size[column - NCOLUMNS]));
}

static void release(struct rep_job *job)
{
	struct groups *g = job->state;

	rep_shares_release(&g->blocked);
	rep_shares_release(&g->inside);
	free(g->by_size);
}

static const struct rep_report_ops ops = {
    .state = sizeof(struct groups),
    .add = add,
    .finish = finish,
    .value = value,
    .release = release,
};

const struct rep_report rep_report_groups = {
    .name = "groups",
    .doc = "goroutines by entry function, and where their time went",
    .rows = "groups",
    .columns = columns,
    .ncolumns = NCOLUMNS,
    .sort = "total",
    .filters =
	REP_BY_TASK | REP_BY_TIME | REP_BY_FRAMES | REP_BY_GOROUTINE | REP_BY_STATE | REP_BY_REASON,
    .ops = &ops,
};
