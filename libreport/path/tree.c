/* Writes who waited for whom as a tree: the chains of a folded path with the sums of their hops. */
#include <stdio.h>
#include <stdlib.h>

#include "base/many.h"
#include "path/table.h"

static const struct rep_column tree_columns[] = {
    {.name = "share", .doc = "of the path's length", .title = "SHARE", .kind = REP_SHARE},
    {.name = "total_ns", .doc = "time on the path", .title = "TIME", .kind = REP_NS},
    {.name = "count", .doc = "hops", .title = "COUNT", .kind = REP_COUNT, .drop = 1},
    {.name = "depth", .doc = "how many waits it lies within", .kind = REP_COUNT, .raw_only = true},
    {.name = "what",
     .doc = "the branch in words, with --json-head",
     .title = "WHAT",
     .table_only = true},
    {.name = "kind", .doc = "what the goroutines do", .raw_only = true},
    {.name = "reason", .doc = "what a wait is for, as Go names it", .raw_only = true},
    {.name = "entry", .doc = "entry function of the goroutines", .raw_only = true},
    {.name = "goroutine", .doc = "the goroutine, if it is one", .kind = REP_ID, .raw_only = true},
    {.name = "function", .doc = "innermost function outside the runtime", .raw_only = true},
    {.name = "stack", .doc = "where they end, leaf first", .raw_only = true},
    {.name = "ended_by",
     .doc = "entry function of the goroutine that ended the wait",
     .raw_only = true},
    {.name = "ended_by_goroutine", .doc = "that goroutine", .kind = REP_ID, .raw_only = true},
    {.name = "ended_by_task_type", .doc = "type of the task it was in", .raw_only = true},
    {.name = "queue",
     .doc = "of a folded path: the most waits within one another",
     .kind = REP_COUNT,
     .raw_only = true},
};
#define TREE_COLUMNS TP_COUNT_OF(tree_columns)
#define TREE_SHARE   0.005 /* least share of a branch in output for people */

/* A part of a chain: a wait, or a sum of hops. */
struct branch {
	uint32_t chain; /* the part's parent */
	uint32_t wait;	/* the chain of the wait; 0: the part is sum[sum] */
	uint32_t sum;
	int64_t ns;
};

static int by_chain(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	if (x->chain != y->chain)
		return x->chain < y->chain ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->wait != y->wait)
		return x->wait < y->wait ? -1 : 1;
	return x->sum < y->sum ? -1 : x->sum > y->sum;
}

struct tree {
	struct branch *branch;
	size_t n;
	size_t nchains;
	size_t *first; /* by chain; nchains + 1 elements */
	size_t at[REP_PATH_DEPTH + 2];
};

static int tree_init(struct tree *t, const struct rep_path *path)
{
	size_t n = path->nchains - 1 + path->nsums, i = 0;

	t->nchains = path->nchains;
	t->branch = tp_many(n + 1, sizeof(*t->branch));
	t->first = tp_many(path->nchains + 1, sizeof(*t->first));
	if (!t->branch || !t->first)
		return TP_ENOMEM;
	for (uint32_t c = 1; c < path->nchains; c++)
		t->branch[t->n++] =
		    (struct branch){path->chain[c].parent, c, 0, path->chain[c].total_ns};
	for (uint32_t s = 0; s < path->nsums; s++)
		t->branch[t->n++] =
		    (struct branch){path->sum[s].chain, 0, s, path->sum[s].total_ns};
	qsort(t->branch, t->n, sizeof(*t->branch), by_chain);
	for (uint32_t c = 0; c <= path->nchains; c++) {
		while (i < t->n && t->branch[i].chain < c)
			i++;
		t->first[c] = i;
	}
	return 0;
}

