/* Translates the ids of a part into those of the sum (pprof: profile/merge.go). */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "profile/merge/parts.h"

uint32_t *rep_merge_unknowns(size_t n)
{
	uint32_t *p = tp_many(n + 1, sizeof(*p));

	if (p)
		memset(p, 0xff, (n + 1) * sizeof(*p));
	return p;
}

static int extend(struct rep_ids *ids, size_t n)
{
	uint32_t *to = n > ids->n ? tp_more(ids->to, n, sizeof(*to)) : ids->to;

	if (!to)
		return TP_ENOMEM;
	ids->to = to;
	if (n > ids->n)
		memset(to + ids->n, 0xff, (n - ids->n) * sizeof(*to));
	ids->n = n > ids->n ? n : ids->n;
	return 0;
}

static bool same_mappings(const struct rep_known *k, const struct tp_profile *p)
{
	for (size_t i = 0; i < p->nmappings && i < k->nmappings; i++) {
		const struct tp_mapping *a = &k->mappings[i], *b = &p->mappings[i];

		if (a->start != b->start || a->limit != b->limit || a->offset != b->offset ||
		    a->file != b->file || a->build_id != b->build_id)
			return false;
	}
	return k->mapping && p->nmappings == k->nmappings;
}

static int forget_mappings(struct rep_known *k, const struct tp_profile *p)
{
	size_t n = p->nmappings;

	free(k->mappings);
	free(k->mapping);
	k->mappings = tp_many(n + 1, sizeof(*k->mappings));
	k->mapping = tp_many(n + 1, sizeof(*k->mapping));
	k->nmappings = n;
	if (!k->mappings || !k->mapping)
		return TP_ENOMEM;
	if (n)
		memcpy(k->mappings, p->mappings, n * sizeof(*k->mappings));
	memset(k->mapping, 0xff, (n + 1) * sizeof(*k->mapping));
	k->location.n = k->frame.n = 0;
	return 0;
}

int rep_known_extend(struct rep_translation *t)
{
	const struct tp_dict *d = t->from->dict;
	struct rep_known *k = &t->known;
	int code;

	if (k->dict != d)
		rep_known_release(k);
	k->dict = d;
	code = same_mappings(k, t->from) ? 0 : forget_mappings(k, t->from);
	if (!code)
		code = extend(&k->string, tp_dict_strings(d));
	if (!code)
		code = extend(&k->function, tp_dict_functions(d));
	if (!code)
		code = extend(&k->location, tp_dict_locations(d));
	return code ? code : extend(&k->frame, tp_dict_frames(d));
}

void rep_known_release(struct rep_known *k)
{
	free(k->string.to);
	free(k->function.to);
	free(k->location.to);
	free(k->frame.to);
	free(k->mappings);
	free(k->mapping);
	*k = (struct rep_known){0};
}

/* Returns the new id of the sum; 0 after an error, which is kept in t->code. */
static uint32_t settled(struct rep_translation *t, uint32_t *to, int code)
{
	if (code) {
		t->code = t->code ? t->code : code;
		*to = 0;
	}
	return *to;
}

uint32_t rep_merge_string(struct rep_translation *t, uint32_t id)
{
	uint32_t *to = &t->known.string.to[id];
	struct tp_text text;

	if (*to != REP_UNKNOWN)
		return *to;
	text = tp_dict_text(t->from->dict, id);
	return settled(t, to, tp_dict_string(t->to->dict, text.text, text.size, to));
}

static uint32_t function(struct rep_translation *t, uint32_t id)
{
	uint32_t *to = &t->known.function.to[id];
	struct tp_function f;

	if (*to != REP_UNKNOWN)
		return *to;
	f = tp_dict_function_at(t->from->dict, id);
	f.name = rep_merge_string(t, f.name);
	f.system_name = rep_merge_string(t, f.system_name);
	f.file = rep_merge_string(t, f.file);
	return settled(t, to, tp_dict_function(t->to->dict, &f, to));
}

/* Mappings of one file are merged, wherever it was loaded. They are equal if size in whole pages,
 * offset, and build id (else name) are (profile.Mapping.key). */
struct mapping_key {
	uint64_t size, offset;
	uint32_t name;
};

static struct mapping_key key_of(const struct tp_mapping *m)
{
	uint64_t size = m->limit - m->start + 0xfff;

	return (struct mapping_key){size - size % 0x1000, m->offset,
				    m->build_id ? m->build_id : m->file};
}

static uint64_t hash_mapping(uint64_t seed, const struct mapping_key *k)
{
	return tp_mix64(tp_mix64(tp_mix64(seed, k->size), k->offset), k->name);
}

/* Finds the mapping of the sum that equals this one, or adds it. Mappings of a single part are
 * always added: they stay as they are. */
static int find_mapping(struct rep_translation *t, const struct tp_mapping *src, uint32_t *number)
{
	struct rep_merger *m = t->m;
	struct mapping_key k = key_of(src);
	uint64_t hash;
	int code;

	if (m->plain)
		return tp_profile_add_mapping(t->to, src, number);
	hash = hash_mapping(m->seed, &k);
	for (struct tp_probe p = {0}; tp_table_next(&m->by_key, hash, &p);) {
		struct mapping_key have = key_of(&m->sum->mappings[p.row]);

		if (have.size == k.size && have.offset == k.offset && have.name == k.name) {
			*number = p.row + 1;
			return 0;
		}
	}
	code = tp_profile_add_mapping(t->to, src, number);
	return code ? code : tp_table_add(&m->by_key, hash, *number - 1);
}

