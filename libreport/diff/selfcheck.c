#include "diff/selfcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "decode/dict.h"
#include "diff/kind.h"
#include "diff/trace/set.h"

#define FIND_ROUNDS 100	 /* at most, to find out how often a change is found */
#define FIND_MISSES 10	 /* one in so many rounds may miss it */
#define FIND_FIRST  0.01 /* changes that are tried, as logarithms */
#define FIND_LAST   5.1
#define FIND_STEPS  4 /* of bisection */
#define MOST_NAMES  3

/* ---- rounds ---- */

struct game {
	const struct rep_diff_side *runs;
	const struct rep_check_options *how;
	const struct rep_diff_options *opt;
	const struct rep_gate *gate;
	struct rep_check *check;
	struct rep_diff_run *run; /* as they were dealt, old ones in front */
	size_t *order;
	bool windows; /* of one run: run[] has two parts of it */
	struct rep_diff_side side[2];
};

/* Fisher and Yates: the same order for a round each time. */
static void shuffle(struct game *g, size_t n, size_t round)
{
	uint64_t seed = tp_mix64(g->how->seed, round);

	for (size_t i = 0; i < n; i++)
		g->order[i] = i;
	for (size_t i = n; i-- > 1;) {
		size_t j = (size_t)(tp_random(&seed) % (i + 1)), swap = g->order[i];

		g->order[i] = g->order[j];
		g->order[j] = swap;
	}
}

static void release_windows(struct game *g)
{
	for (int k = 0; k < 2 && g->windows; k++) {
		rep_metrics_free(g->run[k].metrics);
		g->run[k].metrics = NULL;
	}
}

/* The windows of one run in two halves. */
static int deal_windows(struct game *g, size_t round, struct tp_err *err)
{
	const struct rep_metrics *m = g->runs->run[0].metrics;
	size_t half = m->base.windows / 2;
	int code = 0;

	release_windows(g);
	shuffle(g, m->base.windows, round);
	for (size_t k = 0; !code && k < 2; k++) {
		bool use[REP_METRICS_WINDOWS] = {false};

		for (size_t i = k * half; i < (k + 1) * half; i++)
			use[g->order[i]] = true;
		code = rep_set_part(m, use, &g->run[k].metrics, err);
	}
	return code;
}

static int deal(struct game *g, size_t round, struct tp_err *err)
{
	if (g->windows)
		return deal_windows(g, round, err);
	shuffle(g, g->runs->n, round);
	for (size_t i = 0; i < g->runs->n; i++)
		g->run[i] = g->runs->run[g->order[i]];
	return 0;
}

static int count_name(struct tp_dict *names, size_t **count, size_t *room, const char *text,
		      size_t size)
{
	uint32_t id;
	int code = tp_dict_string(names, text, size, &id);

	if (!code)
		code = tp_grow(count, room, id, sizeof(**count));
	if (!code)
		(*count)[id]++;
	return code;
}

/* The names that were met, and how often. */
struct tally {
	struct tp_dict *names;
	size_t *count, room;
};

/* Names the rows that were counted most often. */
static int put_names(struct tally *t, struct tp_buf *out)
{
	size_t n = t->room < tp_dict_strings(t->names) ? t->room : tp_dict_strings(t->names);

	for (int k = 0; k < MOST_NAMES; k++) {
		size_t most = 0;
		struct tp_text name;

		for (size_t i = 1; i < n; i++)
			most = t->count[i] > t->count[most] ? i : most;
		if (!most)
			break;
		name = tp_dict_text(t->names, (uint32_t)most);
		tp_buf_text(out, k ? ", " : "");
		tp_buf_put(out, name.text, name.size);
		tp_buf_printf(out, " %zu", t->count[most]);
		t->count[most] = 0;
	}
	return tp_buf_put(out, "", 1);
}

