#include "flame/tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/seed.h"
#include "base/sum.h"

#define MAX_NODES (UINT32_C(1) << 30)
#define NONE	  UINT32_MAX

static int no_memory(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

int rep_flame_tree_init(struct rep_flame_tree *t, const struct rep_flame_tree_options *opt,
			struct tp_err *err)
{
	memset(t, 0, sizeof(*t));
	t->opt = *opt;
	if (!t->opt.max_depth)
		t->opt.max_depth = REP_FLAME_MAX_DEPTH;
	t->seed = tp_seed();
	t->room = 1024;
	t->nslots = 4096;
	t->names = tp_dict_new();
	t->node = malloc(t->room * sizeof(*t->node));
	t->slot = calloc(t->nslots, sizeof(*t->slot));
	if (!t->names || !t->node || !t->slot)
		return no_memory(err);
	memset(t->node, 0, sizeof(*t->node));
	t->n = 1;
	return 0;
}

void rep_flame_tree_release(struct rep_flame_tree *t)
{
	tp_dict_free(t->names);
	free(t->node);
	free(t->slot);
	memset(t, 0, sizeof(*t));
}

/* ---- nodes ---- */

static uint32_t place(const struct rep_flame_tree *t, uint32_t parent, uint32_t name)
{
	uint64_t h = t->seed ^ ((uint64_t)parent << 32 | name);

	h *= 0x9e3779b97f4a7c15u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return (uint32_t)(h >> 32) & (t->nslots - 1);
}

static int grow(struct rep_flame_tree *t)
{
	struct rep_flame_node *node;
	uint32_t *slot;

	if (t->n == t->room) {
		if (t->room >= MAX_NODES)
			return TP_ELIMIT;
		node = realloc(t->node, (size_t)t->room * 2 * sizeof(*node));
		if (!node)
			return TP_ENOMEM;
		t->node = node;
		t->room *= 2;
	}
	if (t->n * 2 < t->nslots)
		return 0;
	slot = calloc((size_t)t->nslots * 4, sizeof(*slot));
	if (!slot)
		return TP_ENOMEM;
	free(t->slot);
	t->slot = slot;
	t->nslots *= 4;
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t at = place(t, t->node[i].parent, t->node[i].name);

		while (slot[at])
			at = (at + 1) & (t->nslots - 1);
		slot[at] = i;
	}
	return 0;
}

/* The child of this name, made where there is none. */
static int child_of(struct rep_flame_tree *t, uint32_t parent, uint32_t name, uint32_t *id)
{
	const struct rep_flame_node *last = &t->node[t->node[parent].child];
	uint32_t at;
	int code;

	/* Stacks come in the order of their tree: mostly it is the child that was made last. */
	if (t->node[parent].child && last->name == name) {
		*id = t->node[parent].child;
		return 0;
	}
	for (at = place(t, parent, name); t->slot[at]; at = (at + 1) & (t->nslots - 1)) {
		const struct rep_flame_node *n = &t->node[t->slot[at]];

		if (n->parent == parent && n->name == name) {
			*id = t->slot[at];
			return 0;
		}
	}
	code = grow(t);
	if (code)
		return code;
	for (at = place(t, parent, name); t->slot[at]; at = (at + 1) & (t->nslots - 1))
		;
	*id = t->slot[at] = t->n;
	t->node[t->n++] = (struct rep_flame_node){
	    .parent = parent,
	    .next = t->node[parent].child,
	    .name = name,
	    .depth = t->node[parent].depth + 1,
	};
	t->node[parent].child = *id;
	return 0;
}

uint32_t rep_flame_tree_next(const struct rep_flame_tree *t, uint32_t node, bool skip)
{
	if (!skip && t->node[node].child)
		return t->node[node].child;
	while (node && !t->node[node].next)
		node = t->node[node].parent;
	return node ? t->node[node].next : 0;
}

/* ---- names ---- */

static int put(struct tp_buf *b, const char *text)
{
	return tp_buf_put(b, text, strlen(text));
}

