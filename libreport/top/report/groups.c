/* groups: goroutines by entry function, and where their time went. The first report to look at. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "top/report.h"

struct groups {
	int64_t total_ns;
	struct rep_keys reasons; /* of the extra columns */
	int64_t *reason_ns;	 /* of all groups */
	size_t reason_room;
	struct rep_keys blocked; /* group, reason */
	int64_t *blocked_ns;
	size_t blocked_room;
	uint32_t *by_size; /* reasons, the longest first */
};

enum {
	COLUMN_FUNCTION,
	COLUMN_COUNT,
	COLUMN_TIMES,
	COLUMN_SPANS = COLUMN_TIMES + REP_NTIMES,
	COLUMN_BLOCKED_ON,
	NCOLUMNS
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
	struct groups *g = a->g;
	uint32_t reason, column, cell;
	int code = rep_view_string(a->v, part->reason, &reason);

	if (!code)
		code = rep_keys_add(&g->reasons, reason, 0, 0, 0, &column);
	if (!code)
		code = tp_grow(&g->reason_ns, &g->reason_room, column, sizeof(*g->reason_ns));
	if (!code)
		code = rep_keys_add(&g->blocked, group, column, 0, 0, &cell);
	if (!code)
		code = tp_grow(&g->blocked_ns, &g->blocked_room, cell, sizeof(*g->blocked_ns));
	if (code)
		return code;
	tp_sum(&g->reason_ns[column], part->total_ns);
	tp_sum(&g->blocked_ns[cell], part->total_ns);
	return 0;
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
	free(a.counted);
	free(a.entry_group);
	return code;
}

static int by_size(const void *x, const void *y, void *ctx)
{
	const struct groups *g = ctx;
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;

	if (g->reason_ns[a] != g->reason_ns[b])
		return g->reason_ns[a] > g->reason_ns[b] ? -1 : 1;
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

	job->nextra = g->reasons.n;
	job->extra = tp_arena_alloc(&job->texts.arena, (job->nextra + 1) * sizeof(*job->extra));
	g->by_size = calloc(job->nextra + 1, sizeof(*g->by_size));
	if (!job->extra || !g->by_size)
		return rep_job_fail(err, TP_ENOMEM);
	for (uint32_t i = 0; i < job->nextra; i++)
		g->by_size[i] = i;
	qsort_r(g->by_size, job->nextra, sizeof(*g->by_size), by_size, g);
	for (size_t i = 0; i < job->nextra; i++) {
		char *name = column_name(job, g->reasons.key[g->by_size[i]].part[0]);

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

	return rep_keys_find(&g->blocked, group, reason, 0, 0, &cell) ? g->blocked_ns[cell] : 0;
}

#define REASONS_SHOWN 3

/* "select 93%, sync 7%": shares of the group's blocked time. */
static struct rep_value blocked_text(struct rep_job *job, uint32_t group)
{
	struct groups *g = job->state;
	int64_t blocked = rep_job_row_at(job, group)[COLUMN_TIMES + REP_TIME_BLOCK];
	struct tp_text parts[3 * REASONS_SHOWN];
	char shares[REASONS_SHOWN][8];
	uint32_t best[REASONS_SHOWN], n = 0;
	size_t nparts = 0;

	for (uint32_t r = 0; r < g->reasons.n; r++) {
		int64_t ns = blocked_on(g, group, r);
		uint32_t at = n;

		if (!ns)
			continue;
		while (at && blocked_on(g, group, best[at - 1]) < ns)
			at--;
		if (at == REASONS_SHOWN)
			continue;
		n = n < REASONS_SHOWN ? n + 1 : n;
		memmove(&best[at + 1], &best[at], (n - 1 - at) * sizeof(best[0]));
		best[at] = r;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct tp_text t = tp_dict_text(job->texts.dict, g->reasons.key[best[i]].part[0]);
		double share = (double)blocked_on(g, group, best[i]) / (double)blocked;

		if (i && share < 0.005)
			break;
		*shares[i] = '\0';
		if (share >= 0 && share < 0.995)
			snprintf(shares[i], sizeof(shares[i]), " %.0f%%", share * 100);
		parts[nparts++] = rep_text_of(i ? ", " : "");
		parts[nparts++] = t.size ? t : rep_text_of("unknown");
		parts[nparts++] = rep_text_of(shares[i]);
	}
	return rep_texts_join(&job->texts, parts, nparts);
}

static struct rep_value value(struct rep_job *job, size_t row, size_t column)
{
	const struct groups *g = job->state;

	if (column == COLUMN_TIMES + REP_TIME_SHARE)
		return rep_share(rep_job_row_at(job, row)[COLUMN_TIMES + REP_TIME_TOTAL],
				 g->total_ns);
	if (column == COLUMN_BLOCKED_ON)
		return blocked_text(job, (uint32_t)row);
	return column < NCOLUMNS
		   ? rep_job_cell(job, row, column)
		   : rep_int(blocked_on(g, (uint32_t)row, g->by_size[column - NCOLUMNS]));
}

static void release(struct rep_job *job)
{
	struct groups *g = job->state;

	rep_keys_release(&g->reasons);
	rep_keys_release(&g->blocked);
	free(g->reason_ns);
	free(g->blocked_ns);
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
