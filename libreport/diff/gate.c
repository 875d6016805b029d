#include "diff/gate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"

const char *const rep_outcomes[] = {
    [REP_OUTCOME_PASSED] = "passed",
    [REP_OUTCOME_UNDECIDED] = "undecided",
    [REP_OUTCOME_EXCEEDED] = "exceeded",
};

/* A one-sided gate passes what fell like this, but not silently: a measurement that collapsed is
 * more often broken than good. */
#define COLLAPSE_PERCENT 50

/* ---- parsing ---- */

static const char *skip(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

static int wrong(const char *text, struct tp_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static int wrong(const char *text, struct tp_err *err, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the gate '%.80s' %s; one that works is 'inuse_space>+5%%,min=1MiB'",
			  text, what);
}

/* Where the operator begins: the first that is behind the regular expression if there is one. */
static const char *find_operator(const char *text, const char *from)
{
	const char *end = NULL;

	if (!from) {
		size_t n = strcspn(text, "<>+");

		return text[n] ? text + n : NULL;
	}
	/* Expressions may hold parentheses and signs: the last ")" that an operator follows. */
	for (const char *s = from; *s; s++)
		if (*s == ')' && *skip(s + 1) && strchr("<>+", *skip(s + 1)))
			end = s;
	return end ? skip(end + 1) : NULL;
}

static int parse_metric(struct rep_gate *g, const char *text, const char **op, struct tp_err *err)
{
	static const struct {
		const char *name;
		enum rep_gate_metric metric;
	} functions[] = {{"flat(", REP_GATE_FLAT}, {"cum(", REP_GATE_CUM}};
	const char *start = text, *open = NULL, *end;
	size_t n;
	int code = 0;

	for (size_t i = 0; i < 2 && !open; i++) {
		const char *colon = text + strcspn(text, ":(<>");
		const char *at = *colon == ':' ? skip(colon + 1) : text;

		if (!strncmp(at, functions[i].name, strlen(functions[i].name))) {
			g->metric = functions[i].metric;
			start = at;
			open = at + strlen(functions[i].name);
			n = at == text ? 0 : (size_t)(colon - text);
		}
	}
	*op = find_operator(text, open);
	if (!*op)
		return wrong(text, err, "has no >, < or +- followed by an amount");
	if (open) {
		char *regex;

		for (end = *op; end[-1] != ')'; end--)
			;
		regex = strndup(open, (size_t)(end - 1 - open));
		if (!regex)
			return tp_nomem(err);
		code = tp_regex_init(&g->regex, regex, "--gate", err);
		free(regex);
	} else {
		n = (size_t)(*op - start);
	}
	while (n && text[n - 1] == ' ')
		n--;
	if (!code && !open && !n)
		return wrong(text, err, "does not say what it is about");
	if (!code && n >= sizeof(g->type))
		return wrong(text, err, "has a name that is too long");
	if (!code)
		memcpy(g->type, text, n);
	return code;
}

static int parse_limit(struct rep_gate *g, const char *op, const char **rest, struct tp_err *err)
{
	size_t n;
	char amount[64];

	switch (*op) {
	case '>':
		g->change = REP_GATE_ABOVE;
		op = skip(op + 1);
		op += *op == '+';
		if (*op == '-')
			return wrong(g->text, err, "asks for growth below zero");
		break;
	case '<':
		g->change = REP_GATE_BELOW;
		op = skip(op + 1);
		if (*op != '-')
			return wrong(g->text, err, "needs a minus behind <, as <-5%%");
		op++;
		break;
	default:
		if (op[1] != '-')
			return wrong(g->text, err, "has a + without what is said by >+ or +-");
		g->change = REP_GATE_EITHER;
		op += 2;
		break;
	}
	op = skip(op);
	n = strcspn(op, ",");
	*rest = op + n;
	while (n && op[n - 1] == ' ')
		n--;
	if (n >= sizeof(amount))
		return wrong(g->text, err, "has a number that is too long");
	memcpy(amount, op, n);
	amount[n] = '\0';
	if (n && amount[n - 1] == '%') {
		g->limit.percent = true;
		while (n > 1 && amount[n - 2] == ' ')
			n--;
		amount[n - 1] = '\0';
	}
	if (!rep_amount_parse(amount, &g->limit.number, g->limit.unit) || g->limit.number < 0 ||
	    (g->limit.percent && g->limit.unit[0]))
		return wrong(g->text, err, "has '%.20s' where an amount belongs", op);
	return 0;
}

static int parse_option(struct rep_gate *g, const char *name, const char *value, struct tp_err *err)
{
	char unit[REP_AMOUNT_UNIT];

	if (!strcmp(name, "min")) {
		if (!rep_amount_parse(value, &g->min.number, g->min.unit) || g->min.number < 0)
			return wrong(g->text, err, "has min=%.20s, which is no amount", value);
	} else if (!strcmp(name, "share")) {
		char number[32];
		size_t n = strcspn(value, "%");

		snprintf(number, sizeof(number), "%.*s", (int)n, value);
		if (strcmp(value + n, "%") != 0 || n >= sizeof(number) ||
		    !rep_amount_parse(number, &g->share, unit) || unit[0] || g->share < 0 ||
		    g->share > 100)
			return wrong(g->text, err, "has share=%.20s, which is no percentage",
				     value);
		g->share /= 100;
	} else if (!strcmp(name, "alpha")) {
		g->alpha_given = true;
		if (!rep_amount_parse(value, &g->alpha, unit) || unit[0] || g->alpha <= 0 ||
		    g->alpha >= 1)
			return wrong(g->text, err, "has alpha=%.20s, which is not between 0 and 1",
				     value);
	} else if (!strcmp(name, "undecided")) {
		g->undecided_fails = !strcmp(value, "fail");
		if (!g->undecided_fails && strcmp(value, "pass") != 0)
			return wrong(g->text, err, "has undecided=%.20s, which is not pass or fail",
				     value);
	} else if (!strcmp(name, "missing") || !strcmp(name, "damaged")) {
		bool pass = !strcmp(value, "pass");

		*(name[0] == 'm' ? &g->missing_passes : &g->damaged_passes) = pass;
		if (!pass && strcmp(value, "fail") != 0)
			return wrong(g->text, err, "has %s=%.20s, which is not pass or fail", name,
				     value);
	} else {
		return wrong(
		    g->text, err,
		    "has '%.20s'; there are min, share, alpha, undecided, missing and damaged",
		    name);
	}
	return 0;
}

int rep_gate_parse(struct rep_gate *g, const char *text, struct tp_err *err)
{
	const char *op, *rest = "";
	int code;

	memset(g, 0, sizeof(*g));
	g->text = text;
	g->alpha = 0.05;
	code = parse_metric(g, skip(text), &op, err);
	if (!code)
		code = parse_limit(g, op, &rest, err);
	while (!code && *rest == ',') {
		char option[64];
		size_t n;
		char *value;

		rest = skip(rest + 1);
		n = strcspn(rest, ",");
		if (n >= sizeof(option))
			return wrong(text, err, "has an option that is too long");
		memcpy(option, rest, n);
		rest += n;
		while (n && option[n - 1] == ' ')
			n--;
		option[n] = '\0';
		value = strchr(option, '=');
		if (!value)
			return wrong(text, err, "has '%.20s' where OPTION=VALUE belongs", option);
		*value = '\0';
		code = parse_option(g, option, value + 1, err);
	}
	return code;
}

void rep_gate_release(struct rep_gate *g)
{
	tp_regex_release(&g->regex);
}

/* ---- judging ---- */

struct limits {
	double limit, min; /* in the metric's unit; limit: or percent */
	size_t tests;	   /* rows that are tested together */
	bool alone_hidden; /* so many that one changed row among them could not be significant */
	unsigned weight;   /* of the row that says why, as far as it was judged */
};

static int find_limits(const struct rep_gate *g, const struct rep_diff *d, struct limits *l,
		       struct tp_err *err)
{
	l->limit = g->limit.number;
	if ((!g->limit.percent &&
	     !rep_amount_in(g->limit.number, g->limit.unit, d->unit, &l->limit)) ||
	    !rep_amount_in(g->min.number, g->min.unit, d->unit, &l->min))
		return wrong(g->text, err, "has an amount in another unit: %.40s is in %.40s",
			     d->type, d->unit);
	return 0;
}

/* Are the numbers beyond the limit, noise aside? */
static bool beyond(const struct rep_gate *g, const struct limits *l, struct rep_diff_pair v)
{
	double delta = (double)v.new - (double)v.old;
	double by = g->limit.percent ? rep_diff_percent(v) : delta;

	if (delta == 0 || fabs(delta) < l->min)
		return false;
	if (isnan(by)) /* from nothing */
		by = delta > 0 ? (double)INFINITY : -(double)INFINITY;
	switch (g->change) {
	case REP_GATE_ABOVE:
		return by > l->limit;
	case REP_GATE_BELOW:
		return -by > l->limit;
	default:
		return fabs(by) > l->limit;
	}
}

int rep_gate_say(struct tp_buf *b, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return tp_buf_put(b, text, n < (int)sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* "main.f: 1MiB, then 1.2MiB (+20.0%, p=0.008)" */
static int say_value(struct tp_buf *b, const struct rep_diff *d, struct rep_diff_pair v, double p)
{
	char old[REP_AMOUNT_SIZE], new[REP_AMOUNT_SIZE], percent[REP_AMOUNT_SIZE];
	int code = rep_gate_say(b, "%s, then %s (%s", rep_amount(old, v.old, d->unit, NULL),
				rep_amount(new, v.new, d->unit, NULL),
				v.old == v.new ? "the same"
					       : rep_amount_percent(percent, rep_diff_percent(v)));

	if (!code && !isnan(p))
		code = rep_gate_say(b, ", p=%.3g", p);
	return code ? code : rep_gate_say(b, ")");
}

static int say_collapse(const struct rep_gate *g, const struct limits *l, const struct rep_diff *d,
			const struct rep_diff_row *row, double p, struct rep_diff_pair v,
			struct rep_gate_result *r)
{
	double percent = rep_diff_percent(v);
	size_t names;
	int code;

	if (fabs((double)v.new - (double)v.old) < l->min || (d->sets && !(p <= g->alpha)))
		return 0;

	if (g->change == REP_GATE_EITHER || isnan(percent) || fabs(percent) < COLLAPSE_PERCENT ||
	    (percent > 0) == (g->change == REP_GATE_ABOVE) || r->note.size)
		return 0;
	if (row->key) {
		code = rep_diff_name(d, row, &r->note, &names);
	} else {
		code = rep_gate_say(&r->note, "%s", d->type);
	}
	return code ? code
		    : rep_gate_say(
			  &r->note,
			  " %s by %.0f%%, which a gate for one direction lets pass; +- looks "
			  "at both",
			  percent > 0 ? "grew" : "fell", fabs(percent));
}

/* A function that exceeds the gate; names end where their line does. */
static int note_exceeded(const struct rep_diff *d, const struct rep_diff_row *row,
			 struct rep_diff_pair v, double p, struct rep_gate_result *r)
{
	size_t names, at = r->names.size;
	int code = rep_diff_name(d, row, &r->names, &names);

	for (size_t i = at; i < r->names.size; i++)
		if (r->names.data[i] == '\n')
			r->names.data[i] = ' ';
	if (!code)
		code = tp_buf_put(&r->each, r->names.data + at, r->names.size - at);
	if (!code)
		code = rep_gate_say(&r->each, ": ");
	if (!code)
		code = say_value(&r->each, d, v, p);
	if (!code)
		code = tp_buf_put(&r->each, "\n", 1);
	return code ? code : tp_buf_put(&r->names, "\n", 1);
}

/* Nothing that the runs might hold could exceed the gate, or what they hold could not on its own.
 */
static bool cannot_tell(const struct rep_gate *g, const struct limits *l, const struct rep_diff *d,
			const struct rep_diff_row *row, bool far)
{
	return d->sets && (d->few || (far && l->alone_hidden && row->test.p <= g->alpha));
}

/* What would be enough for one function among those that are tested, where there are several. */
static int say_undecided(const struct rep_gate *g, const struct limits *l, const struct rep_diff *d,
			 struct rep_gate_result *r)
{
	char takes[REP_STATS_TAKES], among[80] = "";

	rep_stats_takes(d->nold, d->nnew, g->alpha / (double)(l->tests ? l->tests : 1), takes);
	if (l->tests > 1)
		snprintf(among, sizeof(among), " to be sure of one change among %zu functions",
			 l->tests);
	if (d->few)
		return rep_gate_say(
		    &r->why,
		    "too few runs: of %zu and %zu no difference has p below %.2g, and alpha "
		    "is %g: it takes %s%s",
		    d->nold, d->nnew, rep_stats_least_p(d->nold, d->nnew), g->alpha, takes, among);
	return rep_gate_say(
	    &r->why,
	    "too few runs, %zu and %zu,%s at alpha %g: it takes %s, or fewer functions "
	    "(share=, or a narrower name)",
	    d->nold, d->nnew, among, g->alpha, takes);
}

/* Is it about what the gate looks for? */
static bool heads(const struct rep_gate *g, struct rep_diff_pair v)
{
	switch (g->change) {
	case REP_GATE_ABOVE:
		return v.new > v.old;
	case REP_GATE_BELOW:
		return v.new < v.old;
	default:
		return v.new != v.old;
	}
}

/* Which row says why: the worst outcome, then, where nothing could be decided, one beyond the limit
 * or at least on its way there; before all these what cannot be judged. */
static unsigned weight(const struct rep_gate *g, enum rep_outcome outcome, bool wrapped, bool far,
		       struct rep_diff_pair v)
{
	unsigned w = 4 * (unsigned)outcome;

	return outcome != REP_OUTCOME_UNDECIDED ? w : w + (wrapped ? 3 : far ? 2 : heads(g, v));
}

static int say_wrapped(struct rep_gate_result *r)
{
	r->wrapped = true;
	return rep_gate_say(&r->why, "the values add up to more than fits 64 bits, so they cannot "
				     "be compared");
}

static int judge_row(const struct rep_gate *g, struct limits *l, const struct rep_diff *d,
		     const struct rep_diff_row *row, double p, struct rep_gate_result *r)
{
	struct rep_diff_pair v = g->metric == REP_GATE_CUM ? row->cum : row->flat;
	bool wrapped = g->metric == REP_GATE_CUM ? row->cum_wrapped : row->flat_wrapped;
	enum rep_outcome outcome = REP_OUTCOME_PASSED;
	bool far = !wrapped && beyond(g, l, v);
	unsigned w;

	if (wrapped)
		outcome = REP_OUTCOME_UNDECIDED;
	else if (far && (!d->sets || (!d->few && p <= g->alpha)))
		outcome = REP_OUTCOME_EXCEEDED;
	else if (cannot_tell(g, l, d, row, far))
		outcome = REP_OUTCOME_UNDECIDED;
	r->tested++;
	r->exceeded += outcome == REP_OUTCOME_EXCEEDED;
	if (outcome == REP_OUTCOME_EXCEEDED && row->key) {
		int code = note_exceeded(d, row, v, d->sets ? p : (double)NAN, r);

		if (code)
			return code;
	}
	/* Of what weighs the same the greatest change; rows are in that order. */
	w = weight(g, outcome, wrapped, far, v);
	if (r->tested == 1 || w > l->weight) {
		bool named = row->key && (w != 4 * REP_OUTCOME_UNDECIDED);
		int code;

		l->weight = w;
		r->outcome = outcome;
		r->value = v;
		r->p = d->sets ? p : (double)NAN;
		r->why.size = 0;
		if (named) {
			size_t names;

			code = rep_diff_name(d, row, &r->why, &names);
			if (!code)
				code = rep_gate_say(&r->why, ": ");
			if (code)
				return code;
		}
		if (wrapped)
			return say_wrapped(r);
		/* Of functions that went the other way none is why. */
		code = named || !row->key ? say_value(&r->why, d, v, r->p) : 0;
		if (!code && outcome == REP_OUTCOME_UNDECIDED)
			code = r->why.size ? rep_gate_say(&r->why, "; ") : 0;
		if (!code && outcome == REP_OUTCOME_UNDECIDED)
			code = say_undecided(g, l, d, r);
		if (!code && far && outcome == REP_OUTCOME_PASSED)
			code = rep_gate_say(&r->why, "; beyond the limit, but not significant");
		if (code)
			return code;
	}
	return wrapped ? 0 : say_collapse(g, l, d, row, p, v, r);
}

/* A gate that passed could have been exceeded by many functions, but by none alone. */
static int note_hidden(const struct limits *l, const struct rep_diff *d, const struct rep_gate *g,
		       struct rep_gate_result *r)
{
	char takes[REP_STATS_TAKES];

	if (!l->alone_hidden || r->outcome != REP_OUTCOME_PASSED || r->note.size)
		return 0;
	return rep_gate_say(
	    &r->note,
	    "of %zu and %zu runs one change among %zu functions could not have exceeded it: "
	    "it takes %s, or fewer functions (share=, or a narrower name)",
	    d->nold, d->nnew, l->tests,
	    rep_stats_takes(d->nold, d->nnew, g->alpha / (double)l->tests, takes));
}

/* There is nothing that the gate could be about. */
static int be_blind(const struct rep_gate *g, const char *why, struct rep_gate_result *r)
{
	r->outcome = REP_OUTCOME_UNDECIDED;
	r->blind = !g->missing_passes;
	return rep_gate_say(&r->why, "%s, so there is nothing to compare", why);
}

static int judge_functions(const struct rep_gate *g, struct limits *l, const struct rep_diff *d,
			   struct rep_gate_result *r)
{
	double *p = tp_many(d->n ? d->n : 1, sizeof(*p));
	bool *matches = calloc(d->n ? d->n : 1, sizeof(*matches));
	struct tp_buf name = {0};
	int code = p && matches ? 0 : TP_ENOMEM;

	for (size_t i = 0; !code && i < d->n; i++) {
		size_t names;
		int rc = 0;

		name.size = 0;
		code = rep_diff_name(d, &d->row[i], &name, &names);
		if (!code)
			code = tp_buf_put(&name, "", 1); /* regexec's sanitizer wants the NUL */
		if (!code)
			rc = tp_regex_find(&g->regex, (char *)name.data, name.size - 1);
		if (rc < 0)
			code = rc;
		matches[i] = rc == 1;
		p[i] = matches[i] && d->sets ? d->row[i].test.p : (double)NAN;
		l->tests += matches[i];
	}
	l->alone_hidden =
	    d->sets && !d->few && rep_stats_least_p(d->nold, d->nnew) * (double)l->tests > g->alpha;
	if (!code)
		code = rep_stats_adjust(p, d->n, p);
	for (size_t i = 0; !code && i < d->n; i++)
		if (matches[i])
			code = judge_row(g, l, d, &d->row[i], p[i], r);
	if (!code && !r->tested) {
		code = be_blind(g, "no function matches", r);
	} else if (!code && r->exceeded > 1) {
		code = rep_gate_say(&r->why, ", and %zu more of %zu", r->exceeded - 1, r->tested);
	}
	if (!code)
		code = note_hidden(l, d, g, r);
	tp_buf_release(&name);
	free(matches);
	free(p);
	return code;
}

/* Values that are 0 are samples, too: a heap of which nothing is in use. */
static bool has_samples(const struct rep_diff_side *side)
{
	for (size_t i = 0; i < side->n; i++)
		if (side->run[i].profile->nsamples)
			return true;
	return false;
}

int rep_gate_judge(const struct rep_gate *g, const struct rep_diff_side *old,
		   const struct rep_diff_side *new, const struct rep_diff_options *opt,
		   struct rep_gate_result *r, struct tp_err *err)
{
	struct rep_diff_options own = *opt;
	struct rep_diff *d = NULL;
	struct limits limits = {0};
	int code;

	memset(r, 0, sizeof(*r));
	r->p = (double)NAN;
	own.keys.by = REP_BY_FUNCTION;
	own.cum = g->metric == REP_GATE_CUM;
	own.alpha = g->alpha;
	own.test_one = g->alpha_given;
	own.sort = REP_SORT_DELTA;
	own.drop_negative = own.changed = false;
	own.min_share = g->share;
	if (g->type[0])
		own.sample_index = g->type;
	if (g->metric == REP_GATE_TOTAL) {
		/* Totals need no rows: one key, as no label has no name. */
		own.keys.by = REP_BY_LABEL;
		own.keys.label = "";
	}
	code = rep_diff_new(&d, old, new, &own, err);
	if (!code)
		code = find_limits(g, d, &limits, err);
	if (code) {
		rep_diff_free(d);
		if (code == TP_ENOENT)
			tp_err_prefix(err, "the gate '%.80s'", g->text);
		return code;
	}
	if (opt->damaged && !g->damaged_passes) {
		r->outcome = REP_OUTCOME_UNDECIDED;
		r->blind = true;
		code =
		    rep_gate_say(&r->why, "%.200s is damaged, and what it lost may be what changed",
				 opt->damaged);
	} else if (d->wrapped) {
		r->outcome = REP_OUTCOME_UNDECIDED;
		code = say_wrapped(r);
	} else if (g->metric != REP_GATE_TOTAL) {
		code = judge_functions(g, &limits, d, r);
	} else if (has_samples(old) || has_samples(new)) {
		code = judge_row(g, &limits, d, &d->total, d->total.test.p, r);
	} else {
		code = be_blind(g, "neither side has a sample", r);
	}
	if (!code)
		code = tp_buf_put(&r->why, "", 1);
	if (!code)
		code = tp_buf_put(&r->note, "", 1);
	if (!code)
		code = tp_buf_put(&r->names, "", 1);
	if (!code)
		code = tp_buf_put(&r->each, "", 1);
	r->wrapped &= r->outcome == REP_OUTCOME_UNDECIDED;
	r->blind |= r->wrapped;
	r->fails = r->outcome == REP_OUTCOME_EXCEEDED || r->blind ||
		   (r->outcome == REP_OUTCOME_UNDECIDED && r->tested && g->undecided_fails);
	rep_diff_free(d);
	return tp_regex_unknown(code, err);
}

void rep_gate_result_release(struct rep_gate_result *r)
{
	tp_buf_release(&r->why);
	tp_buf_release(&r->note);
	tp_buf_release(&r->names);
	tp_buf_release(&r->each);
}