/* "0x4005ef [libc.so.6]": of a frame that has no function. */
static int put_place(struct tp_buf *b, const struct tp_profile *p, const struct tp_location *l)
{
	char text[32];
	int code = 0;

	snprintf(text, sizeof(text), "0x%" PRIx64, l->address);
	if (l->address)
		code = put(b, text);
	if (!code && l->mapping && l->mapping <= p->nmappings) {
		struct tp_text file = tp_dict_text(p->dict, p->mappings[l->mapping - 1].file);
		size_t at = file.size;

		while (at && file.text[at - 1] != '/')
			at--;
		if (at < file.size) {
			code |= put(b, b->size ? " [" : "[");
			code |= tp_buf_put(b, file.text + at, file.size - at);
			code |= put(b, "]");
		}
	}
	return code;
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

/* ---- samples behind a value ---- */

static bool is(const struct tp_profile *p, uint32_t string, const char *text)
{
	struct tp_text t = tp_dict_text(p->dict, string);

	return t.size == strlen(text) && !memcmp(t.text, text, t.size);
}

static bool has_word(const struct tp_profile *p, uint32_t string, const char *word)
{
	return strstr(tp_dict_text(p->dict, string).text, word) != NULL;
}

/* How many samples were taken for what a sample says: values of type `of` over `per`. */
struct evidence {
	size_t of;
	double per;
};

/* A CPU profile counts its samples, and so do those of contention. A heap profile has unsampled
 * numbers: one sample was taken for about each `period` bytes. */
static struct evidence evidence_of(const struct tp_profile *p, size_t type)
{
	struct evidence e = {type, 1};
	bool heap =
	    has_word(p, p->types[type].type, "alloc") || has_word(p, p->types[type].type, "inuse");
	bool counted = is(p, p->types[type].unit, "count");

	for (size_t i = 0; i < p->ntypes; i++) {
		uint32_t unit = p->types[i].unit;

		if (heap && is(p, unit, "bytes") && p->period > 1 &&
		    is(p, p->period_type.unit, "bytes") &&
		    has_word(p, p->types[i].type, "alloc") ==
			has_word(p, p->types[type].type, "alloc"))
			return (struct evidence){i, (double)p->period};
		if (!counted && e.of == type && is(p, unit, "count"))
			e.of = i;
	}
	return e;
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
	int64_t *value;
	double *events;
	uint8_t *used; /* there are samples at it or, forwards, below it */
};

/* The string of a frame in the tree's names. */
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

/* Inlined calls may be left out. */
static bool skipped(const struct adding *a, uint32_t frame)
{
	return a->source->no_inlines && tp_dict_frame_at(a->p->dict, frame).inlined;
}

static int64_t scaled(int64_t v, double ratio)
{
	double f = (double)v * ratio;

	if (ratio == 1)
		return v;
	return f >= 0x1p63 ? INT64_MAX : f < -0x1p63 ? INT64_MIN : (int64_t)f;
}

static void add_samples(struct adding *a)
{
	const struct tp_profile *p = a->p;
	size_t type = a->source->type;
	struct evidence e = evidence_of(p, type);

	for (size_t i = 0; i < p->nsamples; i++) {
		const int64_t *v = p->value + i * p->ntypes;
		uint32_t s = p->stack[i] < a->nstacks ? p->stack[i] : 0;
		double n = (double)v[e.of] / e.per;

		if (!v[type])
			continue;
		n = n < 0 ? -n : n;
		a->tree->samples[a->side]++;
		a->tree->stacks[a->side] += !a->used[s];
		a->used[s] = 1;
		tp_sum(&a->value[s], scaled(v[type], a->source->ratio));
		a->events[s] += n < 1 ? 1 : n;
	}
}

static void put_at(struct adding *a, uint32_t node, uint32_t stack)
{
	struct rep_flame_node *n = &a->tree->node[node];
	uint32_t depth = tp_dict_stack_at(a->p->dict, stack).depth;

	tp_sum(&n->self[a->side], a->value[stack]);
	n->events[a->side] += a->events[stack];
	if (depth > a->tree->deepest)
		a->tree->deepest = depth;
	a->tree->cut += depth > a->tree->opt.max_depth;
}

/* The dictionary's stacks are a tree already: one pass over it, parents first. */
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
			code = child_of(t, a->node[n.parent], name, &a->node[s]);
	}
	for (uint32_t s = 0; s < a->nstacks && !code; s++)
		if (a->used[s] == 1)
			put_at(a, a->node[s], s);
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
				code = child_of(t, node, name, &node);
		}
		if (!code)
			put_at(a, node, s);
	}
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
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "there is no sample type");
	a.known = malloc(nframes * sizeof(*a.known));
	a.node = calloc(a.nstacks, sizeof(*a.node));
	a.value = calloc(a.nstacks, sizeof(*a.value));
	a.events = calloc(a.nstacks, sizeof(*a.events));
	a.used = calloc(a.nstacks, sizeof(*a.used));
	if (a.known && a.node && a.value && a.events && a.used) {
		memset(a.known, 0xff, nframes * sizeof(*a.known));
		t->compared |= side == REP_FLAME_OLD;
		add_samples(&a);
		code = t->opt.reverse ? merge_backwards(&a) : merge_forwards(&a);
	}
	free(a.known);
	free(a.node);
	free(a.value);
	free(a.events);
	free(a.used);
	tp_buf_release(&a.name);
	if (code == TP_ELIMIT)
		return tp_err_set(err, code, TP_OFFSET_NONE,
				  "more than %u different frames; filter, or lower --max-depth",
				  MAX_NODES);
	return code ? no_memory(err) : 0;
}

