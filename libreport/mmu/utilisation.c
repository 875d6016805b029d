#include "mmu/utilisation.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"

#define MAX_PROCS (1 << 16)
/* Limit, as with per_p a stop of the world is a step of every P. */
#define MAX_STEPS ((size_t)1 << 26)

const char *const rep_util_names[] = {"stw", "background", "assist", "sweep", NULL};

int rep_util_parse(const char *text, unsigned *include, struct tp_err *err)
{
	const char *at = text;

	*include = 0;
	while (*at) {
		size_t n = strcspn(at, ",+");
		unsigned bit = 0;

		if (n == 3 && !strncmp(at, "all", n))
			bit = REP_UTIL_ALL;
		for (unsigned i = 0; rep_util_names[i]; i++) {
			if (strlen(rep_util_names[i]) == n && !strncmp(at, rep_util_names[i], n))
				bit = 1u << i;
		}
		if (!bit)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "--include lists what counts: stw, background, assist, "
					  "sweep or all, not '%.*s'",
					  n < 40 ? (int)n : 40, at);
		*include |= bit;
		at += n + (at[n] != 0);
	}
	if (!*include)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--include lists what counts: stw, background, assist, sweep or "
				  "all");
	return 0;
}

/* ---- facts ---- */

static enum rep_gc_kind kind_of(struct tp_text t)
{
	if (tp_text_begins(t, "stop-the-world"))
		return strstr(t.text, "GC") ? REP_GC_STW : REP_GC_NOTHING;
	if (!strcmp(t.text, "GC concurrent mark phase"))
		return REP_GC_MARK;
	if (!strcmp(t.text, "GC incremental sweep"))
		return REP_GC_SWEEP;
	if (!strcmp(t.text, "GC mark assist"))
		return REP_GC_ASSIST;
	if (!strcmp(t.text, "GC (dedicated)"))
		return REP_GC_DEDICATED;
	if (!strcmp(t.text, "GC (idle)"))
		return REP_GC_IDLE;
	if (tp_text_begins(t, "GC ("))
		return REP_GC_FRACTIONAL;
	return REP_GC_UNLABELLED;
}

/* Reads a table and keeps some columns of the rows of some kinds: a long run has millions of sweeps,
 * which mostly do not count. */
struct keeping {
	const struct tp_dict *dict;
	int name;	  /* the column of names */
	uint32_t columns; /* a bit each, without that of names */
	uint32_t kinds;	  /* a bit each */
	struct rep_gc_rows *rows;
	int64_t last; /* the name of the row before, as rows with the same name are adjacent */
	enum rep_gc_kind of_last;
	bool collected; /* there is a row of the collector, kept or not */
};

/* Keeps the columns of rows from `first` up to `end`. */
static int keep_columns(struct keeping *k, const struct tp_rows *part, size_t first, size_t end)
{
	for (uint32_t left = first < end ? k->columns : 0; left; left &= left - 1) {
		int c = __builtin_ctz(left);

		if (rep_packed_put(&k->rows->col[c], part->col[c] + first, end - first))
			return TP_ENOMEM;
	}
	return 0;
}

static int keep_rows(void *ctx, const struct tp_rows *part, size_t first, struct tp_err *err)
{
	struct keeping *k = ctx;
	struct rep_gc_rows *rows = k->rows;
	const int64_t *name = part->col[k->name];
	size_t from = 0; /* rows from here on are kept */
	int code = 0;

	(void)first;
	for (size_t i = 0; !code && i < part->nrows; i++) {
		if (name[i] != k->last)
			k->of_last = kind_of(tp_dict_text(k->dict, (uint32_t)name[i]));
		k->last = name[i];
		k->collected |= k->of_last != REP_GC_NOTHING;
		if (!(k->kinds >> k->of_last & 1)) {
			code = keep_columns(k, part, from, i);
			from = i + 1;
			continue;
		}
		code = tp_grow_raw(&rows->kind, &rows->room, rows->n, 1);
		if (!code)
			rows->kind[rows->n++] = (uint8_t)k->of_last;
	}
	if (!code)
		code = keep_columns(k, part, from, part->nrows);
	return code ? tp_nomem(err) : 0;
}

