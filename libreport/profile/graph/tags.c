/* Adds up the samples with the same labels at each node (pprof: Node.addSample). Each combination
 * of text labels is one tag; among numeric labels only "bytes" counts, apart for each combination
 * of text labels. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/graph/build.h"
#include "profile/labels.h"
#include "profile/writer/lines.h"

/* A tag of a node. The key has no padding, because it is hashed as bytes. */
struct key {
	uint32_t draft;
	uint32_t labels; /* string: all texts of the sample */
	uint32_t name;	 /* string: the number as text; UINT32_MAX: the texts themselves */
};

struct entry {
	struct key key;
	uint32_t unit; /* string */
	int64_t value;
	int64_t flat, flat_div, cum, cum_div;
};

struct number {
	uint32_t name, unit;
	int64_t value;
};

struct set {
	uint32_t labels;
	uint32_t first, n; /* in `number` */
	bool known;
};

struct tags {
	struct rep_build *b;
	struct set *set; /* by label set */
	struct number *number;
	size_t nnumbers, number_room;
	struct entry *entry;
	size_t n, room;
	struct tp_table by_key; /* of entries, until they are sorted */
	uint32_t *seen;		/* by draft: the last sample it was met in, + 1 */
};

/* ---- labels of a set ---- */

/* Joins "key:value" of each text, sorted and separated by "\n" as two characters. */
static int join_texts(struct tp_profile *p, struct tp_label_set labels, uint32_t *string)
{
	struct rep_lines lines = {0};
	struct tp_buf joined = {0};
	int code;

	for (uint32_t i = 0; i < labels.n; i++) {
		const struct tp_label *l = &p->labels[labels.first + i];
		struct tp_text key = tp_dict_text(p->dict, l->key);
		struct tp_text value = tp_dict_text(p->dict, l->text);

		if (l->numeric || !strcmp(key.text, "pprof::base"))
			continue;
		rep_lines_begin(&lines);
		tp_buf_put(&lines.bytes, key.text, key.size);
		tp_buf_text(&lines.bytes, ":");
		tp_buf_put(&lines.bytes, value.text, value.size);
	}
	code = rep_lines_sort(&lines);
	for (size_t i = 0; i < rep_lines_n(&lines); i++) {
		struct tp_text text = rep_lines_at(&lines, i);

		if (i)
			tp_buf_text(&joined, "\\n");
		tp_buf_put(&joined, text.text, text.size);
	}
	if (!code)
		code = tp_buf_text(&joined, "");
	if (!code)
		code = tp_dict_string(p->dict, joined.data, joined.size, string);
	tp_buf_release(&joined);
	rep_lines_release(&lines);
	return code;
}

static int put_number(struct tags *t, const struct tp_label *l)
{
	const struct rep_profile_view *v = t->b->v;
	const char *unit = rep_label_unit(&v->units, v->profile, l->key);
	struct number n = {.value = l->number};
	char name[REP_MEASURE_SIZE];
	int code = tp_grow_raw(&t->number, &t->number_room, t->nnumbers, sizeof(*t->number));

	rep_scaled_label(name, l->number, unit, v->output_unit);
	if (!code)
		code = tp_dict_string(v->profile->dict, name, strlen(name), &n.name);
	if (!code)
		code = tp_dict_string(v->profile->dict, unit, strlen(unit), &n.unit);
	if (!code)
		t->number[t->nnumbers++] = n;
	return code;
}

static int know_set(struct tags *t, uint32_t number)
{
	struct tp_profile *p = t->b->v->profile;
	struct tp_label_set labels = p->sets[number];
	struct set *s = &t->set[number];
	int code;

	if (s->known)
		return 0;
	s->known = true;
	s->first = (uint32_t)t->nnumbers;
	code = join_texts(p, labels, &s->labels);
	for (uint32_t i = 0; i < labels.n && !code; i++) {
		const struct tp_label *l = &p->labels[labels.first + i];

		if (l->numeric && !strcmp(tp_dict_text(p->dict, l->key).text, "bytes"))
			code = put_number(t, l);
	}
	s->n = (uint32_t)t->nnumbers - s->first;
	return code;
}

/* ---- sums ---- */

static int find(struct tags *t, const struct key *key, const struct number *n, struct entry **entry)
{
	uint64_t hash = tp_hash_bytes(0, key, sizeof(*key));
	int code;

	for (struct tp_probe p = {0}; t->entry && tp_table_next(&t->by_key, hash, &p);) {
		*entry = &t->entry[p.row];
		if (!memcmp(&(*entry)->key, key, sizeof(*key)))
			return 0;
	}
	code = tp_grow_raw(&t->entry, &t->room, t->n, sizeof(*t->entry));
	if (!code)
		code = tp_table_add(&t->by_key, hash, t->n);
	if (code)
		return code;
	*entry = &t->entry[t->n++];
	**entry = (struct entry){.key = *key};
	if (n) {
		(*entry)->unit = n->unit;
		(*entry)->value = n->value;
	}
	return 0;
}

