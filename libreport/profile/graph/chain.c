#include "base/many.h"
#include "profile/chain.h"

#include <stdlib.h>
#include <string.h>

#include "profile/graph/build.h"

/* The values of the chain with one more node, by that node. */
struct longer {
	int64_t flat, flat_div, cum, cum_div;
	uint32_t on_path;
};

/* A stack node on the path from the root. */
struct level {
	uint32_t longer;  /* draft + 1 of the node that lengthens the chain ending here, 0 none */
	uint32_t npath;	  /* steps up to here, without direct recursion */
	uint32_t counted; /* draft + 1 whose on_path counts this level, 0 none */
};

struct rep_chains {
	struct rep_build build;
	int64_t *own, *own_div; /* by stack node: of the samples that end there; _div for means */
	struct longer *longer;	/* by draft */
	struct level *level;
	uint32_t *path; /* drafts */
	size_t level_room, path_room;
};

static int own_values(struct rep_chains *c)
{
	const struct rep_build *b = &c->build;
	const struct tp_profile *p = b->v->profile;

	c->own = calloc(b->nstacks, sizeof(*c->own));
	c->own_div = b->sum_div ? calloc(b->nstacks, sizeof(*c->own_div)) : NULL;
	if (!c->own || (b->sum_div && !c->own_div))
		return TP_ENOMEM;
	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t stack = p->stack[i] < b->nstacks ? p->stack[i] : 0;

		rep_add(&c->own[stack], rep_view_value(b->v, i));
		if (c->own_div)
			rep_add(&c->own_div[stack], rep_view_divisor(b->v, i));
	}
	return 0;
}

int rep_chains_new(struct rep_chains **out, struct rep_profile_view *v, struct tp_err *err)
{
	struct rep_chains *c = calloc(1, sizeof(*c));
	int code = c ? 0 : TP_ENOMEM;

	if (!code) {
		c->build.v = v;
		code = rep_build_sums(&c->build);
	}
	if (!code)
		code = rep_build_lists(&c->build);
	if (!code)
		code = own_values(c);
	if (!code) {
		c->longer = calloc((size_t)c->build.ndrafts + 1, sizeof(*c->longer));
		code = c->longer ? 0 : TP_ENOMEM;
	}
	if (code) {
		rep_chains_free(c);
		c = NULL;
		tp_err_full(err, code, REP_GRAPH_FULL);
	}
	*out = c;
	return code;
}

void rep_chains_free(struct rep_chains *c)
{
	if (!c)
		return;
	rep_build_release(&c->build);
	tp_arena_clear(&c->build.arena);
	free(c->own);
	free(c->own_div);
	free(c->longer);
	free(c->level);
	free(c->path);
	free(c);
}

uint32_t rep_chains_node(const struct rep_chains *c, const struct rep_node_info *info)
{
	for (uint32_t i = 0; i < c->build.ndrafts; i++) {
		struct rep_node_info other;

		rep_node_info_of(c->build.v->profile, &c->build.key[i], &other);
		if (!rep_node_infos_compare(&other, info))
			return i;
	}
	return TP_NONE;
}

/* ---- one pass down the tree ---- */

struct pass {
	struct rep_chains *c;
	const uint32_t *chain;
	size_t n;
	bool callers;
	size_t depth; /* levels in use */
};

/* Returns draft + 1 of the node that lengthens the chain, if the path ends with the longer chain;
 * else 0. */
static uint32_t longer_by(const struct pass *p, uint32_t npath)
{
	const uint32_t *end = p->c->path + npath, *chain;

	if (npath <= p->n)
		return 0;
	chain = end - p->n - (p->callers ? 0 : 1);
	if (memcmp(chain, p->chain, p->n * sizeof(*chain)) != 0)
		return 0;
	return (p->callers ? chain[-1] : end[-1]) + 1;
}