static int keep(struct keeping *k, struct tp_store *store, int64_t run, enum tp_table_id table,
		struct tp_err *err)
{
	const struct tp_rows_visitor visitor = {.rows = keep_rows, .ctx = k};

	k->last = -1;
	return tp_rows_visit(store, run, table, k->columns | 1u << k->name, &visitor, err);
}

static void release_rows(struct rep_gc_rows *rows)
{
	for (size_t c = 0; c < TP_MAX_COLUMNS; c++)
		rep_packed_release(&rows->col[c]);
	free(rows->kind);
}

static uint8_t *metrics_of(const struct tp_rows *rows, const struct tp_dict *dict)
{
	static const char *const names[] = {
	    [REP_METRIC_OTHER] = "",
	    [REP_METRIC_PROCS] = "/sched/gomaxprocs:threads",
	    [REP_METRIC_GOAL] = "/gc/heap/goal:bytes",
	    [REP_METRIC_HEAP] = "/memory/classes/heap/objects:bytes",
	};
	uint8_t *kind = calloc(rows->nrows + 1, 1);

	for (size_t i = 0; kind && i < rows->nrows; i++) {
		int64_t name = rows->col[TP_COL(METRIC, name)][i];

		for (uint8_t k = 1; k < 4; k++) {
			if (!strcmp(tp_dict_text(dict, (uint32_t)name).text, names[k]))
				kind[i] = k;
		}
	}
	return kind;
}

/* Replaces the names of goroutines by whether each can be a background worker. One without a name
 * can. */
static void mark_workers(struct tp_rows *goroutines, const struct tp_dict *dict)
{
	int64_t *name = goroutines->col[TP_COL(GOROUTINE, name)];

	for (size_t i = 0; i < goroutines->nrows; i++) {
		struct tp_text t = tp_dict_text(dict, (uint32_t)name[i]);

		name[i] = !t.size || tp_text_begins(t, "runtime.gcBgMarkWorker");
	}
}

#define BIT(TABLE, column) (1u << TP_COL(TABLE, column))

bool rep_gc_has_none(const struct tp_run *run)
{
	return run->format && !strcmp(run->format, "perf sched");
}

int rep_gc_facts_load(struct rep_gc_facts *f, struct tp_store *store, const struct tp_run *run,
		      const struct tp_dict *dict, unsigned include, struct tp_err *err)
{
	const unsigned workers = REP_UTIL_ASSIST | REP_UTIL_BACKGROUND;
	/* Cycles need more, and all that counts. */
	const bool all = include == REP_UTIL_ALL;
	struct keeping work = {
	    .dict = dict,
	    .name = TP_COL(GC_WORK, name),
	    .columns = BIT(GC_WORK, goroutine) | BIT(GC_WORK, p) | BIT(GC_WORK, start_ns) |
		       BIT(GC_WORK, told_ns) | BIT(GC_WORK, end_ns),
	    .kinds = include & REP_UTIL_BACKGROUND ? UINT32_MAX : 0,
	    .rows = &f->work,
	};
	struct keeping range = {
	    .dict = dict,
	    .name = TP_COL(RANGE, name),
	    .columns = BIT(RANGE, start_ns) | BIT(RANGE, end_ns),
	    .kinds = (include & REP_UTIL_STW ? 1u << REP_GC_STW : 0) |
		     (include & REP_UTIL_SWEEP ? 1u << REP_GC_SWEEP : 0) |
		     (all ? 1u << REP_GC_MARK : 0),
	    .rows = &f->range,
	};
	int code = 0;

	memset(f, 0, sizeof(*f));
	f->no_collector = rep_gc_has_none(run);
	f->duration_ns = run->duration_ns > 0 ? run->duration_ns : 0;
	if (include & REP_UTIL_SWEEP)
		range.columns |= BIT(RANGE, p);
	if (all)
		range.columns |= BIT(RANGE, complete);
	if (include & REP_UTIL_ASSIST)
		work.kinds |= 1u << REP_GC_ASSIST;
	else
		work.kinds &= ~(1u << REP_GC_ASSIST);
	if (include & workers)
		code = keep(&work, store, run->id, TP_TABLE_GC_WORK, err);
	if (!code && include & REP_UTIL_BACKGROUND)
		code = tp_rows_load(store, run->id, TP_TABLE_GOROUTINE, BIT(GOROUTINE, name),
				    &f->goroutine, err);
	if (!code)
		code = keep(&range, store, run->id, TP_TABLE_RANGE, err);
	if (!code)
		code = tp_rows_load(store, run->id, TP_TABLE_METRIC, 0, &f->metric, err);
	if (!code)
		code = tp_rows_load(store, run->id, TP_TABLE_PROC, 0, &f->proc, err);
	if (code)
		return code;
	if (include & REP_UTIL_BACKGROUND)
		mark_workers(&f->goroutine, dict);
	f->metric_kind = metrics_of(&f->metric, dict);
	if (!f->metric_kind)
		return tp_nomem(err);
	for (size_t i = 0; i < f->metric.nrows; i++)
		f->procs_known |= f->metric_kind[i] == REP_METRIC_PROCS;
	/* Every trace with a collection records the goal of the heap. */
	if (include & workers && !f->metric.nrows && range.collected)
		return tp_err_set(err, TP_EVERSION, TP_OFFSET_NONE,
				  "the run '%s' was imported by a tprof that did not keep where "
				  "the collector worked; import the trace again, or ask for "
				  "--include=stw",
				  run->name);
	return 0;
}

