/* Adds profiles to the tree: names of frames, values and their noise, and the frames that nodes stand
 * for. */
#include "base/many.h"
#include "flame/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sum.h"
#include "flame/inside.h"
#include "profile/noise.h"

#define NONE UINT32_MAX

/* ---- names ---- */

/* Appends "0x4005ef [libc.so.6]", the name of a frame without a function. */
static int put_place(struct tp_buf *b, const struct tp_profile *p, const struct tp_location *l)
{
	struct tp_text file = {"", 0};
	size_t at;

	if (l->mapping && l->mapping <= p->nmappings)
		file = tp_dict_text(p->dict, p->mappings[l->mapping - 1].file);
	for (at = file.size; at && file.text[at - 1] != '/'; at--)
		;
	if (l->address)
		tp_buf_printf(b, "0x%" PRIx64, l->address);
	if (at < file.size) {
		tp_buf_text(b, b->size ? " [" : "[");
		tp_buf_put(b, file.text + at, file.size - at);
		tp_buf_text(b, "]");
	}
	return tp_buf_text(b, "");
}

static int put_function(struct tp_buf *b, const struct tp_profile *p, uint32_t frame)
{
	struct tp_frame f = tp_dict_frame_at(p->dict, frame);
	struct tp_function fn = tp_dict_function_at(p->dict, f.function);
	struct tp_location l = tp_dict_location_at(p->dict, f.location);
	struct tp_text name = tp_dict_text(p->dict, fn.name);

	if (!name.size)
		name = tp_dict_text(p->dict, fn.system_name);
	return name.size ? tp_buf_put(b, name.text, name.size) : put_place(b, p, &l);
}

/* ---- adding ---- */

struct adding {
	struct rep_flame_tree *tree;
	const struct rep_flame_source *source;
	const struct tp_profile *p;
	enum rep_flame_side side;
	struct tp_buf name;
	uint32_t nstacks;
	uint32_t *known; /* per frame: its string in the tree's names */
	uint32_t *node;	 /* per stack */
	uint8_t *used;	 /* has samples itself or, in a tree from the root, below it */
};

/* Finds the string of a frame in the tree's names. */
static int name_of(struct adding *a, uint32_t frame, uint32_t *name)
{
	int code = 0;

	if (a->known[frame] == NONE) {
		a->name.size = 0;
		code = a->source->name ? a->source->name(a->source->ctx, frame, &a->name)
				       : put_function(&a->name, a->p, frame);
		if (!code)
			code = tp_dict_string(a->tree->names, a->name.data, a->name.size,
					      &a->known[frame]);
	}
	*name = a->known[frame];
	return code;
}

/* Returns whether a frame is left out, as inlined calls may be. */
static bool skipped(const struct adding *a, uint32_t frame)
{
	return a->source->no_inlines && tp_dict_frame_at(a->p->dict, frame).inlined;
}

static int64_t scaled(int64_t v, double ratio)
{
	return ratio == 1 ? v : tp_whole((double)v * ratio);
}

static uint32_t stack_of(const struct adding *a, size_t sample)
{
	return a->p->stack[sample] < a->nstacks ? a->p->stack[sample] : 0;
}

/* Marks the stacks with samples that count. */
static void mark_stacks(struct adding *a)
{
	const struct tp_profile *p = a->p;
	struct rep_flame_tree *t = a->tree;

	for (size_t i = 0; i < p->nsamples; i++) {
		uint32_t s = stack_of(a, i), depth;

		if (!p->value[i * p->ntypes + a->source->type])
			continue;
		t->samples[a->side]++;
		if (a->used[s])
			continue;
		a->used[s] = 1;
		t->stacks[a->side]++;
		depth = tp_dict_stack_at(p->dict, s).depth;
		if (depth > t->deepest)
			t->deepest = depth;
		t->cut += depth > t->opt.max_depth;
	}
}

static int put_values(struct adding *a)
{
	const struct tp_profile *p = a->p;
	struct rep_flame_tree *t = a->tree;
	size_t type = a->source->type;
	const struct rep_noise noise = rep_noise_of(p, type);
	double square = a->source->ratio * a->source->ratio;
	int code = rep_flame_tree_values(t);

	for (size_t i = 0; i < p->nsamples && !code; i++) {
		const int64_t *v = p->value + i * p->ntypes;
		uint32_t node = a->node[stack_of(a, i)];

		if (!v[type])
			continue;
		tp_sum(&t->value[a->side][node].self, scaled(v[type], a->source->ratio));
		if (t->opt.compared)
			t->variance[node] += square * rep_noise_variance(&noise, v);
	}
	return code;
}

/* The dictionary's stacks already are a tree, so one pass over it suffices, parents first. */
static int merge_forwards(struct adding *a)
{
	struct rep_flame_tree *t = a->tree;
	int code = 0;

	for (uint32_t s = a->nstacks - 1; s > 0; s--)
		if (a->used[s] && !a->used[tp_dict_stack_at(a->p->dict, s).parent])
			a->used[tp_dict_stack_at(a->p->dict, s).parent] = 2;
	for (uint32_t s = 1; s < a->nstacks && !code; s++) {
		struct tp_stack_node n;
		uint32_t name;

		if (!a->used[s])
			continue;
		n = tp_dict_stack_at(a->p->dict, s);
		a->node[s] = a->node[n.parent];
		if (t->node[a->node[s]].depth >= t->opt.max_depth || skipped(a, n.frame))
			continue;
		code = name_of(a, n.frame, &name);
		if (!code)
			code = rep_flame_tree_child(t, a->node[n.parent], name, &a->node[s]);
	}
	return code;
}

