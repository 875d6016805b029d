/* A gate's text: "sched.p99>+10%,min=1ms". */
#include "diff/trace/gate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/trace/show.h"

#define EXAMPLE_GATE "'sched.p99>+10%%'"

static const char *skip(const char *s)
{
	while (*s == ' ')
		s++;
	return s;
}

int rep_trace_gate_wrong(const char *text, struct tp_err *err, const char *fmt, ...)
{
	char what[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the gate '%.80s' %s; one that works is " EXAMPLE_GATE, text, what);
}

/* Where the operator begins: names and expressions may hold such signs themselves. */
static const char *find_operator(const char *text)
{
	size_t n = strcspn(text, "[(<>+");
	const char *end = text + n;

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

/* "family(regex).stat" without the expression. */
static int parse_regex(struct rep_trace_gate *g, char *metric, struct tp_err *err)
{
	char *open = strchr(metric, '('), *close = strrchr(metric, ')');
	int code;

	if (!open || (strchr(metric, '[') && strchr(metric, '[') < open))
		return 0;
	if (!close || close < open)
		return rep_trace_gate_wrong(g->gate.text, err, "has ( without )");
	*close = '\0';
	code = tp_regex_init(&g->gate.regex, open + 1, "--gate", err);
	g->regex = !code;
	memmove(open, close + 1, strlen(close + 1) + 1);
	return code;
}

static int parse_metric(struct rep_trace_gate *g, const char *text, const char *op,
			struct tp_err *err)
{
	size_t n = (size_t)(op - text);
	char *metric;
	int code;

	while (n && text[n - 1] == ' ')
		n--;
	if (!n)
		return rep_trace_gate_wrong(g->gate.text, err, "does not say what it is about");
	metric = strndup(text, n);
	if (!metric)
		return tp_nomem(err);
	code = parse_regex(g, metric, err);
	if (!code && rep_metric_parse(&g->metric, metric, err)) {
		tp_err_prefix(err, "the gate '%.80s'", g->gate.text);
		code = err->code;
	}
	free(metric);
	return code;
}

static int parse_amount(struct rep_trace_gate *g, const char *op, const char **rest,
			struct tp_err *err)
{
	struct rep_gate_amount *limit = &g->gate.limit;
	size_t n = strcspn(op, ",");
	char amount[64];

	*rest = op + n;
	while (n && op[n - 1] == ' ')
		n--;
	if (n >= sizeof(amount))
		return rep_trace_gate_wrong(g->gate.text, err, "has a number that is too long");
	memcpy(amount, op, n);
	amount[n] = '\0';
	if (n && amount[n - 1] == '%') {
		limit->percent = true;
		while (n > 1 && amount[n - 2] == ' ')
			n--;
		amount[n - 1] = '\0';
	}
	if (!rep_amount_parse(amount, &limit->number, limit->unit) || limit->number < 0 ||
	    (limit->percent && limit->unit[0]))
		return rep_trace_gate_wrong(g->gate.text, err,
					    "has '%.20s' where an amount belongs", op);
	return 0;
}

static int parse_change(struct rep_trace_gate *g, const char *op, const char **rest,
			struct tp_err *err)
{
	char sign = *op;
	int code;

	if (sign == '+' && op[1] != '-')
		return rep_trace_gate_wrong(g->gate.text, err,
					    "has a + without what is said by >+ or +-");
	op = skip(op + 1 + (sign == '+'));
	if (sign == '+') {
		g->gate.change = REP_GATE_EITHER;
	} else if (sign == '>') {
		g->gate.change = REP_GATE_ABOVE;
		if (*op == '-')
			return rep_trace_gate_wrong(g->gate.text, err,
						    "asks for growth below zero");
		if (*op != '+')
			g->threshold = REP_LIMIT_ABOVE;
		op += *op == '+';
	} else {
		g->gate.change = REP_GATE_BELOW;
		if (*op != '-')
			g->threshold = REP_LIMIT_BELOW;
		op += *op == '-';
	}
	code = parse_amount(g, skip(op), rest, err);
	/* "10%" is of something: of what it was, unless it is a share. */
	if (!code && g->threshold && g->gate.limit.percent) {
		if (g->metric.stat == REP_STAT_SHARE) {
			g->gate.limit.percent = false;
			g->gate.limit.number /= 100;
		} else if (g->threshold == REP_LIMIT_BELOW) {
			code = rep_trace_gate_wrong(g->gate.text, err,
						    "needs a minus behind <, as <-5%%");
		} else {
			g->threshold = REP_LIMIT_NONE;
		}
	}
	return code;
}

static int parse_option(struct rep_gate *g, const char *name, const char *value, struct tp_err *err)
{
	char unit[REP_AMOUNT_UNIT];
	bool pass = !strcmp(value, "pass"), fail = !strcmp(value, "fail");

	if (!strcmp(name, "min")) {
		if (!rep_amount_parse(value, &g->min.number, g->min.unit) || g->min.number < 0)
			return rep_trace_gate_wrong(g->text, err,
						    "has min=%.20s, which is no amount", value);
		return 0;
	}
	if (!strcmp(name, "alpha")) {
		if (!rep_amount_parse(value, &g->alpha, unit) || unit[0] || g->alpha <= 0 ||
		    g->alpha >= 1)
			return rep_trace_gate_wrong(
			    g->text, err, "has alpha=%.20s, which is not between 0 and 1", value);
		return 0;
	}
	if (strcmp(name, "undecided") != 0 && strcmp(name, "missing") != 0 &&
	    strcmp(name, "damaged") != 0)
		return rep_trace_gate_wrong(
		    g->text, err,
		    "has '%.20s'; there are min, alpha, undecided, missing and damaged", name);
	if (!pass && !fail)
		return rep_trace_gate_wrong(g->text, err, "has %s=%.20s, which is not pass or fail",
					    name, value);
	if (name[0] == 'u')
		g->undecided_fails = fail;
	else if (name[0] == 'm')
		g->missing_passes = pass;
	else
		g->damaged_passes = pass;
	return 0;
}

int rep_trace_gate_parse(struct rep_trace_gate *g, const char *text, struct tp_err *err)
{
	const char *start = skip(text), *op = find_operator(start), *rest = "";
	int code;

	memset(g, 0, sizeof(*g));
	g->gate.text = text;
	g->gate.alpha = 0.05;
	if (!op)
		return rep_trace_gate_wrong(text, err, "has no >, < or +- followed by an amount");
	code = parse_metric(g, start, op, err);
	if (!code)
		code = parse_change(g, op, &rest, err);
	while (!code && *rest == ',') {
		char option[64], *value;
		size_t n;

		rest = skip(rest + 1);
		n = strcspn(rest, ",");
		if (n >= sizeof(option))
			return rep_trace_gate_wrong(text, err, "has an option that is too long");
		memcpy(option, rest, n);
		rest += n;
		while (n && option[n - 1] == ' ')
			n--;
		option[n] = '\0';
		value = strchr(option, '=');
		if (!value)
			return rep_trace_gate_wrong(
			    text, err, "has '%.20s' where OPTION=VALUE belongs", option);
		*value = '\0';
		code = parse_option(&g->gate, option, value + 1, err);
	}
	return code;
}

void rep_trace_gate_release(struct rep_trace_gate *g)
{
	rep_gate_release(&g->gate);
}