void rep_gc_facts_release(struct rep_gc_facts *f)
{
	release_rows(&f->work);
	release_rows(&f->range);
	tp_rows_release(&f->metric);
	tp_rows_release(&f->proc);
	tp_rows_release(&f->goroutine);
	free(f->metric_kind);
	free(f->step);
	memset(f, 0, sizeof(*f));
}

/* ---- points: a P is taken or returned ---- */

enum { ALL_PS = -1 };

struct point {
	int64_t ts;
	int32_t p;     /* id, or ALL_PS */
	int32_t delta; /* +1 taken, -1 returned */
};

struct points {
	struct point *v;
	size_t n, room;
	int64_t start;	  /* earlier points are ignored: the number of Ps is unknown */
	int64_t end;	  /* nothing is known from here on */
	int64_t from, to; /* only points in [from, to) are wanted */
};

static int add_point(struct points *s, int64_t ts, int64_t p, int delta)
{
	if (ts < s->start)
		ts = s->start;
	if (ts < s->from || ts >= s->to)
		return 0;
	if (tp_grow_raw(&s->v, &s->room, s->n, sizeof(*s->v)))
		return TP_ENOMEM;
	/* Ranges that last to the end have no end of their own. */
	if (ts < s->end && p >= ALL_PS && p < MAX_PROCS)
		s->v[s->n++] = (struct point){ts, (int32_t)p, delta};
	return 0;
}

static int add_interval(struct points *s, int64_t start, int64_t end, int64_t p)
{
	if (end <= start || end <= s->start)
		return 0;
	return add_point(s, start, p, 1) || add_point(s, end, p, -1) ? TP_ENOMEM : 0;
}

/* Converts an index of a P in tables to its id, which GOMAXPROCS counts. Returns no id for
 * TP_NONE. */
static int64_t p_id(const struct rep_gc_facts *f, int64_t index)
{
	if (index < 0 || (uint64_t)index >= f->proc.nrows)
		return -2;
	return f->proc.col[TP_COL(PROC, id)][index] < 0 ? -2 : f->proc.col[TP_COL(PROC, id)][index];
}

/* Returns whether the worker counts. */
static bool counts(enum rep_gc_kind kind, const struct rep_util_options *opt)
{
	return kind == REP_GC_FRACTIONAL || (kind == REP_GC_DEDICATED && !opt->per_p);
}

