#include "task/spent.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"

int rep_spent_put(void *ctx, const struct rep_stretch *s, struct tp_err *err)
{
	struct rep_spent *t = ctx;
	uint32_t label = s->worker == TP_NONE ? TP_NONE : t->workers->worker[s->worker].label;
	bool bare = s->state == TP_ST_RUNNING || s->worker == TP_NONE;
	uint32_t what, at;
	int code = rep_keys_add(&t->what, label, s->state, bare ? 0 : s->reason,
				bare ? 0 : s->stack, &what);

	if (!code)
		code = rep_keys_add(&t->at, s->item, what, 0, 0, &at);
	if (!code)
		code = tp_grow(&t->cell, &t->room, at, sizeof(*t->cell));
	if (code)
		return tp_err_full(
		    err, code,
		    "these tasks and regions have too many different steps for one report");
	t->cell[at].item = s->item;
	t->cell[at].what = what;
	tp_sum(&t->cell[at].ns, tp_minus(s->to, s->from));
	return 0;
}

void rep_spent_release(struct rep_spent *t)
{
	rep_keys_release(&t->what);
	rep_keys_release(&t->at);
	free(t->cell);
	memset(t, 0, sizeof(*t));
}

/* ---- the largest part ---- */

static int take(struct rep_most *m, struct rep_view *v, const struct rep_key *what,
		const struct rep_key *label)
{
	int code = rep_view_string(v, what->part[2], &m->reason);

	m->state = what->part[1];
	m->type = m->region = 0;
	if (!code)
		code = rep_view_stack(v, what->part[3], &m->stack);
	if (!code && label->part[0])
		code = rep_view_string(v, label->part[0] - 1, &m->type);
	if (!code && label->part[1])
		code = rep_view_string(v, label->part[1] - 1, &m->region);
	return code;
}

int rep_most_of(const struct rep_spent *spent, struct rep_view *v, struct rep_most *most)
{
	static const struct rep_key nobody;
	struct rep_keys groups = {0}; /* item, label, state, reason */
	uint32_t *group = calloc(spent->at.n + 1, sizeof(*group));
	int64_t *ns = NULL;
	size_t room = 0;
	int code = group ? 0 : TP_ENOMEM;

	for (size_t i = 0; !code && i < spent->at.n; i++) {
		const struct rep_spent_cell *cell = &spent->cell[i];
		const uint32_t *what = spent->what.key[cell->what].part;

		code = rep_keys_add(&groups, cell->item, what[0], what[1], what[2], &group[i]);
		if (!code)
			code = tp_grow(&ns, &room, group[i], sizeof(*ns));
		if (!code)
			tp_sum(&ns[group[i]], cell->ns);
	}
	for (size_t i = 0; !code && i < spent->at.n; i++) {
		const struct rep_spent_cell *cell = &spent->cell[i];
		const struct rep_key *what = &spent->what.key[cell->what];
		struct rep_most *m = &most[cell->item];

		if (ns[group[i]] < m->ns ||
		    (ns[group[i]] == m->ns && (group[i] != m->group || cell->ns <= m->stack_ns)))
			continue;
		m->group = group[i];
		m->ns = ns[group[i]];
		m->stack_ns = cell->ns;
		code = take(m, v, what,
			    what->part[0] == TP_NONE ? &nobody
						     : &spent->workers->labels.key[what->part[0]]);
	}
	free(group);
	free(ns);
	rep_keys_release(&groups);
	return code;
}