static int merge_backwards(struct adding *a)
{
	struct rep_flame_tree *t = a->tree;
	int code = 0;

	for (uint32_t s = 0; s < a->nstacks && !code; s++) {
		uint32_t node = 0, name;

		if (!a->used[s])
			continue;
		for (uint32_t at = s; at && t->node[node].depth < t->opt.max_depth && !code;) {
			struct tp_stack_node n = tp_dict_stack_at(a->p->dict, at);

			at = n.parent;
			if (skipped(a, n.frame))
				continue;
			code = name_of(a, n.frame, &name);
			if (!code)
				code = rep_flame_tree_child(t, node, name, &node);
		}
		a->node[s] = node;
	}
	return code;
}

/* ---- the frame with the largest value of a node ---- */

/* Gives a node this frame if its value is larger than that of the node's frame so far. */
static void offer_frame(struct adding *a, int64_t *most, uint32_t node, uint32_t frame,
			int64_t value)
{
	if (!node || value <= most[node])
		return;
	most[node] = value;
	a->tree->frame[a->side][node] = frame;
}

/* Offers frames of a tree from the root; `sum` holds each stack's own values. */
static void offer_forwards(struct adding *a, int64_t *sum, int64_t *most)
{
	const struct tp_stack_node *stack = tp_dict_stack_nodes(a->p->dict);

	/* A stack whose frame was left out is at its parent's node. */
	for (uint32_t s = a->nstacks - 1; s > 0; s--) {
		if (!a->used[s])
			continue;
		tp_sum(&sum[stack[s].parent], sum[s]);
		if (a->node[s] != a->node[stack[s].parent])
			offer_frame(a, most, a->node[s], stack[s].frame, sum[s]);
	}
}

/* In a reversed tree, a node's n-th frame is the n-th one from the leaf that is not left out. */
static void offer_backwards(struct adding *a, const int64_t *sum, int64_t *most, uint32_t *path)
{
	const struct tp_stack_node *stack = tp_dict_stack_nodes(a->p->dict);

	for (uint32_t s = 1; s < a->nstacks; s++) {
		uint32_t node = a->node[s], depth = a->tree->node[node].depth, n = 0;

		if (!a->used[s])
			continue;
		for (uint32_t at = s; n < depth; at = stack[at].parent)
			if (!skipped(a, stack[at].frame))
				path[n++] = stack[at].frame;
		for (; node && n; node = a->tree->node[node].parent)
			offer_frame(a, most, node, path[--n], sum[s]);
	}
}

static int offer_frames(struct adding *a)
{
	struct rep_flame_tree *t = a->tree;
	uint32_t *frame = calloc(t->n, sizeof(*frame));
	uint32_t *path = tp_many(t->opt.max_depth, sizeof(*path));
	int64_t *sum = calloc(a->nstacks, sizeof(*sum)), *most = calloc(t->n, sizeof(*most));
	int code = frame && path && sum && most ? 0 : TP_ENOMEM;

	free(t->frame[a->side]);
	t->frame[a->side] = frame;
	t->nframes[a->side] = frame ? t->n : 0;
	for (size_t i = 0; !code && i < a->p->nsamples; i++)
		tp_sum(&sum[stack_of(a, i)],
		       rep_flame_magnitude(a->p->value[i * a->p->ntypes + a->source->type]));
	if (!code && t->opt.reverse)
		offer_backwards(a, sum, most, path);
	else if (!code)
		offer_forwards(a, sum, most);
	free(path);
	free(sum);
	free(most);
	return code;
}

int rep_flame_tree_add(struct rep_flame_tree *t, const struct rep_flame_source *source,
		       enum rep_flame_side side, struct tp_err *err)
{
	const struct tp_profile *p = source->profile;
	uint32_t nframes = tp_dict_frames(p->dict);
	struct adding a = {
	    .tree = t,
	    .source = source,
	    .p = p,
	    .side = side,
	    .nstacks = tp_dict_stacks(p->dict),
	};
	int code = TP_ENOMEM;

	if (source->type >= p->ntypes)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the profile has no sample type");
	a.known = tp_many(nframes, sizeof(*a.known));
	a.node = calloc(a.nstacks, sizeof(*a.node));
	a.used = calloc(a.nstacks, sizeof(*a.used));
	if (a.known && a.node && a.used) {
		memset(a.known, 0xff, nframes * sizeof(*a.known));
		code = t->opt.reverse ? 0 : rep_flame_tree_reserve(t, a.nstacks);
	}
	if (!code) {
		mark_stacks(&a);
		code = t->opt.reverse ? merge_backwards(&a) : merge_forwards(&a);
	}
	if (!code)
		code = put_values(&a);
	if (!code && t->opt.frames)
		code = offer_frames(&a);
	free(a.known);
	free(a.node);
	free(a.used);
	tp_buf_release(&a.name);
	if (code == TP_ELIMIT)
		return tp_err_set(err, code, TP_OFFSET_NONE,
				  "the flame graph has more than %u frames; use a filter, or lower "
				  "--max-depth",
				  REP_FLAME_MAX_NODES);
	return code ? tp_nomem(err) : 0;
}