bool rep_gc_is_worker(const struct rep_gc_facts *f, size_t row)
{
	int64_t g = REP_GC_AT(f, work, GC_WORK, goroutine, row);

	return g >= 0 && (uint64_t)g < f->goroutine.nrows &&
	       f->goroutine.col[TP_COL(GOROUTINE, name)][g];
}

static int add_work_as_go(struct points *s, const struct rep_gc_facts *f,
			  const struct rep_util_options *opt)
{
	unsigned causes = 0;
	int code = 0;

	if (opt->include & REP_UTIL_ASSIST)
		causes |= REP_GO_ASSIST;
	if (opt->include & REP_UTIL_BACKGROUND)
		causes |= opt->per_p ? REP_GO_LABELLED : REP_GO_LABELLED | REP_GO_DEDICATED;
	for (size_t i = 0; !code && i < f->nsteps; i++) {
		const struct rep_go_step *x = &f->step[i];
		bool early = x->since_start && !opt->per_p;

		if (x->causes & causes)
			code = add_point(s, early ? s->start : x->ts, p_id(f, x->p), x->delta);
	}
	return code;
}

/* Adds points of the rows from `first` up to `end`. */
static int add_work(struct points *s, const struct rep_gc_facts *f,
		    const struct rep_util_options *opt, size_t first, size_t end_row)
{
	int code = 0;

	for (size_t i = first; !code && i < end_row; i++) {
		enum rep_gc_kind kind = f->work.kind[i];
		int64_t p = p_id(f, REP_GC_AT(f, work, GC_WORK, p, i));
		int64_t end = REP_GC_AT(f, work, GC_WORK, end_ns, i);

		if (p < 0)
			continue;
		if (kind == REP_GC_ASSIST && opt->include & REP_UTIL_ASSIST)
			code = add_interval(s, REP_GC_AT(f, work, GC_WORK, start_ns, i), end, p);
		else if (opt->include & REP_UTIL_BACKGROUND && counts(kind, opt) &&
			 rep_gc_is_worker(f, i))
			code = add_interval(s, REP_GC_AT(f, work, GC_WORK, told_ns, i), end, p);
	}
	return code;
}

/* Returns whether a range counts. */
static bool range_counts(const struct rep_gc_facts *f, size_t i, unsigned include)
{
	return (f->range.kind[i] == REP_GC_STW && include & REP_UTIL_STW) ||
	       (f->range.kind[i] == REP_GC_SWEEP && include & REP_UTIL_SWEEP);
}

static int add_ranges(struct points *s, const struct rep_gc_facts *f,
		      const struct rep_util_options *opt, size_t first, size_t end_row)
{
	int code = 0;

	for (size_t i = first; !code && i < end_row; i++) {
		int64_t p = ALL_PS;

		if (!range_counts(f, i, opt->include))
			continue;
		if (f->range.kind[i] == REP_GC_SWEEP)
			p = p_id(f, REP_GC_AT(f, range, RANGE, p, i));
		if (f->range.kind[i] == REP_GC_STW || p >= 0)
			code = add_interval(s, REP_GC_AT(f, range, RANGE, start_ns, i),
					    REP_GC_AT(f, range, RANGE, end_ns, i), p);
	}
	return code;
}

/* Sorts by time, keeping the order of equal ones: a radix sort, as there may be a million. */
static int sort_points(struct points *s)
{
	struct point *from = s->v, *to;
	size_t count[2049];

	to = tp_many(s->n + 1, sizeof(*to));
	if (!to)
		return TP_ENOMEM;
	for (unsigned shift = 0; shift < 64 && (uint64_t)s->end >> shift; shift += 11) {
		struct point *other = from;

		memset(count, 0, sizeof(count));
		for (size_t i = 0; i < s->n; i++)
			count[((uint64_t)from[i].ts >> shift & 2047) + 1]++;
		for (int b = 0; b < 2048; b++)
			count[b + 1] += count[b];
		for (size_t i = 0; i < s->n; i++)
			to[count[(uint64_t)from[i].ts >> shift & 2047]++] = from[i];
		from = to;
		to = other;
	}
	s->v = from;
	s->room = s->n + 1;
	free(to);
	return 0;
}