/* ---- sums ---- */

static int64_t magnitude(int64_t v)
{
	return v >= 0 ? v : v == INT64_MIN ? INT64_MAX : -v;
}

static int64_t own_weight(const struct rep_flame_tree *t, const struct rep_flame_node *n)
{
	int64_t now = magnitude(n->self[REP_FLAME_NEW]), old = magnitude(n->self[REP_FLAME_OLD]);

	if (!t->compared || t->opt.width == REP_FLAME_WIDTH_NEW)
		return now;
	if (t->opt.width == REP_FLAME_WIDTH_OLD)
		return old;
	return now > old ? now : old;
}

void rep_flame_tree_sum(struct rep_flame_tree *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct rep_flame_node *n = &t->node[i];

		memcpy(n->total, n->self, sizeof(n->total));
		n->own = n->weight = own_weight(t, n);
	}
	for (uint32_t i = t->n - 1; i > 0; i--) {
		struct rep_flame_node *n = &t->node[i], *up = &t->node[n->parent];

		tp_sum(&up->weight, n->weight);
		for (int side = 0; side < REP_FLAME_SIDES; side++) {
			tp_sum(&up->total[side], n->total[side]);
			up->events[side] += n->events[side];
		}
	}
}

int rep_flame_tree_by_name(const struct rep_flame_tree *t, struct rep_flame_sum *sums,
			   struct tp_err *err)
{
	/* How often a name is on the path to the current node. */
	uint32_t *on_path = calloc(tp_dict_strings(t->names), sizeof(*on_path));
	uint32_t at = 0, next;

	if (!on_path)
		return no_memory(err);
	for (; (next = rep_flame_tree_next(t, at, false)); at = next) {
		const struct rep_flame_node *n = &t->node[next];

		/* What lies between is left behind. */
		for (; at != n->parent; at = t->node[at].parent)
			on_path[t->node[at].name]--;
		for (int side = 0; side < REP_FLAME_SIDES; side++) {
			tp_sum(&sums[n->name].self[side], n->self[side]);
			if (!on_path[n->name])
				tp_sum(&sums[n->name].total[side], n->total[side]);
		}
		on_path[n->name]++;
	}
	free(on_path);
	return 0;
}
