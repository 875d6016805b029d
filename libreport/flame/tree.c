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
#define FEW	  8 /* children that are gone through one by one */

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
	free(t->weight);
	for (int side = 0; side < REP_FLAME_SIDES; side++) {
		free(t->value[side]);
		free(t->events[side]);
		free(t->frame[side]);
	}
	memset(t, 0, sizeof(*t));
}

/* ---- nodes ---- */

static uint64_t hash(const struct rep_flame_tree *t, uint32_t parent, uint32_t name)
{
	uint64_t h = t->seed ^ ((uint64_t)parent << 32 | name);

	h *= 0x9e3779b97f4a7c15u;
	h ^= h >> 32;
	return h * 0xd6e8feb86659fd93u;
}

/* A slot is a node and, above it, bits of its hash, so that others are passed by without a look at
 * their nodes; 0 is empty. */
static uint64_t slot_of(uint64_t h, uint32_t node)
{
	return (h & 0xffffffff) << 32 | node;
}

static size_t place(const struct rep_flame_tree *t, uint64_t h)
{
	return (size_t)(h >> 32) & (t->nslots - 1);
}

/* Room for `more` nodes. */
static int reserve(struct rep_flame_tree *t, uint32_t more)
{
	uint64_t want = (uint64_t)t->n + more, room = t->room;
	struct rep_flame_node *node;

	if (want > MAX_NODES)
		return TP_ELIMIT;
	while (room < want)
		room *= 2;
	if (room == t->room)
		return 0;
	node = realloc(t->node, room * sizeof(*node));
	if (!node)
		return TP_ENOMEM;
	t->node = node;
	t->room = (uint32_t)room;
	return 0;
}

static void put_slot(struct rep_flame_tree *t, uint32_t node)
{
	uint64_t h = hash(t, t->node[node].parent, t->node[node].name);
	size_t at = place(t, h);

	while (t->slot[at])
		at = (at + 1) & (t->nslots - 1);
	t->slot[at] = slot_of(h, node);
	t->nslotted++;
}

/* Room for the children of one more node in the table, which is at most half full. */
static int reserve_slots(struct rep_flame_tree *t)
{
	size_t nslots = t->nslots * 4, n = t->nslots;
	uint64_t *old = t->slot, *slot;

	if ((t->nslotted + FEW + 1) * (size_t)2 < t->nslots)
		return 0;
	slot = calloc(nslots, sizeof(*slot));
	if (!slot)
		return TP_ENOMEM;
	t->slot = slot;
	t->nslots = nslots;
	t->nslotted = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i])
			put_slot(t, (uint32_t)old[i]);
	free(old);
	return 0;
}

/* Most nodes have few children, which are gone through; those of the others are in a table. */
static uint32_t look_up(const struct rep_flame_tree *t, uint32_t parent, uint32_t name)
{
	uint64_t h;

	if (t->node[parent].nchildren <= FEW) {
		uint32_t c = t->node[parent].child;

		while (c && t->node[c].name != name)
			c = t->node[c].next;
		return c;
	}
	h = hash(t, parent, name);
	for (size_t at = place(t, h); t->slot[at]; at = (at + 1) & (t->nslots - 1)) {
		uint32_t other = (uint32_t)t->slot[at];

		if (t->slot[at] == slot_of(h, other) && t->node[other].parent == parent &&
		    t->node[other].name == name)
			return other;
	}
	return 0;
}

/* The child of this name, made where there is none. */
static int child_of(struct rep_flame_tree *t, uint32_t parent, uint32_t name, uint32_t *id)
{
	struct rep_flame_node *up;
	int code = 0;

	*id = look_up(t, parent, name);
	if (*id)
		return 0;
	if (t->n == t->room)
		code = reserve(t, 1);
	if (!code && t->node[parent].nchildren >= FEW)
		code = reserve_slots(t);
	if (code)
		return code;
	up = &t->node[parent];
	*id = t->n++;
	t->node[*id] = (struct rep_flame_node){
	    .parent = parent, .next = up->child, .name = name, .depth = up->depth + 1};
	up->child = *id;
	if (++up->nchildren == FEW + 1)
		for (uint32_t c = *id; c; c = t->node[c].next)
			put_slot(t, c);
	else if (up->nchildren > FEW)
		put_slot(t, *id);
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
	uint8_t *used;	 /* there are samples at it or, forwards, below it */
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

static uint32_t stack_of(const struct adding *a, size_t sample)
{
	return a->p->stack[sample] < a->nstacks ? a->p->stack[sample] : 0;
}

/* Which stacks have samples that count. */
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

/* Arrays of the side have entries for all nodes. */
static int reserve_values(struct rep_flame_tree *t)
{
	for (int side = 0; side < (t->opt.compared ? REP_FLAME_SIDES : 1); side++) {
		struct rep_flame_value *v = realloc(t->value[side], t->n * sizeof(*v));
		double *e = NULL;

		if (!v)
			return TP_ENOMEM;
		t->value[side] = v;
		memset(v + t->valued, 0, (t->n - t->valued) * sizeof(*v));
		if (!t->opt.compared)
			continue;
		e = realloc(t->events[side], t->n * sizeof(*e));
		if (!e)
			return TP_ENOMEM;
		t->events[side] = e;
		for (uint32_t i = t->valued; i < t->n; i++)
			e[i] = 0;
	}
	t->valued = t->n;
	return 0;
}

static int put_values(struct adding *a)
{
	const struct tp_profile *p = a->p;
	struct rep_flame_tree *t = a->tree;
	size_t type = a->source->type;
	struct evidence e = evidence_of(p, type);
	int code = reserve_values(t);

	for (size_t i = 0; i < p->nsamples && !code; i++) {
		const int64_t *v = p->value + i * p->ntypes;
		uint32_t node = a->node[stack_of(a, i)];
		double n = (double)v[e.of] / e.per;

		if (!v[type])
			continue;
		n = n < 0 ? -n : n;
		tp_sum(&t->value[a->side][node].self, scaled(v[type], a->source->ratio));
		if (t->opt.compared)
			t->events[a->side][node] += n < 1 ? 1 : n;
	}
	return code;
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
		a->node[s] = node;
	}
	return code;
}