/* ---- steps ---- */

#define LEVEL_BITS 16

int rep_util_new(struct rep_utils *u, int64_t end)
{
	/* The largest time leaves enough bits free, except in runs of more than three days. */
	bool packed = (uint64_t)(end > 0 ? end : 0) >> (64 - LEVEL_BITS) == 0;

	if (tp_grow(&u->series, &u->room, u->n, sizeof(*u->series)))
		return TP_ENOMEM;
	u->series[u->n++] = (struct rep_util){.shift = packed ? LEVEL_BITS : 0, .p = -1};
	return 0;
}

#define FEW_LEVELS 8

/* Sets *level to the number of a value, which may be a new one. Returns TP_ELIMIT if all numbers are taken. */
static int find_level(struct rep_utils *u, double util, uint64_t *level)
{
	uint64_t bits, hash;

	/* Of a few Ps there are a few values. */
	for (*level = 0; *level < u->nlevels && *level < FEW_LEVELS; ++*level)
		if (u->level[*level] == util)
			return 0;
	if (!u->nlevels)
		u->seed = tp_seed();
	memcpy(&bits, &util, sizeof(bits));
	hash = tp_mix64(u->seed, bits);
	for (struct tp_probe p = {0}; tp_table_next(&u->levels, hash, &p);) {
		*level = p.row;
		if (u->level[p.row] == util)
			return 0;
	}
	*level = u->nlevels;
	if (*level >> LEVEL_BITS)
		return TP_ELIMIT;
	if (tp_grow_raw(&u->level, &u->room_levels, u->nlevels, sizeof(*u->level)) ||
	    tp_table_add(&u->levels, hash, u->nlevels))
		return TP_ENOMEM;
	u->level[u->nlevels++] = util;
	return 0;
}

int rep_util_put(struct rep_utils *all, size_t i, struct rep_util_step step)
{
	struct rep_util *u = &all->series[i];
	uint64_t level = 0;
	int code = u->shift ? find_level(all, step.util, &level)
			    : tp_grow_raw(&u->value, &u->room_values, u->n, sizeof(*u->value));

	if (!code)
		code = tp_grow_raw(&u->step, &u->room, u->n, sizeof(*u->step));
	if (code)
		return code;
	if (!u->shift)
		u->value[u->n] = step.util;
	u->step[u->n++] = (uint64_t)step.ts << u->shift | level;
	return 0;
}

/* ---- functions ---- */

struct builder {
	const struct rep_util_options *opt;
	struct rep_utils *out;
	size_t run, first; /* first: of this run's series */
	int32_t *taken;	   /* by P: number of ranges that take it */
	size_t *series;	   /* by P: its index in out */
	size_t np, room, steps;
	int64_t end;  /* of the run */
	int64_t busy; /* number of Ps taken */
	int64_t stw;
	int64_t late; /* as_go: time since which a rise has been delayed; -1: no delay */
	/* The next change of GOMAXPROCS: when (INT64_MAX: never), to what, and its row. */
	int64_t change;
	size_t procs, row;
};

/* Adds a step. Of several at one time, Go's addUtil keeps the lowest; we keep the last. */
static int add_step(struct builder *b, size_t series, int64_t ts, double util)
{
	struct rep_util *u = &b->out->series[series];
	double last = u->n ? rep_util_at(b->out, u, u->n - 1) : 0;

	if (u->n && last == util)
		return 0;
	/* Rows of a store may be in any order. */
	if (u->n && rep_util_ts(u, u->n - 1) >= ts) {
		if (b->opt->as_go && util > last) {
			b->late = ts;
			return 0;
		}
		ts = rep_util_ts(u, --u->n);
		/* The value may equal the one before. */
		if (!b->opt->as_go && u->n && rep_util_at(b->out, u, u->n - 1) == util)
			return 0;
	} else if (++b->steps > MAX_STEPS) {
		return TP_ELIMIT;
	}
	return rep_util_put(b->out, series, (struct rep_util_step){ts, util});
}