static int compare(struct game *g, struct tally *t, struct tp_err *err)
{
	struct rep_check_row *c = &g->check->row[0];
	struct rep_diff *d = NULL;
	int code = rep_diff_new(&d, &g->side[0], &g->side[1], g->opt, err);
	bool changed = false, told = false, few = false;

	/* What is the same in the last digit says nothing about what a test could tell. */
	for (size_t i = 0; !code && i < d->n; i++) {
		const struct rep_diff_row *row = &d->row[i];

		told = told || (row->verdict == REP_VERDICT_SAME && row->old != row->new);
		few = few || row->verdict == REP_VERDICT_FEW;
		if (row->verdict == REP_VERDICT_CHANGED) {
			struct tp_buf name = {0};
			size_t names;

			changed = true;
			code = rep_diff_name(d, row, &name, &names);
			if (!code)
				code = count_name(t->names, &t->count, &t->room, (char *)name.data,
						  name.size);
			tp_buf_release(&name);
			if (code)
				tp_nomem(err);
		}
	}
	c->exceeded += changed;
	c->undecided += few && !told && !changed;
	rep_diff_free(d);
	return code;
}

static int judge(struct game *g, size_t i, struct tally *t, struct tp_err *err)
{
	struct rep_check_row *c = &g->check->row[i];
	struct rep_gate_result r = {0};
	int code = rep_gate_judge(&g->gate[i - 1], &g->side[0], &g->side[1], g->opt, &r, err);

	c->exceeded += !code && r.outcome == REP_OUTCOME_EXCEEDED;
	c->undecided += !code && r.outcome == REP_OUTCOME_UNDECIDED;
	for (size_t at = 0; !code && at + 1 < r.names.size;) {
		const char *name = (char *)r.names.data + at;
		size_t n = strcspn(name, "\n");

		code = count_name(t->names, &t->count, &t->room, name, n);
		if (code)
			tp_nomem(err);
		at += n + 1;
	}
	rep_gate_result_release(&r);
	return code;
}

/* Plays the rounds of the i-th gate, or, of 0, of the diff. */
static int play(struct game *g, size_t i, struct tp_err *err)
{
	struct tally t = {.names = tp_dict_new()};
	int code = t.names ? 0 : tp_nomem(err);

	for (size_t round = 0; !code && round < g->check->rounds; round++) {
		code = deal(g, round, err);
		if (!code)
			code = i ? judge(g, i, &t, err) : compare(g, &t, err);
	}
	if (!code && put_names(&t, &g->check->row[i].names))
		code = tp_nomem(err);
	tp_dict_free(t.names);
	free(t.count);
	return code;
}

/* ---- the smallest change that is found ---- */

/* Is the gate exceeded in 90 of 100 rounds if all new values, or those of one row, are `factor`
 * times what they are? */
static int try_change(struct game *g, const struct rep_gate *gate, const char *row, double factor,
		      bool *found, struct tp_err *err)
{
	struct rep_diff_options opt = *g->opt;
	size_t rounds = g->check->rounds < FIND_ROUNDS ? g->check->rounds : FIND_ROUNDS;
	size_t missed = 0;
	int code = 0;

	opt.factor = factor;
	opt.factor_row = row;
	for (size_t i = 0; !code && i < rounds && missed * FIND_MISSES <= rounds; i++) {
		struct rep_gate_result r = {0};

		code = deal(g, i, err);
		if (!code)
			code = rep_gate_judge(gate, &g->side[0], &g->side[1], &opt, &r, err);
		missed += r.outcome != REP_OUTCOME_EXCEEDED;
		rep_gate_result_release(&r);
	}
	*found = missed * FIND_MISSES <= rounds;
	return code;
}

/* Doubles the change until it is found, then goes back by halves. */
static int find(struct game *g, size_t i, struct tp_err *err)
{
	const struct rep_gate *gate = &g->gate[i - 1];
	bool falls =
	    gate->threshold ? gate->threshold == REP_LIMIT_BELOW : gate->change == REP_GATE_BELOW;
	double low = 0, high = 0, sign = falls ? -1 : 1;
	struct tp_buf row = {0};
	bool found = false;
	int code = gate->several ? rep_gate_greatest(gate, g->runs, g->opt, &row, err) : 0;
	bool any = !gate->several || row.size;

	while (!code && any && !found && high < FIND_LAST) {
		low = high;
		high = high > 0 ? 2 * high : FIND_FIRST;
		code = try_change(g, gate, (char *)row.data, exp(sign * high), &found, err);
	}
	for (int step = 0; !code && found && step < FIND_STEPS; step++) {
		double middle = (low + high) / 2;
		bool is;

		code = try_change(g, gate, (char *)row.data, exp(sign * middle), &is, err);
		*(is ? &high : &low) = middle;
	}
	g->check->row[i].finds = found ? expm1(sign * high) : (double)NAN;
	tp_buf_release(&row);
	return code;
}