/* Returns the text of a branch: "  waited: chan receive in main.pool.get, for 11 main.report". */
static struct rep_value branch_text(struct rep_path_table *p, const struct branch *b,
				    unsigned depth)
{
	const struct rep_path_sum *s = &p->path->sum[b->sum];
	const struct rep_path_chain *c = &p->path->chain[b->wait];
	struct tp_text reason = tp_dict_text(p->v->dict, b->wait ? c->reason : s->reason);
	struct tp_text place = b->wait ? rep_path_function(p->v->dict, c->waiter_entry, c->stack)
				       : rep_path_function(p->v->dict, s->entry, s->stack);
	struct tp_text who = rep_path_short(p->v->dict, c->waker_entry), type = {0};
	const struct rep_path_task *task = &p->ask->task[b->wait];
	int64_t id = rep_view_goid(p->v, c->waker);
	size_t room = reason.size + place.size + who.size + 2 * (size_t)depth + 100;
	char *text;
	int n;

	if (task->row != TP_NONE)
		type = tp_dict_text(p->v->dict, (uint32_t)REP_AT(p->v, TASK, name, task->row));
	room += type.size;
	text = tp_arena_alloc(&p->texts.arena, room);
	if (!text)
		return rep_lack();
	if (b->wait && c->queue > 1)
		n = snprintf(text, room, "%*squeues (%.*s%sup to %u)", (int)depth, "",
			     (int)reason.size, reason.text, reason.size ? ", " : "", c->queue);
	else
		n = snprintf(text, room, "%*s%s", (int)depth, "",
			     b->wait ? "waits" : rep_path_kinds[s->kind].name);
	if (reason.size &&
	    (b->wait ? c->queue == 1 : s->kind != REP_PATH_NETWORK && s->kind != REP_PATH_TIMER))
		n += snprintf(text + n, room - (size_t)n, " (%.*s)", (int)reason.size, reason.text);
	n += snprintf(text + n, room - (size_t)n, " %s %.*s",
		      !b->wait && s->kind == REP_PATH_RUNNING ? "up to" : "in", (int)place.size,
		      place.text);
	if (b->wait && id != TP_NULL)
		n += snprintf(text + n, room - (size_t)n, ", for %lld", (long long)id);
	else if (b->wait)
		n += snprintf(text + n, room - (size_t)n, ", for");
	if (b->wait)
		n += snprintf(text + n, room - (size_t)n, " %.*s", (int)who.size, who.text);
	if (b->wait && task->row != TP_NONE)
		n += snprintf(text + n, room - (size_t)n, ", task%s %.*s", task->several ? "s" : "",
			      (int)type.size, type.text);
	return rep_text(text, (size_t)n);
}

static int write_branch(struct rep_path_table *p, const struct branch *b, unsigned depth,
			struct tp_err *err)
{
	const struct rep_path_sum *s = &p->path->sum[b->sum];
	const struct rep_path_chain *c = &p->path->chain[b->wait];
	uint32_t stack = b->wait ? c->stack : s->stack, task = p->ask->task[b->wait].row;
	struct rep_value row[TREE_COLUMNS] = {
	    rep_share(b->ns, p->path->total_ns),
	    rep_int(b->ns),
	    rep_int(b->wait ? c->count : s->count),
	    rep_int(depth),
	    branch_text(p, b, depth),
	    rep_str(b->wait ? "waits" : rep_path_kinds[s->kind].name),
	    rep_table_string(p, b->wait ? c->reason : s->reason),
	    rep_table_string(p, b->wait ? c->waiter_entry : s->entry),
	    rep_view_goid_value(p->v, b->wait ? c->waiter : s->goroutine),
	    rep_stack_function(&p->texts, stack),
	    rep_stack_names(&p->texts, stack),
	    b->wait ? rep_table_string(p, c->waker_entry) : rep_null(),
	    b->wait ? rep_view_goid_value(p->v, c->waker) : rep_null(),
	    b->wait && task != TP_NONE
		? rep_table_string(p, (uint32_t)REP_AT(p->v, TASK, name, task))
		: rep_null(),
	    b->wait ? rep_int(c->queue) : rep_null(),
	};

	return rep_table_row(p, row, err);
}

int rep_path_write_tree(struct rep_path_table *p, struct tp_err *err)
{
	struct rep_column own[TREE_COLUMNS];
	struct tree t = {0};
	uint32_t chain = 0;
	size_t depth = 0, shown = 0, small = 0, most;
	int64_t least = 0;
	int code = tree_init(&t, p->path);

	if (code)
		tp_err_full(err, code, "the run has too many different stacks");
	else
		code = rep_table_begin(p, "tree", tree_columns, TREE_COLUMNS, own, err);
	most = rep_table_limit(p, t.n, REP_TABLE_ROWS);
	if (rep_output_for_people(p->out) && p->ask->rows)
		least = (int64_t)((double)p->path->total_ns * TREE_SHARE);
	if (!code)
		t.at[0] = t.first[0];
	while (!code && chain < t.nchains) {
		const struct branch *b = &t.branch[t.at[depth]];

		if (t.at[depth] == t.first[chain + 1]) {
			if (!depth--)
				break;
			chain = p->path->chain[chain].parent;
			continue;
		}
		t.at[depth]++;
		if (b->ns < least || shown >= most) {
			small++;
			continue;
		}
		code = write_branch(p, b, (unsigned)depth, err);
		shown++;
		if (!code && b->wait) {
			chain = b->wait;
			t.at[++depth] = t.first[chain];
		}
	}
	free(t.branch);
	free(t.first);
	return code ? code
		    : rep_table_end(p, shown, small ? t.n : shown, "branches, the widest", err);
}
