/* Makes a profile of a path, for flame graphs. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "path/path.h"
#include "profile/trace_stack.h"

struct building {
	const struct rep_path *path;
	struct tp_profile *p;
	struct rep_trace_stacks stacks;
	uint32_t *base; /* by chain: the stack that its stacks begin with */
	uint32_t *frames;
	size_t frames_room;
};

/* Appends the frames of a stack of the view to the stack `base`. */
static int append(struct building *b, uint32_t base, uint32_t stack, uint32_t *out)
{
	size_t n = 0;
	int code = 0;

	*out = base;
	if (!base) {
		*out = stack;
		return 0;
	}
	for (uint32_t at = stack; at && !code;) {
		struct tp_stack_node node = tp_dict_stack_at(b->p->dict, at);

		code = tp_grow(&b->frames, &b->frames_room, n, sizeof(*b->frames));
		if (!code)
			b->frames[n++] = node.frame;
		at = node.parent;
	}
	while (!code && n)
		code = tp_dict_stack(b->p->dict, *out, b->frames[--n], out);
	return code;
}

static struct rep_trace_leaf leaf_of(const struct rep_path_sum *s)
{
	static const char *const texts[REP_NPATH_KINDS] = {
	    [REP_PATH_RUNNING] = "[running]",	 [REP_PATH_RUNNABLE] = "[runnable]",
	    [REP_PATH_SYSCALL] = "[syscall]",	 [REP_PATH_NETWORK] = "[network]",
	    [REP_PATH_TIMER] = "[timer]",	 [REP_PATH_COLLECTOR] = "[collector]",
	    [REP_PATH_OUTSIDE] = "[outside]",	 [REP_PATH_UNFINISHED] = "[unfinished]",
	    [REP_PATH_LOST] = "[lost]",		 [REP_PATH_UNSEEN] = "[unseen]",
	    [REP_PATH_LIMIT] = "[not followed]",
	};
	struct rep_trace_leaf leaf = {.text = texts[s->kind]};

	/* For these kinds, the reason says more than the kind. */
	if (s->reason && (s->kind == REP_PATH_OUTSIDE || s->kind == REP_PATH_COLLECTOR ||
			  s->kind == REP_PATH_UNFINISHED))
		leaf = (struct rep_trace_leaf){.reason = s->reason};
	return leaf;
}

static int add_chains(struct building *b)
{
	int code = 0;

	for (size_t i = 1; i < b->path->nchains && !code; i++) {
		const struct rep_path_chain *c = &b->path->chain[i];
		struct rep_trace_leaf leaf = {.text = c->reason ? NULL : "[blocked]",
					      .reason = c->reason};
		uint32_t stack;

		stack = rep_trace_stack(&b->stacks, c->waiter_entry, c->stack, &leaf);
		code = b->stacks.code;
		if (!code)
			code = append(b, b->base[c->parent], stack, &b->base[i]);
	}
	return code;
}

static int add_sums(struct building *b)
{
	int code = 0;

	for (size_t i = 0; i < b->path->nsums && !code; i++) {
		const struct rep_path_sum *s = &b->path->sum[i];
		struct rep_trace_leaf leaf = leaf_of(s);
		const int64_t values[2] = {s->count, s->total_ns};
		uint32_t stack;

		stack = rep_trace_stack(&b->stacks, s->entry, s->stack, &leaf);
		code = b->stacks.code;
		if (!code)
			code = append(b, b->base[s->chain], stack, &stack);
		if (!code)
			code = tp_profile_add_sample(b->p, stack, 0, values);
	}
	return code;
}

static int build(struct building *b, const struct rep_view *v)
{
	const struct tp_mapping m = {.flags = TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES |
					      TP_MAPPING_LINES | TP_MAPPING_INLINES};
	int code = rep_trace_add_type(b->p, "hops", "count");

	if (!code)
		code =
		    rep_trace_add_type(b->p, "path", v->run->row.ticks ? "ticks" : "nanoseconds");
	if (!code)
		code = tp_profile_add_mapping(b->p, &m, &b->stacks.mapping);
	memcpy(b->p->format, "trace", 6);
	if (v->run->row.wall_ns != TP_NULL)
		b->p->time_ns = tp_plus(v->run->row.wall_ns, rep_view_clip_start(v, 0));
	b->p->duration_ns = v->run->row.ticks ? 0 : rep_view_length(v);
	if (!code)
		code = add_chains(b);
	return code ? code : add_sums(b);
}

int rep_path_profile(struct rep_view *v, const struct rep_path *path, struct tp_profile **p,
		     struct tp_err *err)
{
	struct building b = {.path = path, .p = tp_profile_new()};
	int code = TP_ENOMEM;

	*p = NULL;
	b.base = calloc(path->nchains + 1, sizeof(*b.base));
	b.stacks.from = v->dict;
	b.stacks.to = b.p;
	if (b.p && b.base)
		code = build(&b, v);
	if (!code) {
		*p = b.p;
		b.p = NULL;
	} else {
		tp_err_full(err, code, "the run has too many different stacks");
	}
	tp_profile_free(b.p);
	rep_trace_stacks_release(&b.stacks);
	free(b.base);
	free(b.frames);
	return code;
}