/* Ends a function. In Go, a function that is 0 at the end ends when it became 0. */
static int end_at(struct builder *b, size_t series, int64_t ts)
{
	const struct rep_util *u = &b->out->series[series];

	if (b->opt->as_go || rep_util_at(b->out, u, u->n - 1) != 0 ||
	    rep_util_ts(u, u->n - 1) >= ts)
		return add_step(b, series, ts, 0);
	return rep_util_put(b->out, series, (struct rep_util_step){ts, 0});
}

static int new_series(struct builder *b, int64_t p, int64_t ts)
{
	struct rep_utils *out = b->out;
	int code = rep_util_new(out, b->end);

	if (code)
		return code;
	out->series[out->n - 1].p = p;
	out->series[out->n - 1].run = b->run;
	return add_step(b, out->n - 1, ts, 1);
}

/* Sets GOMAXPROCS to n from ts on. */
static int set_procs(struct builder *b, size_t n, int64_t ts)
{
	int code = 0;

	if (n > b->room) {
		int32_t *taken = tp_more(b->taken, n, sizeof(*taken));
		size_t *series = tp_more(b->series, n, sizeof(*series));

		b->taken = taken ? taken : b->taken;
		b->series = series ? series : b->series;
		if (!taken || !series)
			return TP_ENOMEM;
		b->room = n;
	}
	for (size_t p = n; !code && p < b->np; p++) {
		b->busy -= b->taken[p] > 0;
		if (b->opt->per_p)
			code = end_at(b, b->series[p], ts);
	}
	for (size_t p = b->np; !code && p < n; p++) {
		b->taken[p] = 0;
		b->series[p] = b->first;
		if (b->opt->per_p || b->out->n == b->first) {
			b->series[p] = b->out->n;
			code = new_series(b, b->opt->per_p ? (int64_t)p : -1, ts);
		}
	}
	b->np = n;
	return code;
}

/* Adds the state at ts; of one P (or ALL_PS) if each has its own function. */
static int settle(struct builder *b, int64_t ts, int32_t p)
{
	int code = 0;

	if (!b->np)
		return 0;
	if (!b->opt->per_p) {
		int64_t taken = b->stw > 0 ? (int64_t)b->np : b->busy;

		return add_step(b, b->first, ts, 1 - (double)taken / (double)b->np);
	}
	for (size_t i = p >= 0 ? (size_t)p : 0; !code && i < b->np && (p < 0 || i == (size_t)p);
	     i++)
		code = add_step(b, b->series[i], ts, b->stw > 0 || b->taken[i] > 0 ? 0 : 1);
	return code;
}

static void apply(struct builder *b, const struct point *x)
{
	if (x->p == ALL_PS) {
		b->stw += x->delta;
	} else if (b->taken && (size_t)x->p < b->np) {
		b->busy -= b->taken[x->p] > 0;
		b->taken[x->p] += x->delta;
		b->busy += b->taken[x->p] > 0;
	}
}

/* Returns when GOMAXPROCS changes next, searching from row *at; INT64_MAX if it does not. */
static int64_t next_procs(const struct rep_gc_facts *f, size_t *at, size_t *n)
{
	for (; *at < f->metric.nrows; ++*at) {
		int64_t value = f->metric.col[TP_COL(METRIC, value)][*at];

		if (f->metric_kind[*at] != REP_METRIC_PROCS)
			continue;
		*n = value < 0 ? 0 : value > MAX_PROCS ? MAX_PROCS + 1 : (size_t)value;
		value = f->metric.col[TP_COL(METRIC, ts_ns)][*at];
		value = value < f->duration_ns ? value : f->duration_ns;
		return value < 0 ? 0 : value;
	}
	return INT64_MAX;
}

static void begin(struct builder *b, const struct rep_gc_facts *f)
{
	b->change = next_procs(f, &b->row, &b->procs);
	if (f->procs_known)
		return;
	/* A trace without GOMAXPROCS has the Ps it mentions. */
	for (size_t i = 0; i < f->proc.nrows; i++)
		b->procs += p_id(f, (int64_t)i) >= 0;
	b->change = 0;
}