static int enter(void *ctx, uint32_t stack)
{
	struct pass *p = ctx;
	struct rep_chains *c = p->c;
	const struct rep_build *b = &c->build;
	uint32_t node = b->frame_node[b->stack[stack].frame];
	struct level *l, above = {0};
	struct longer *longer;
	int code = tp_grow(&c->level, &c->level_room, p->depth, sizeof(*c->level));

	if (!code)
		code = tp_grow(&c->path, &c->path_room, p->depth, sizeof(*c->path));

	if (code)
		return code;
	if (p->depth)
		above = c->level[p->depth - 1];
	l = &c->level[p->depth++];
	*l = (struct level){.longer = above.longer, .npath = above.npath};
	/* Frames that are left out, and direct recursion, count for the node above them. */
	if (node >= REP_NODE_FIRST &&
	    (!l->npath || c->path[l->npath - 1] != node - REP_NODE_FIRST)) {
		c->path[l->npath++] = node - REP_NODE_FIRST;
		l->longer = longer_by(p, l->npath);
		l->counted = l->longer;
	}
	if (!l->longer)
		return 0;
	longer = &c->longer[l->longer - 1];
	rep_add(&longer->flat, c->own[stack]);
	if (c->own_div)
		rep_add(&longer->flat_div, c->own_div[stack]);
	if (!l->counted || longer->on_path++)
		return 0;
	rep_add(&longer->cum, b->sum[stack]);
	if (b->sum_div)
		rep_add(&longer->cum_div, b->sum_div[stack]);
	return 0;
}

static void leave(void *ctx, uint32_t stack)
{
	struct pass *p = ctx;
	const struct level *l = &p->c->level[--p->depth];

	(void)stack;
	if (l->counted)
		p->c->longer[l->counted - 1].on_path--;
}

static int walk(struct pass *p)
{
	struct rep_build *b = &p->c->build;

	memset(p->c->longer, 0, b->ndrafts * sizeof(*p->c->longer));
	return rep_build_walk(b, enter, leave, p);
}

/* ---- the results ---- */

static int by_cum(const void *a, const void *b)
{
	const struct rep_chain_next *x = a, *y = b;
	int c;

	if (rep_abs(x->cum) != rep_abs(y->cum))
		return rep_abs(x->cum) > rep_abs(y->cum) ? -1 : 1;
	c = rep_text_compare(x->name, y->name);
	return c ? c : rep_node_infos_compare(&x->info, &y->info);
}

static int name_next(struct rep_chains *c, struct rep_chain_next *next)
{
	struct tp_buf name = {0};
	int code = rep_node_info_name(&next->info, &name);

	next->name.text = code ? NULL : tp_arena_strndup(&c->build.arena, name.data, name.size);
	next->name.size = (uint32_t)name.size;
	tp_buf_release(&name);
	return next->name.text ? 0 : TP_ENOMEM;
}

static int gather(struct rep_chains *c, struct rep_chain_next **next, size_t *n)
{
	const struct rep_build *b = &c->build;
	struct rep_chain_next *rows;
	size_t count = 0;
	int code = 0;

	for (uint32_t i = 0; i < b->ndrafts; i++)
		count += c->longer[i].cum || c->longer[i].flat;
	if (!count)
		return 0;
	rows = calloc(count, sizeof(*rows));
	if (!rows)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < b->ndrafts && !code; i++) {
		const struct longer *l = &c->longer[i];

		if (!l->cum && !l->flat)
			continue;
		rows[*n].node = i;
		rows[*n].flat = rep_mean(l->flat, l->flat_div);
		rows[*n].cum = rep_mean(l->cum, l->cum_div);
		rep_node_info_of(b->v->profile, &b->key[i], &rows[*n].info);
		code = name_next(c, &rows[(*n)++]);
	}
	qsort(rows, *n, sizeof(*rows), by_cum);
	*next = rows;
	return code;
}

int rep_chains_next(struct rep_chains *c, const uint32_t *chain, size_t n, bool callers,
		    struct rep_chain_next **next, size_t *nnext, struct tp_err *err)
{
	struct pass pass = {.c = c, .chain = chain, .n = n, .callers = callers};
	int code = n ? walk(&pass) : 0;

	*next = NULL;
	*nnext = 0;
	if (!code && n)
		code = gather(c, next, nnext);
	if (!code)
		return 0;
	free(*next);
	*next = NULL;
	*nnext = 0;
	return tp_err_full(err, code, REP_GRAPH_FULL);
}
