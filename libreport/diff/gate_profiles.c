/* Gates on profiles: a total, or functions by name. */
#include <stdio.h>
#include <string.h>

#include "diff/kind.h"

static int parse_metric(struct rep_gate *g, char *metric, struct tp_err *err)
{
	char *colon = metric + strcspn(metric, ":("), *at = metric, *type = metric;
	size_t n;
	int code = 0;

	if (*colon == ':')
		for (at = colon + 1; *at == ' ';)
			at++;
	if (!strncmp(at, "flat(", 5) || !strncmp(at, "cum(", 4)) {
		char *open = strchr(at, '('), *close = strrchr(at, ')');

		if (!close)
			return rep_gate_wrong(g, err, "has ( without )");
		if (close[1])
			return rep_gate_wrong(g, err, "has '%.20s' behind the )", close + 1);
		g->several = true;
		g->cum = *at == 'c';
		*close = '\0';
		code = tp_regex_init(&g->regex, open + 1, "--gate", err);
		*(at == metric ? metric : colon) = '\0';
	}
	for (n = strlen(type); n && type[n - 1] == ' ';)
		n--;
	if (!code && n >= sizeof(g->type))
		return rep_gate_wrong(g, err, "has a name that is too long");
	if (!code)
		memcpy(g->type, type, n);
	return code;
}

static void set_options(const struct rep_gate *g, struct rep_diff_options *opt)
{
	opt->keys.by = REP_BY_FUNCTION;
	opt->cum = g->cum;
	opt->test_one = g->alpha_given;
	opt->sort = REP_SORT_DELTA;
	if (g->type[0])
		opt->sample_index = g->type;
	if (!g->several) {
		/* Totals need no rows: one key, as no label has no name. */
		opt->keys.by = REP_BY_LABEL;
		opt->keys.label = "";
	}
}

static const char *unit_of(const struct rep_gate *g, const struct rep_diff *d, char words[160])
{
	(void)g;
	snprintf(words, 160, "%.40s is in %.40s", d->type, d->unit);
	return d->unit;
}

static void say_none(const struct rep_gate *g, const struct rep_diff_side *new, struct tp_buf *why,
		     bool *fine)
{
	(void)new;
	*fine = false;
	tp_buf_printf(why, "%s, so nothing can be compared",
		      g->several ? "no function matches" : "neither side has a sample");
}

const struct rep_gate_kind rep_profiles_gates = {
    .example = "inuse_space>+5%,min=1MiB",
    .rows = "functions",
    .shares = true,
    .parse_metric = parse_metric,
    .options = set_options,
    .unit = unit_of,
    .none = say_none,
};