/* Continues the functions by points, up to s->to. */
static int build(struct builder *b, const struct rep_gc_facts *f, const struct points *s)
{
	int code = 0;

	for (size_t i = 0; !code && (i < s->n || b->change < s->to);) {
		int64_t ts = i < s->n && s->v[i].ts < b->change ? s->v[i].ts : b->change;
		int32_t p = i < s->n ? s->v[i].p : ALL_PS;

		if (b->late >= 0 && ts > b->late + 1)
			code = settle(b, b->late + 1, ALL_PS);
		if (b->late >= 0 && ts > b->late)
			b->late = -1;
		if (code)
			break;
		if (ts == b->change) {
			if (b->procs > MAX_PROCS)
				return TP_ELIMIT;
			code = set_procs(b, b->procs, ts);
			b->row++;
			b->change = f->procs_known ? next_procs(f, &b->row, &b->procs) : INT64_MAX;
			p = ALL_PS;
		} else {
			apply(b, &s->v[i++]);
		}
		if (!code)
			code = settle(b, ts, p);
	}
	return code;
}

/* Ends every function with the run, or when its P is removed. */
static int end_series(struct builder *b, int64_t end)
{
	int code = 0;

	for (size_t i = b->first; !code && i < b->out->n; i++) {
		bool ended = true;

		for (size_t p = 0; p < b->np; p++)
			ended = ended && b->series[p] != i;
		if (!ended)
			code = end_at(b, i, end);
	}
	return code;
}

/* Keeps the part in [from, to). */
static int clip(struct rep_utils *all, size_t i, int64_t from, int64_t to)
{
	struct rep_util *u = &all->series[i];
	size_t first = 0, n = u->n;
	int64_t start = rep_util_ts(u, 0), end = rep_util_ts(u, n - 1);

	start = start > from ? start : from;
	end = end < to ? end : to;
	if (start >= end) {
		u->n = 0;
		return 0;
	}
	while (first + 1 < n && rep_util_ts(u, first + 1) <= start)
		first++;
	while (n > first + 1 && rep_util_ts(u, n - 1) >= end)
		n--;
	memmove(u->step, u->step + first, (n - first) * sizeof(*u->step));
	if (u->value)
		memmove(u->value, u->value + first, (n - first) * sizeof(*u->value));
	u->step[0] += (uint64_t)(start - rep_util_ts(u, 0)) << u->shift;
	u->n = n - first;
	return rep_util_put(all, i, (struct rep_util_step){end, 0});
}

static void release(struct rep_util *u)
{
	free(u->step);
	free(u->value);
}

static void drop_empty(struct rep_utils *out, size_t first)
{
	size_t n = first;

	for (size_t i = first; i < out->n; i++) {
		if (out->series[i].n < 2)
			release(&out->series[i]);
		else
			out->series[n++] = out->series[i];
	}
	out->n = n;
}

static int fail(struct tp_err *err, int code)
{
	if (code == TP_ELIMIT)
		return tp_err_set(err, code, TP_OFFSET_NONE,
				  "the run has too many Ps, or too many steps or values of "
				  "utilisation, for one report");
	return code ? tp_nomem(err) : 0;
}

/* A long run has millions of sweeps, whose points would take several times the memory of the function made of
 * them. So its points are made, sorted and used for some of its time after the other. */
#define PIECE_ROWS ((size_t)1 << 17)

/* The times that some rows of a table are within: as rows are by time, mostly, a piece needs few of them. */
struct extent {
	int64_t from, to;
};

static struct extent *find_extents(const struct rep_packed *start, const struct rep_packed *end,
				   size_t rows, const struct points *s)
{
	struct extent *x = tp_many(rows / REP_PACKED_ROWS + 1, sizeof(*x));

	for (size_t i = 0; x && i < rows; i++) {
		struct extent *at = &x[i / REP_PACKED_ROWS];
		int64_t from = rep_packed_at(start, i), to = rep_packed_at(end, i);

		if (i % REP_PACKED_ROWS == 0)
			*at = (struct extent){INT64_MAX, s->start};
		at->from = from < at->from ? from : at->from;
		at->to = to > at->to ? to : at->to;
	}
	return x;
}