/* ---- which frame most of a node came by ---- */

static int64_t magnitude(int64_t v)
{
	return v >= 0 ? v : v == INT64_MIN ? INT64_MAX : -v;
}

/* What went through a frame of a stack to a node: the most of it gives the node its frame. */
static void offer_frame(struct adding *a, int64_t *most, uint32_t node, uint32_t frame,
			int64_t value)
{
	if (!node || value <= most[node])
		return;
	most[node] = value;
	a->tree->frame[a->side][node] = frame;
}

/* `sum` holds what each stack has by itself. */
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

/* A node's n-th frame from the root of the tree is the n-th that is not left out from the leaf. */
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
		for (; node; node = a->tree->node[node].parent)
			offer_frame(a, most, node, path[--n], sum[s]);
	}
}

static int offer_frames(struct adding *a)
{
	struct rep_flame_tree *t = a->tree;
	uint32_t *frame = calloc(t->n, sizeof(*frame));
	uint32_t *path = malloc(t->opt.max_depth * sizeof(*path));
	int64_t *sum = calloc(a->nstacks, sizeof(*sum)), *most = calloc(t->n, sizeof(*most));
	int code = frame && path && sum && most ? 0 : TP_ENOMEM;

	free(t->frame[a->side]);
	t->frame[a->side] = frame;
	t->nframes[a->side] = frame ? t->n : 0;
	for (size_t i = 0; !code && i < a->p->nsamples; i++)
		tp_sum(&sum[stack_of(a, i)],
		       magnitude(a->p->value[i * a->p->ntypes + a->source->type]));
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
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "there is no sample type");
	a.known = malloc(nframes * sizeof(*a.known));
	a.node = calloc(a.nstacks, sizeof(*a.node));
	a.used = calloc(a.nstacks, sizeof(*a.used));
	if (a.known && a.node && a.used) {
		memset(a.known, 0xff, nframes * sizeof(*a.known));
		code = t->opt.reverse ? 0 : reserve(t, a.nstacks);
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
				  "more than %u different frames; filter, or lower --max-depth",
				  MAX_NODES);
	return code ? no_memory(err) : 0;
}

/* ---- sums ---- */

int64_t rep_flame_own_weight(const struct rep_flame_tree *t, uint32_t node)
{
	int64_t now = magnitude(rep_flame_self(t, node, REP_FLAME_NEW));
	int64_t old = magnitude(rep_flame_self(t, node, REP_FLAME_OLD));

	if (t->opt.width == REP_FLAME_WIDTH_NEW)
		return now;
	if (t->opt.width == REP_FLAME_WIDTH_OLD)
		return old;
	return now > old ? now : old;
}

/* Weights are the totals where nothing is compared and nothing negative. */
static bool needs_weights(const struct rep_flame_tree *t)
{
	if (t->opt.compared)
		return true;
	for (uint32_t i = 0; i < t->n; i++)
		if (t->value[REP_FLAME_NEW][i].self < 0)
			return true;
	return false;
}

int rep_flame_tree_sum(struct rep_flame_tree *t, struct tp_err *err)
{
	if (reserve_values(t))
		return no_memory(err);
	for (int side = 0; side < REP_FLAME_SIDES && t->value[side]; side++) {
		struct rep_flame_value *v = t->value[side];
		double *e = t->events[side];

		for (uint32_t i = 0; i < t->n; i++)
			v[i].total = v[i].self;
		for (uint32_t i = t->n - 1; i > 0; i--) {
			tp_sum(&v[t->node[i].parent].total, v[i].total);
			if (e)
				e[t->node[i].parent] += e[i];
		}
	}
	if (!needs_weights(t))
		return 0;
	t->weight = malloc(t->n * sizeof(*t->weight));
	if (!t->weight)
		return no_memory(err);
	for (uint32_t i = 0; i < t->n; i++)
		t->weight[i] = rep_flame_own_weight(t, i);
	for (uint32_t i = t->n - 1; i > 0; i--)
		tp_sum(&t->weight[t->node[i].parent], t->weight[i]);
	return 0;
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
			tp_sum(&sums[n->name].self[side], rep_flame_self(t, next, side));
			if (!on_path[n->name])
				tp_sum(&sums[n->name].total[side], rep_flame_total(t, next, side));
		}
		on_path[n->name]++;
	}
	free(on_path);
	return 0;
}