/* ---- all of it ---- */

static int check_enough(const struct rep_diff_side *runs, struct tp_err *err)
{
	const struct rep_metrics *m = runs->n ? runs->run[0].metrics : NULL;

	if (m && runs->n == 1 && m->base.windows < 2 * REP_LEAST_WINDOWS)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "a run of %zu windows cannot be compared with itself; give one of "
		    "%d windows or more, or several runs",
		    m->base.windows, 2 * REP_LEAST_WINDOWS);
	if (!m && runs->n < 2)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "one old run cannot be compared with itself; record the same build several "
		    "times: 2 runs are compared one against one, %zu as sets, and it takes %zu to "
		    "find a change by sets",
		    (size_t)REP_SELF_CHECK_LEAST, 2 * rep_stats_least_runs(0.05));
	return 0;
}

static void set_sizes(struct game *g, bool single)
{
	struct rep_check *check = g->check;
	size_t n = g->runs->n, new = g->how->new_runs;

	if (g->windows) {
		g->side[0] = (struct rep_diff_side){g->run, 1};
		g->side[1] = (struct rep_diff_side){g->run + 1, 1};
		return;
	}
	check->new = single ? 1 : new &&new < n / 2 ? new : n / 2;
	check->old = single ? 1 : n - check->new;
	g->side[0] = (struct rep_diff_side){g->run, check->old};
	g->side[1] = (struct rep_diff_side){g->run + check->old, check->new};
}

int rep_check(const struct rep_diff_side *runs, bool single, const struct rep_check_options *how,
	      const struct rep_diff_options *opt, const struct rep_gate *gate, size_t ngates,
	      struct rep_check *check, struct tp_err *err)
{
	struct game g = {.runs = runs, .how = how, .opt = opt, .gate = gate, .check = check};
	int code;

	memset(check, 0, sizeof(*check));
	check->rounds = how->rounds ? how->rounds : REP_SELF_CHECK_ROUNDS;
	code = check_enough(runs, err);
	if (code)
		return code;
	g.windows = runs->n == 1;
	g.run = calloc(runs->n + 1, sizeof(*g.run));
	g.order = tp_many(runs->n + REP_METRICS_WINDOWS, sizeof(*g.order));
	check->row = calloc(ngates + 1, sizeof(*check->row));
	if (!g.run || !g.order || !check->row) {
		code = tp_nomem(err);
	} else {
		check->n = ngates + 1;
		set_sizes(&g, single);
	}
	for (size_t i = 0; !code && i < check->n; i++) {
		code = play(&g, i, err);
		check->row[i].finds = (double)NAN;
		/* What is exceeded anyway finds nothing. */
		if (!code && i &&
		    (check->rounds - check->row[i].exceeded) * FIND_MISSES > check->rounds)
			code = find(&g, i, err);
	}
	if (g.run)
		release_windows(&g);
	free(g.run);
	free(g.order);
	return code;
}

void rep_check_release(struct rep_check *check)
{
	for (size_t i = 0; i < check->n; i++)
		tp_buf_release(&check->row[i].names);
	free(check->row);
	memset(check, 0, sizeof(*check));
}

static void put_check(const struct rep_check *c, const struct rep_gate *gate,
		      struct rep_output *out, struct tp_err *err)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct rep_check_row *r = &c->row[i];
		struct rep_value row[] = {
		    rep_str(i ? gate[i - 1].text : "any row changed"),
		    c->old ? rep_int((int64_t)c->old) : rep_null(),
		    c->new ? rep_int((int64_t)c->new) : rep_null(),
		    rep_int((int64_t)c->rounds),
		    rep_float((double)r->exceeded / (double)c->rounds),
		    rep_float(rep_stats_at_most(r->exceeded, c->rounds)),
		    rep_float((double)r->undecided / (double)c->rounds),
		    rep_diff_number(r->finds),
		    r->names.size > 1 ? rep_str((char *)r->names.data) : rep_null(),
		};

		rep_output_row(out, row, err);
	}
}

