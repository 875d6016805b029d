/* A profile with its table of functions, whose rows unfold into callers and callees. One thread at a
 * time uses it: the worker during a job of the view, otherwise the screen's thread. */
#include "tprof-tui/view/top/top.h"

#include <stdlib.h>
#include <string.h>

struct top_model *top_model_new(void)
{
	struct top_model *m = calloc(1, sizeof(*m));

	if (m)
		m->users = 1;
	return m;
}

struct top_model *top_model_keep(struct top_model *m)
{
	m->users++;
	return m;
}

void top_model_drop(struct top_model *m)
{
	if (!m || --m->users)
		return;
	rep_chains_free(m->chains);
	rep_profile_top_release(&m->top);
	tp_profile_free(m->profile);
	free(m->focus);
	free(m->type);
	free(m);
}

void top_unfold_release(struct top_unfold *u)
{
	free(u->before);
	free(u->behind);
	free(u->next);
	*u = (struct top_unfold){0};
}

int top_unfold_find(struct top_model *m, struct top_unfold *u, struct tp_err *err)
{
	size_t n = u->nbefore + 1 + u->nbehind;
	uint32_t *chain, node;
	int code = 0;

	if (!m->chains)
		code = rep_chains_new(&m->chains, &m->top.view, err);
	if (code || u->root >= m->top.n)
		return code;
	node = rep_chains_node(m->chains, m->top.row[u->root].info);
	if (node == TP_NONE)
		return 0;
	chain = malloc(n * sizeof(*chain));
	if (!chain)
		return tp_nomem(err);
	if (u->nbefore)
		memcpy(chain, u->before, u->nbefore * sizeof(*chain));
	chain[u->nbefore] = node;
	if (u->nbehind)
		memcpy(chain + u->nbefore + 1, u->behind, u->nbehind * sizeof(*chain));
	code = rep_chains_next(m->chains, chain, n, u->callers, &u->next, &u->nnext, err);
	free(chain);
	return code;
}