static int add_to(struct tags *t, uint32_t draft, const struct set *s, size_t sample, bool flat)
{
	int64_t value = rep_view_value(t->b->v, sample), div = rep_view_divisor(t->b->v, sample);
	int code = 0;

	/* The texts are counted before the first number. */
	for (uint32_t i = s->labels ? 0 : 1; i <= s->n && !code; i++) {
		const struct number *n = i ? &t->number[s->first + i - 1] : NULL;
		struct key key = {draft, s->labels, n ? n->name : UINT32_MAX};
		struct entry *e;

		code = find(t, &key, n, &e);
		if (code)
			return code;
		rep_add(flat ? &e->flat : &e->cum, value);
		rep_add(flat ? &e->flat_div : &e->cum_div, div);
	}
	return code;
}

static int add_sample(struct tags *t, size_t sample)
{
	struct rep_build *b = t->b;
	uint32_t stack = b->v->profile->stack[sample], set = b->v->profile->label_set[sample];
	bool leaf = true;
	int code = know_set(t, set);

	if (!t->set[set].labels && !t->set[set].n)
		return code;
	for (; stack && !code; stack = b->stack[stack].parent) {
		uint32_t draft = rep_build_draft_at(b, stack);
		bool skipped = !draft && b->frame_node[b->stack[stack].frame] == REP_NODE_SKIPPED;

		if (skipped)
			continue;
		if (draft && b->draft[draft - 1].kept) {
			if (leaf)
				code = add_to(t, draft - 1, &t->set[set], sample, true);
			if (!code && t->seen[draft - 1] != sample + 1)
				code = add_to(t, draft - 1, &t->set[set], sample, false);
			t->seen[draft - 1] = (uint32_t)sample + 1;
		}
		leaf = false;
	}
	return code;
}

/* ---- tags of nodes ---- */

static int by_node(const void *a, const void *b)
{
	const struct key *x = &((const struct entry *)a)->key, *y = &((const struct entry *)b)->key;

	if (x->draft != y->draft)
		return x->draft < y->draft ? -1 : 1;
	/* Texts first, then the numbers of each combination of texts. */
	if ((x->name == UINT32_MAX) != (y->name == UINT32_MAX))
		return x->name == UINT32_MAX ? -1 : 1;
	if (x->labels != y->labels)
		return x->labels < y->labels ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static struct rep_tag tag_of(const struct tags *t, const struct entry *e)
{
	const struct tp_dict *d = t->b->v->profile->dict;

	return (struct rep_tag){
	    .name = tp_dict_text(d, e->key.name == UINT32_MAX ? e->key.labels : e->key.name),
	    .unit = tp_dict_text(d, e->unit),
	    .value = e->value,
	    .flat = e->flat,
	    .flat_div = e->flat_div,
	    .cum = e->cum,
	    .cum_div = e->cum_div,
	};
}

/* Gives a node its tags, entry[0 … n). */
static int hang(struct tags *t, struct rep_node *node, const struct entry *entry, size_t n)
{
	struct tp_arena *arena = &t->b->arena;
	struct rep_tag *tag = tp_arena_alloc(arena, n * sizeof(*tag));
	size_t texts = 0, groups = 0;

	while (texts < n && entry[texts].key.name == UINT32_MAX)
		texts++;
	for (size_t i = texts; i < n; i++)
		groups += i == texts || entry[i].key.labels != entry[i - 1].key.labels;
	node->numeric = tp_arena_alloc(arena, (groups + 1) * sizeof(*node->numeric));
	if (!tag || !node->numeric)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		tag[i] = tag_of(t, &entry[i]);
	node->tags = (struct rep_tags){.tag = tag, .n = texts};
	node->nnumeric = 0;
	for (size_t i = texts; i < n; i++) {
		struct rep_tags *g;

		if (i == texts || entry[i].key.labels != entry[i - 1].key.labels)
			node->numeric[node->nnumeric++] = (struct rep_tags){
			    .labels = tp_dict_text(t->b->v->profile->dict, entry[i].key.labels),
			    .tag = tag + i};
		g = &node->numeric[node->nnumeric - 1];
		g->n++;
	}
	return 0;
}

int rep_build_tags(struct rep_build *b, struct rep_graph *g)
{
	struct tp_profile *p = b->v->profile;
	struct tags t = {.b = b};
	int code = 0;

	(void)g;
	t.set = calloc(p->nsets, sizeof(*t.set));
	t.seen = calloc((size_t)b->ndrafts + 1, sizeof(*t.seen));
	if (!t.set || !t.seen)
		code = TP_ENOMEM;
	for (size_t i = 0; i < p->nsamples && !code; i++)
		if (rep_view_value(b->v, i) || rep_view_divisor(b->v, i))
			code = add_sample(&t, i);
	if (!code && t.n)
		qsort(t.entry, t.n, sizeof(*t.entry), by_node);
	for (size_t i = 0, n; i < t.n && !code; i += n) {
		struct rep_node *node = b->draft[t.entry[i].key.draft].node;

		for (n = 1; i + n < t.n && t.entry[i + n].key.draft == t.entry[i].key.draft; n++)
			;
		if (node)
			code = hang(&t, node, &t.entry[i], n);
	}
	free(t.set);
	free(t.number);
	free(t.entry);
	tp_table_release(&t.by_key);
	free(t.seen);
	return code;
}
