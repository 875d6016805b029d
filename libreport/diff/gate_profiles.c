/* Gates on profiles: a total, or functions by name. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff/profiles.h"

int rep_profiles_parse_metric(struct rep_gate *g, char *metric, struct tp_err *err)
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

/* Values that are 0 are samples, too: a heap of which nothing is in use. */
static bool has_samples(const struct rep_diff_side *side)
{
	for (size_t i = 0; i < side->n; i++)
		if (side->run[i].profile->nsamples)
			return true;
	return false;
}

/* Keeps the functions that the gate is about. */
static int pick_functions(const struct rep_gate *g, struct rep_diff *d)
{
	struct tp_buf name = {0};
	size_t kept = 0;
	int code = 0;

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
		if (rc == 1)
			d->row[kept++] = d->row[i];
	}
	d->n = kept;
	tp_buf_release(&name);
	return code;
}

int rep_profiles_gate_rows(const struct rep_gate *g, const struct rep_diff_side *old,
			   const struct rep_diff_side *new, const struct rep_diff_options *opt,
			   struct rep_gate_rows *rows, struct tp_err *err)
{
	struct rep_diff_options own = *opt;
	struct rep_diff *d;
	int code;

	own.keys.by = REP_BY_FUNCTION;
	own.cum = g->cum;
	own.alpha = g->alpha;
	own.test_one = g->alpha_given;
	own.sort = REP_SORT_DELTA;
	own.drop_negative = own.changed = false;
	own.min_share = g->share;
	if (g->type[0])
		own.sample_index = g->type;
	if (!g->several) {
		/* Totals need no rows: one key, as no label has no name. */
		own.keys.by = REP_BY_LABEL;
		own.keys.label = "";
	}
	code = rep_diff_new(&d, old, new, &own, err);
	rows->d = d;
	if (code)
		return code;
	rows->plain = !d->sets;
	rows->least_p = d->sets ? rep_stats_least_p(d->nold, d->nnew) : 0;
	if (g->several) {
		code = pick_functions(g, d);
	} else {
		d->n = has_samples(old) || has_samples(new);
		*d->row = d->total;
	}
	/* A row that is the same in all runs counts among those that are tested. */
	for (size_t i = 0; d->sets && i < d->n; i++)
		if (isnan(d->row[i].p))
			d->row[i].p = 1;
	return tp_regex_unknown(code, err);
}

const char *rep_profiles_gate_unit(const struct rep_gate *g, const struct rep_diff *d,
				   char words[160])
{
	(void)g;
	snprintf(words, 160, "%.40s is in %.40s", d->type, d->unit);
	return d->unit;
}

int rep_profiles_gate_none(const struct rep_gate *g, const struct rep_diff_side *new,
			   struct tp_buf *why, bool *fine)
{
	(void)new;
	*fine = false;
	return rep_gate_say(why, "%s, so there is nothing to compare",
			    g->several ? "no function matches" : "neither side has a sample");
}
