/* A gate's text: "inuse_space>+5%,min=1MiB". */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/kind.h"

static const char *skip(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

/* Copies what stands before `end`, without spaces at its end; false where it does not fit. */
static bool take(char *to, size_t size, const char *from, const char *end)
{
	while (end > from && end[-1] == ' ')
		end--;
	if ((size_t)(end - from) >= size)
		return false;
	memcpy(to, from, (size_t)(end - from));
	to[end - from] = '\0';
	return true;
}

int rep_gate_wrong(const struct rep_gate *g, struct tp_err *err, const char *fmt, ...)
{
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the gate '%.80s' %s; one that works is '%s'", g->text, what,
			  g->kind->gates->example);
}

/* Where the operator begins: names and expressions may hold such signs themselves. */
static const char *find_operator(const char *text)
{
	const char *end = text + strcspn(text, "[(<>+");

	if (*end == '[' || *end == '(') {
		const char close = *end == '[' ? ']' : ')', *last = NULL;

		/* The last bracket behind which a statistic or an operator follows. */
		for (const char *s = end; *s; s++) {
			const char *next = skip(s + 1);

			if (*s == close && *next && strchr(".<>+", *next))
				last = s;
		}
		if (!last)
			return NULL;
		end = last + 1;
	}
	end += strcspn(end, "<>+");
	return *end ? end : NULL;
}

static int parse_metric(struct rep_gate *g, const char *text, const char *op, struct tp_err *err)
{
	size_t size = (size_t)(op - text) + 1;
	char *metric = calloc(1, size);
	int code;

	if (!metric)
		return tp_nomem(err);
	take(metric, size, text, op);
	code = *metric ? g->kind->gates->parse_metric(g, metric, err)
		       : rep_gate_wrong(g, err, "names no metric");
	free(metric);
	return code;
}

static int parse_amount(struct rep_gate *g, const char *op, const char **rest, struct tp_err *err)
{
	struct rep_gate_amount *limit = &g->limit;
	char amount[64];
	size_t n;

	*rest = op + strcspn(op, ",");
	if (!take(amount, sizeof(amount), op, *rest))
		return rep_gate_wrong(g, err, "has a number that is too long");
	n = strlen(amount);
	if (n && amount[n - 1] == '%') {
		limit->percent = true;
		while (n > 1 && amount[n - 2] == ' ')
			n--;
		amount[n - 1] = '\0';
	}
	if (!rep_amount_parse(amount, &limit->number, limit->unit) || limit->number < 0 ||
	    (limit->percent && limit->unit[0]))
		return rep_gate_wrong(g, err, "has '%.20s' where an amount belongs", op);
	return 0;
}

/* Without a sign the amount is a limit of the value, where there are such. "10%" is of something: of
 * what the value was, unless that is a share itself. */
static int settle_limit(struct rep_gate *g, struct tp_err *err)
{
	if (!g->threshold || (g->kind->gates->limits && !g->limit.percent))
		return 0;
	if (g->kind->gates->limits && g->metric.stat == REP_STAT_SHARE) {
		g->limit.percent = false;
		g->limit.number /= 100;
		return 0;
	}
	if (g->threshold == REP_LIMIT_BELOW)
		return rep_gate_wrong(g, err, "needs a minus behind <, as <-5%%");
	g->threshold = REP_LIMIT_NONE;
	return 0;
}

static int parse_change(struct rep_gate *g, const char *op, const char **rest, struct tp_err *err)
{
	char sign = *op;
	int code;

	if (sign == '+' && op[1] != '-')
		return rep_gate_wrong(g, err, "has a + that is not part of >+ or +-");
	op = skip(op + 1 + (sign == '+'));
	if (sign == '+') {
		g->change = REP_GATE_EITHER;
	} else if (sign == '>') {
		g->change = REP_GATE_ABOVE;
		if (*op == '-')
			return rep_gate_wrong(g, err, "asks for growth below zero");
		if (*op != '+')
			g->threshold = REP_LIMIT_ABOVE;
		op += *op == '+';
	} else {
		g->change = REP_GATE_BELOW;
		if (*op != '-')
			g->threshold = REP_LIMIT_BELOW;
		op += *op == '-';
	}
	code = parse_amount(g, skip(op), rest, err);
	return code ? code : settle_limit(g, err);
}

static bool parse_share(const char *value, double *share)
{
	char number[32], unit[REP_AMOUNT_UNIT];
	size_t n = strlen(value);

	if (!n || value[n - 1] != '%' || !take(number, sizeof(number), value, value + n - 1) ||
	    !rep_amount_parse(number, share, unit) || unit[0] || *share < 0 || *share > 100)
		return false;
	*share /= 100;
	return true;
}

static int parse_option(struct rep_gate *g, const char *name, const char *value, struct tp_err *err)
{
	bool pass = !strcmp(value, "pass"), fail = !strcmp(value, "fail");
	char unit[REP_AMOUNT_UNIT];

	if (!strcmp(name, "min")) {
		if (!rep_amount_parse(value, &g->min.number, g->min.unit) || g->min.number < 0)
			return rep_gate_wrong(g, err, "has min=%.20s, which is not an amount",
					      value);
		return 0;
	}
	if (!strcmp(name, "share") && g->kind->gates->shares) {
		if (!parse_share(value, &g->share))
			return rep_gate_wrong(g, err, "has share=%.20s, which is not a percentage",
					      value);
		return 0;
	}
	if (!strcmp(name, "alpha")) {
		g->alpha_given = true;
		if (!rep_amount_parse(value, &g->alpha, unit) || unit[0] || g->alpha <= 0 ||
		    g->alpha >= 1)
			return rep_gate_wrong(
			    g, err, "has alpha=%.20s, which is not between 0 and 1", value);
		return 0;
	}
	if (strcmp(name, "undecided") != 0 && strcmp(name, "missing") != 0 &&
	    strcmp(name, "damaged") != 0)
		return rep_gate_wrong(g, err,
				      "has the unknown option '%.20s'; options are min, %salpha, "
				      "undecided, missing and "
				      "damaged",
				      name, g->kind->gates->shares ? "share, " : "");
	if (!pass && !fail)
		return rep_gate_wrong(g, err, "has %s=%.20s, which is not pass or fail", name,
				      value);
	if (name[0] == 'u')
		*(fail ? &g->undecided_fails : &g->undecided_passes) = true;
	else if (name[0] == 'm')
		g->missing_passes = pass;
	else
		g->damaged_passes = pass;
	return 0;
}

int rep_gate_parse(struct rep_gate *g, const char *text, const struct rep_diff_kind *kind,
		   struct tp_err *err)
{
	const char *start = skip(text), *op = find_operator(start), *rest = "";
	int code;

	memset(g, 0, sizeof(*g));
	g->text = text;
	g->kind = kind;
	g->alpha = 0.05;
	if (!op)
		return rep_gate_wrong(g, err, "has no >, < or +- followed by an amount");
	code = parse_metric(g, start, op, err);
	if (!code)
		code = parse_change(g, op, &rest, err);
	while (!code && *rest == ',') {
		const char *from = skip(rest + 1);
		char option[64], *value;

		rest = from + strcspn(from, ",");
		if (!take(option, sizeof(option), from, rest))
			return rep_gate_wrong(g, err, "has an option that is too long");
		value = strchr(option, '=');
		if (!value)
			return rep_gate_wrong(g, err, "has '%.20s' where OPTION=VALUE belongs",
					      option);
		*value = '\0';
		code = parse_option(g, option, value + 1, err);
	}
	return code;
}

void rep_gate_release(struct rep_gate *g)
{
	tp_regex_release(&g->regex);
}