uint32_t rep_merge_mapping(struct rep_translation *t, uint32_t number)
{
	uint32_t *to = &t->known.mapping[number].number;
	struct tp_mapping m;

	if (*to != REP_UNKNOWN)
		return *to;
	m = t->from->mappings[number - 1];
	m.file = rep_merge_string(t, m.file);
	m.build_id = rep_merge_string(t, m.build_id);
	if (settled(t, to, find_mapping(t, &m, to)))
		t->known.mapping[number].offset = t->to->mappings[*to - 1].start - m.start;
	return *to;
}

static uint32_t location(struct rep_translation *t, uint32_t id)
{
	uint32_t *to = &t->known.location.to[id];
	struct tp_location l;

	if (*to != REP_UNKNOWN)
		return *to;
	l = tp_dict_location_at(t->from->dict, id);
	if (l.mapping && l.mapping <= t->from->nmappings) {
		uint32_t mapping = rep_merge_mapping(t, l.mapping);

		l.address += t->known.mapping[l.mapping].offset;
		l.mapping = mapping;
	} else {
		l.mapping = 0;
	}
	return settled(t, to, tp_dict_location(t->to->dict, &l, to));
}

static uint32_t frame(struct rep_translation *t, uint32_t id)
{
	uint32_t *to = &t->known.frame.to[id];
	struct tp_frame f;

	if (*to != REP_UNKNOWN)
		return *to;
	f = tp_dict_frame_at(t->from->dict, id);
	f.function = function(t, f.function);
	f.location = location(t, f.location);
	return settled(t, to, tp_dict_frame(t->to->dict, &f, to));
}

/* Marks all stacks that samples end with, and their callers. Numbers mappings in the order in which
 * pprof meets them: by sample, from the leaf. */
static int mark_stacks(struct rep_translation *t)
{
	const struct tp_stack_node *node = tp_dict_stack_nodes(t->from->dict);
	bool *met = calloc(tp_dict_frames(t->from->dict), sizeof(*met));

	if (!met)
		return TP_ENOMEM;
	for (size_t i = 0; i < t->from->nsamples; i++) {
		for (uint32_t at = t->from->stack[i]; at && !t->stack[at]; at = node[at].parent) {
			uint32_t f = node[at].frame, number;

			t->stack[at] = 1;
			if (met[f])
				continue;
			met[f] = true;
			f = tp_dict_frame_at(t->from->dict, f).location;
			number = tp_dict_location_at(t->from->dict, f).mapping;
			if (number && number <= t->from->nmappings)
				rep_merge_mapping(t, number);
		}
	}
	free(met);
	return t->code;
}

/* 1 marks stacks until they are translated. */
int rep_merge_stacks(struct rep_translation *t)
{
	const struct tp_stack_node *node = tp_dict_stack_nodes(t->from->dict);
	int code;

	t->stack = calloc(t->nstacks, sizeof(*t->stack));
	code = t->stack ? mark_stacks(t) : TP_ENOMEM;
	for (uint32_t i = 1; i < t->nstacks && !code; i++) {
		uint32_t f;

		if (!t->stack[i])
			continue;
		f = frame(t, node[i].frame);
		code = t->code;
		if (!code)
			code =
			    tp_dict_stack(t->to->dict, t->stack[node[i].parent], f, &t->stack[i]);
	}
	return code;
}

uint32_t rep_merge_label_set(struct rep_translation *t, uint32_t id)
{
	struct tp_label_set set = t->from->sets[id];
	struct tp_label *labels;
	uint32_t *to = &t->set[id];

	if (*to != REP_UNKNOWN)
		return *to;
	labels = tp_many(set.n + 1, sizeof(*labels));
	for (uint32_t i = 0; i < set.n && labels; i++) {
		labels[i] = t->from->labels[set.first + i];
		labels[i].key = rep_merge_string(t, labels[i].key);
		if (labels[i].numeric)
			labels[i].unit = rep_merge_string(t, labels[i].unit);
		else
			labels[i].text = rep_merge_string(t, labels[i].text);
	}
	settled(t, to, labels ? tp_profile_label_set(t->to, labels, set.n, to) : TP_ENOMEM);
	free(labels);
	return *to;
}

/* Replaces any labels with this key. */
int rep_merge_base_set(struct rep_translation *t, uint32_t set, uint32_t *to)
{
	struct tp_label_set have = t->to->sets[set];
	struct tp_label *labels = calloc((size_t)have.n + 1, sizeof(*labels));
	struct tp_label mark = {0};
	uint32_t n = 0;
	int code = labels ? 0 : TP_ENOMEM;

	if (!code)
		code = tp_dict_string(t->to->dict, "pprof::base", strlen("pprof::base"), &mark.key);
	if (!code)
		code = tp_dict_string(t->to->dict, "true", strlen("true"), &mark.text);
	for (uint32_t i = 0; i < have.n && !code; i++) {
		const struct tp_label *l = &t->to->labels[have.first + i];

		if (l->numeric || l->key != mark.key)
			labels[n++] = *l;
	}
	if (!code) {
		labels[n++] = mark;
		code = tp_profile_label_set(t->to, labels, n, to);
	}
	free(labels);
	return code;
}