/* Says that sides of these sizes are too small for any change to be found. */
static int note_few(const struct rep_check *c, const struct rep_diff_options *opt,
		    struct rep_output *out, struct tp_err *err)
{
	char text[REP_STATS_ADVICE];
	int code;

	if (c->old + c->new <= 2 ||
	    !*rep_stats_advice(c->old, c->new, 1, opt->alpha > 0 ? opt->alpha : 0.05, "", "", text))
		return 0;
	code = rep_output_note(out, true, text, err);
	return code ? code : rep_output_note(out, false, "", err);
}

/* Below the table, as the names are too long for it. */
static int note_names(const struct rep_check *c, const struct rep_gate *gate,
		      struct rep_output *out, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; !code && i < c->n; i++) {
		struct tp_buf text = {0};

		if (c->row[i].names.size <= 1)
			continue;
		code = tp_buf_printf(&text, "%s, %zu old and %zu new: %s",
				     i ? gate[i - 1].text : "rows called changed", c->old, c->new,
				     (char *)c->row[i].names.data);
		code = code ? tp_nomem(err) : rep_output_note(out, false, (char *)text.data, err);
		tp_buf_release(&text);
	}
	return code;
}

int rep_self_check(const struct rep_diff_side *runs, const struct rep_check_options *how,
		   const struct rep_diff_options *opt, const struct rep_gate *gate, size_t ngates,
		   struct rep_output *out, struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "what", .doc = "gate, or all rows", .title = "WHAT", .kind = REP_TEXT},
	    {.name = "n_old",
	     .doc = "runs of the old side; null: half of the windows of one run",
	     .title = "OLD",
	     .kind = REP_COUNT},
	    {.name = "n_new",
	     .doc = "runs of the new side; null: the other half",
	     .title = "NEW",
	     .kind = REP_COUNT},
	    {.name = "rounds", .doc = "comparisons made", .kind = REP_COUNT, .raw_only = true},
	    {.name = "exceeded",
	     .doc = "comparisons in which it was exceeded",
	     .title = "EXCEEDED",
	     .kind = REP_SHARE},
	    {.name = "at_most",
	     .doc = "upper bound (95 %) of exceeded, as there are only so many comparisons",
	     .title = "AT MOST",
	     .kind = REP_SHARE},
	    {.name = "undecided",
	     .doc = "comparisons without a verdict",
	     .title = "UNDECIDED",
	     .kind = REP_SHARE},
	    {.name = "finds",
	     .doc = "smallest change that exceeds the gate in 90 of 100 comparisons; null: none, "
		    "or it is exceeded anyway",
	     .title = "FINDS",
	     .kind = REP_SHARE},
	    {.name = "most_often",
	     .doc = "rows that were called changed, or exceeded the gate, most often, and in how "
		    "many comparisons; or null",
	     .kind = REP_TEXT,
	     .raw_only = true},
	};
	struct rep_check sets = {0}, single = {0};
	bool several = runs->n == 1 || runs->n >= REP_SELF_CHECK_LEAST;
	int code = 0;

	if (several || !runs->n)
		code = rep_check(runs, false, how, opt, gate, ngates, &sets, err);
	if (!code && runs->n > 1)
		code = rep_check(runs, true, how, opt, gate, ngates, &single, err);
	if (!code)
		code = note_few(&sets, opt, out, err);
	if (!code) {
		rep_output_begin(out, "selfcheck", columns, TP_COUNT_OF(columns), err);
		put_check(&sets, gate, out, err);
		put_check(&single, gate, out, err);
		code = rep_output_end(out, err);
	}
	if (!code && rep_output_for_people(out)) {
		code = note_names(&sets, gate, out, err);
		if (!code)
			code = note_names(&single, gate, out, err);
	}
	rep_check_release(&sets);
	rep_check_release(&single);
	return code;
}