typedef int (*add_rows)(struct points *s, const struct rep_gc_facts *f,
			const struct rep_util_options *opt, size_t first, size_t end);

/* Adds points of all rows that may have some in [s->from, s->to). */
static int add_all(struct points *s, const struct rep_gc_facts *f,
		   const struct rep_util_options *opt, add_rows add, const struct extent *x,
		   size_t rows)
{
	int code = 0;

	for (size_t i = 0; !code && i < rows; i += REP_PACKED_ROWS) {
		const struct extent *at = x ? &x[i / REP_PACKED_ROWS] : NULL;

		if (!at || (at->from < s->to && at->to >= s->from))
			code = add(s, f, opt, i,
				   rows - i < REP_PACKED_ROWS ? rows : i + REP_PACKED_ROWS);
	}
	return code;
}

/* Returns how many pieces the time of the run is cut into. */
static size_t count_pieces(const struct rep_gc_facts *f, const struct rep_util_options *opt,
			   size_t work)
{
	size_t n = work;

	for (size_t i = 0; i < f->range.n; i++)
		n += range_counts(f, i, opt->include);
	return n < 2 * PIECE_ROWS ? 1 : n / PIECE_ROWS + 1;
}

static int build_pieces(struct builder *b, const struct rep_gc_facts *f, struct points *s)
{
	bool as_go = b->opt->as_go && f->steps_known;
	size_t work =
	    !as_go && b->opt->include & (REP_UTIL_ASSIST | REP_UTIL_BACKGROUND) ? f->work.n : 0;
	size_t pieces = as_go ? 1 : count_pieces(f, b->opt, work);
	struct extent *ranges = NULL, *works = NULL;
	int code = 0;

	if (pieces > 1) {
		ranges = find_extents(&f->range.col[TP_COL(RANGE, start_ns)],
				      &f->range.col[TP_COL(RANGE, end_ns)], f->range.n, s);
		works = find_extents(&f->work.col[TP_COL(GC_WORK, start_ns)],
				     &f->work.col[TP_COL(GC_WORK, end_ns)], work, s);
		code = ranges && works ? 0 : TP_ENOMEM;
	}
	s->to = INT64_MIN;
	for (size_t k = 1; !code && k <= pieces; k++) {
		s->from = s->to;
		s->to = k < pieces ? s->end / (int64_t)pieces * (int64_t)k : INT64_MAX;
		s->n = 0;
		code = add_all(s, f, b->opt, add_ranges, ranges, f->range.n);
		if (!code && as_go)
			code = add_work_as_go(s, f, b->opt);
		else if (!code)
			code = add_all(s, f, b->opt, add_work, works, work);
		if (!code)
			code = sort_points(s);
		if (!code)
			code = build(b, f, s);
	}
	free(ranges);
	free(works);
	return code;
}

int rep_utils_add(struct rep_utils *u, const struct rep_gc_facts *f,
		  const struct rep_util_options *opt, size_t run, struct tp_err *err)
{
	struct points s = {.end = f->duration_ns};
	struct builder b = {
	    .opt = opt, .out = u, .run = run, .first = u->n, .end = f->duration_ns, .late = -1};
	int code;

	if (f->no_collector)
		return 0;
	begin(&b, f);
	s.start = f->procs_known ? b.change : 0;
	code = build_pieces(&b, f, &s);
	if (!code)
		code = end_series(&b, f->duration_ns);
	for (size_t i = b.first; !code && i < u->n; i++)
		code = clip(u, i, opt->from, opt->to);
	if (!code)
		drop_empty(u, b.first);
	free(s.v);
	free(b.taken);
	free(b.series);
	return fail(err, code);
}

void rep_utils_release(struct rep_utils *u)
{
	for (size_t i = 0; i < u->n; i++)
		release(&u->series[i]);
	free(u->series);
	free(u->level);
	tp_table_release(&u->levels);
	memset(u, 0, sizeof(*u));
}
