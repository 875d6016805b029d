/* pprof: profile/merge.go, measurement.ScaleProfiles, profile.ScaleN. */
#include "profile/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/measure.h"

/* What decides on the sum's default sample type, of one part. */
struct part_types {
	uint32_t default_type; /* strings of the sum */
	uint32_t *type;
	size_t n;
};

struct rep_merger {
	struct tp_profile *sum; /* NULL: nothing has been added */
	bool always;
	bool plain; /* the only part is in there as it was, its samples not looked for */
	struct part_types *part;
	size_t nparts;

	uint32_t *slot; /* sample + 1, by stack and label set */
	size_t nslots;
	bool *commented; /* by string: the comments there are */
	size_t ncommented;
	uint32_t *mapping_slot; /* mapping number, by what it maps */
	size_t nmapping_slots;
};

/* From the ids of a part to those of the sum; UINT32_MAX is not yet known. */
struct translation {
	struct rep_merger *m;
	const struct tp_profile *from;
	struct tp_profile *to;
	uint32_t *string, *function, *location, *frame, *stack, *set;
	struct {
		uint32_t number;
		uint64_t offset; /* to be added to addresses */
	} * mapping;
	uint32_t nstacks;
	size_t *column;	      /* of the part, by column of the sum */
	double *ratio, *unit; /* by column of the sum */
};

#define UNKNOWN UINT32_MAX

static int fail(struct tp_err *err, int code)
{
	return tp_err_set(err, code, TP_OFFSET_NONE,
			  code == TP_ELIMIT ? "the sum of the profiles is too large"
					    : "out of memory");
}

/* ---- ids ---- */

static uint32_t *unknowns(size_t n)
{
	uint32_t *p = malloc((n + 1) * sizeof(*p));

	if (p)
		memset(p, 0xff, (n + 1) * sizeof(*p));
	return p;
}

static int string(struct translation *t, uint32_t id, uint32_t *to)
{
	struct tp_text text;
	int code;

	*to = t->string[id];
	if (*to != UNKNOWN)
		return 0;
	text = tp_dict_text(t->from->dict, id);
	code = tp_dict_string(t->to->dict, text.text, text.size, to);
	t->string[id] = code ? UNKNOWN : *to;
	return code;
}

static int function(struct translation *t, uint32_t id, uint32_t *to)
{
	struct tp_function f;
	int code;

	*to = t->function[id];
	if (*to != UNKNOWN)
		return 0;
	f = tp_dict_function_at(t->from->dict, id);
	code = string(t, f.name, &f.name);
	if (!code)
		code = string(t, f.system_name, &f.system_name);
	if (!code)
		code = string(t, f.file, &f.file);
	if (!code)
		code = tp_dict_function(t->to->dict, &f, to);
	t->function[id] = code ? UNKNOWN : *to;
	return code;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xbf58476d1ce4e5b9u;
	h ^= h >> 29;
	h *= 0x94d049bb133111ebu;
	return h ^ h >> 32;
}

/* Mappings of one file are one, wherever it was loaded (profile.Mapping.key): by size in whole
 * pages, offset, and build id or else name. */
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

static uint64_t hash_mapping(const struct mapping_key *k)
{
	return mix(mix(mix(3, k->size), k->offset), k->name);
}

static int grow_mapping_slots(struct rep_merger *m)
{
	size_t n = m->nmapping_slots ? m->nmapping_slots * 2 : 64;
	uint32_t *slot;

	if (m->sum->nmappings * 2 < m->nmapping_slots)
		return 0;
	slot = calloc(n, sizeof(*slot));
	if (!slot)
		return TP_ENOMEM;
	for (size_t i = 0; i < m->sum->nmappings; i++) {
		struct mapping_key k = key_of(&m->sum->mappings[i]);
		size_t at = hash_mapping(&k) & (n - 1);

		for (; slot[at]; at = (at + 1) & (n - 1))
			;
		slot[at] = (uint32_t)i + 1;
	}
	free(m->mapping_slot);
	m->mapping_slot = slot;
	m->nmapping_slots = n;
	return 0;
}

/* The mapping of the sum that is this one, or a new one. */
static int find_mapping(struct translation *t, const struct tp_mapping *src, uint32_t *number)
{
	struct rep_merger *m = t->m;
	struct mapping_key k = key_of(src);
	int code = grow_mapping_slots(m);
	size_t at;

	if (code)
		return code;
	at = hash_mapping(&k) & (m->nmapping_slots - 1);
	for (; m->mapping_slot[at] && !m->plain; at = (at + 1) & (m->nmapping_slots - 1)) {
		struct mapping_key have = key_of(&m->sum->mappings[m->mapping_slot[at] - 1]);

		if (have.size == k.size && have.offset == k.offset && have.name == k.name) {
			*number = m->mapping_slot[at];
			return 0;
		}
	}
	code = tp_profile_add_mapping(t->to, src, number);
	while (m->mapping_slot[at])
		at = (at + 1) & (m->nmapping_slots - 1);
	if (!code)
		m->mapping_slot[at] = *number;
	return code;
}

static int mapping(struct translation *t, uint32_t number)
{
	struct tp_mapping m;
	int code;

	if (t->mapping[number].number != UNKNOWN)
		return 0;
	m = t->from->mappings[number - 1];
	code = string(t, m.file, &m.file);
	if (!code)
		code = string(t, m.build_id, &m.build_id);
	if (!code)
		code = find_mapping(t, &m, &t->mapping[number].number);
	if (!code)
		t->mapping[number].offset =
		    t->to->mappings[t->mapping[number].number - 1].start - m.start;
	return code;
}

static int location(struct translation *t, uint32_t id, uint32_t *to)
{
	struct tp_location l;
	int code = 0;

	*to = t->location[id];
	if (*to != UNKNOWN)
		return 0;
	l = tp_dict_location_at(t->from->dict, id);
	if (l.mapping > t->from->nmappings)
		l.mapping = 0;
	if (l.mapping) {
		code = mapping(t, l.mapping);
		l.address += t->mapping[l.mapping].offset;
		l.mapping = t->mapping[l.mapping].number;
	}
	if (!code)
		code = tp_dict_location(t->to->dict, &l, to);
	t->location[id] = code ? UNKNOWN : *to;
	return code;
}

static int frame(struct translation *t, uint32_t id, uint32_t *to)
{
	struct tp_frame f;
	int code;

	*to = t->frame[id];
	if (*to != UNKNOWN)
		return 0;
	f = tp_dict_frame_at(t->from->dict, id);
	code = function(t, f.function, &f.function);
	if (!code)
		code = location(t, f.location, &f.location);
	if (!code)
		code = tp_dict_frame(t->to->dict, &f, to);
	t->frame[id] = code ? UNKNOWN : *to;
	return code;
}

/* Marks all stacks that samples end with, and their callers. Mappings get their numbers on the way:
 * in the order of samples, from the leaf, as pprof meets them. */
static int mark_stacks(struct translation *t)
{
	const struct tp_stack_node *node = tp_dict_stack_nodes(t->from->dict);
	bool *met = calloc(tp_dict_frames(t->from->dict), sizeof(*met));
	int code = met ? 0 : TP_ENOMEM;

	for (size_t i = 0; i < t->from->nsamples && !code; i++) {
		for (uint32_t at = t->from->stack[i]; at && !t->stack[at] && !code;
		     at = node[at].parent) {
			uint32_t f = node[at].frame, number;

			t->stack[at] = 1;
			if (met[f])
				continue;
			met[f] = true;
			f = tp_dict_frame_at(t->from->dict, f).location;
			number = tp_dict_location_at(t->from->dict, f).mapping;
			if (number && number <= t->from->nmappings)
				code = mapping(t, number);
		}
	}
	free(met);
	return code;
}

/* 1 marks stacks until they are translated. */
static int stacks(struct translation *t)
{
	const struct tp_stack_node *node = tp_dict_stack_nodes(t->from->dict);
	int code;

	t->stack = calloc(t->nstacks, sizeof(*t->stack));
	code = t->stack ? mark_stacks(t) : TP_ENOMEM;
	for (uint32_t i = 1; i < t->nstacks && !code; i++) {
		uint32_t f;

		if (!t->stack[i])
			continue;
		code = frame(t, node[i].frame, &f);
		if (!code)
			code =
			    tp_dict_stack(t->to->dict, t->stack[node[i].parent], f, &t->stack[i]);
	}
	return code;
}

static int label_set(struct translation *t, uint32_t id, uint32_t *to)
{
	struct tp_label_set set = t->from->sets[id];
	struct tp_label *labels;
	int code = 0;

	*to = t->set[id];
	if (*to != UNKNOWN)
		return 0;
	labels = malloc((set.n + 1) * sizeof(*labels));
	if (!labels)
		return TP_ENOMEM;
	for (uint32_t i = 0; i < set.n && !code; i++) {
		labels[i] = t->from->labels[set.first + i];
		code = string(t, labels[i].key, &labels[i].key);
		if (!code && !labels[i].numeric)
			code = string(t, labels[i].text, &labels[i].text);
		if (!code && labels[i].numeric)
			code = string(t, labels[i].unit, &labels[i].unit);
	}
	if (!code)
		code = tp_profile_label_set(t->to, labels, set.n, to);
	free(labels);
	t->set[id] = code ? UNKNOWN : *to;
	return code;
}

/* Sets a label, whatever the samples had under its key. */
static int marked_set(struct translation *t, uint32_t set, const struct rep_merge_part *part,
		      uint32_t *to)
{
	struct tp_label_set have = t->to->sets[set];
	struct tp_label *labels = calloc((size_t)have.n + 1, sizeof(*labels));
	struct tp_label mark = {0};
	uint32_t n = 0;
	int code = labels ? 0 : TP_ENOMEM;

	if (!code)
		code = tp_dict_string(t->to->dict, part->label_key, strlen(part->label_key),
				      &mark.key);
	if (!code)
		code = tp_dict_string(t->to->dict, part->label_text, strlen(part->label_text),
				      &mark.text);
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

/* ---- types and units ---- */

static size_t find_type(const struct tp_profile *p, struct tp_text name)
{
	for (size_t i = 0; i < p->ntypes; i++) {
		struct tp_text t = tp_dict_text(p->dict, p->types[i].type);

		if (t.size == name.size && !memcmp(t.text, name.text, name.size))
			return i;
	}
	return SIZE_MAX;
}

static const char *text_of(const struct tp_profile *p, uint32_t id)
{
	return tp_dict_text(p->dict, id).text;
}

/* What pprof does with values: to the nearest, halves away from 0. What does not fit becomes what
 * Go's conversion makes of it on amd64. */
static int64_t scaled(int64_t value, double ratio)
{
	double d;

	if (ratio == 1)
		return value;
	d = round((double)value * ratio);
	return d >= -9223372036854775808.0 && d < 9223372036854775808.0 ? (int64_t)d : INT64_MIN;
}

/* Takes the column out of all samples of the sum. */
static void drop_column(struct tp_profile *p, size_t column)
{
	size_t n = p->ntypes, to = 0;

	for (size_t i = 0; i < p->nsamples * n; i++)
		if (i % n != column)
			p->value[to++] = p->value[i];
	memmove(&p->types[column], &p->types[column + 1], (n - column - 1) * sizeof(*p->types));
	p->ntypes--;
}

static void scale_column(struct tp_profile *p, size_t column, double ratio)
{
	for (size_t i = 0; i < p->nsamples; i++)
		p->value[i * p->ntypes + column] = scaled(p->value[i * p->ntypes + column], ratio);
}

static int incompatible(const char *what, const char *type, const char *a, const char *b,
			struct tp_err *err)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the profiles cannot be added up: %s %.60s is in %.40s here and in %.40s "
			  "there",
			  what, type, a, b);
}

/* The sum keeps the sample types that the part has, too, each in the finer of the two units. */
static int common_types(struct translation *t, struct tp_err *err)
{
	struct tp_profile *sum = t->to;

	for (size_t i = 0; i < sum->ntypes;) {
		size_t at = find_type(t->from, tp_dict_text(sum->dict, sum->types[i].type));
		const char *have, *other;

		if (at == SIZE_MAX) {
			drop_column(sum, i);
			continue;
		}
		have = text_of(sum, sum->types[i].unit);
		other = text_of(t->from, t->from->types[at].unit);
		if (!rep_units_compatible(have, other))
			return incompatible("the sample type", text_of(sum, sum->types[i].type),
					    have, other, err);
		if (rep_unit_ratio(other, have) < 1) { /* the part's is finer */
			scale_column(sum, i, rep_unit_ratio(have, other));
			if (string(t, t->from->types[at].unit, &sum->types[i].unit))
				return fail(err, TP_ENOMEM);
		}
		t->column[i] = at;
		t->unit[i] = rep_unit_ratio(other, text_of(sum, sum->types[i].unit));
		i++;
	}
	if (!sum->ntypes)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the profiles cannot be added up: they have no sample type in "
				  "common");
	return 0;
}

/* The period's type must be the same, and its unit one that can be converted. */
static int common_period(struct translation *t, struct tp_err *err)
{
	struct tp_profile *sum = t->to;
	const struct tp_profile *p = t->from;
	const char *have = text_of(sum, sum->period_type.unit);
	const char *other = text_of(p, p->period_type.unit);
	int64_t period = p->period;

	if (strcmp(text_of(sum, sum->period_type.type), text_of(p, p->period_type.type)) != 0)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "the profiles cannot be added up: one is taken per %.60s, another "
		    "per %.60s",
		    text_of(sum, sum->period_type.type), text_of(p, p->period_type.type));
	if (!rep_units_compatible(have, other))
		return incompatible("the period", text_of(sum, sum->period_type.type), have, other,
				    err);
	if (strcmp(have, other) != 0 && rep_unit_ratio(other, have) < 1) {
		sum->period = (int64_t)rep_scale(sum->period, have, other, NULL);
		if (string(t, p->period_type.unit, &sum->period_type.unit))
			return fail(err, TP_ENOMEM);
	} else if (strcmp(have, other) != 0) {
		period = (int64_t)rep_scale(period, other, have, NULL);
	}
	if (!sum->period || sum->period < period)
		sum->period = period;
	return 0;
}

/* ---- headers ---- */

static int grow_commented(struct rep_merger *m, uint32_t comment)
{
	size_t n = (size_t)comment * 2 + 64;
	bool *p;

	if (comment < m->ncommented)
		return 0;
	p = realloc(m->commented, n * sizeof(*p));
	if (!p)
		return TP_ENOMEM;
	memset(p + m->ncommented, 0, (n - m->ncommented) * sizeof(*p));
	m->commented = p;
	m->ncommented = n;
	return 0;
}

static int add_comments(struct translation *t)
{
	int code = 0;

	for (size_t i = 0; i < t->from->ncomments && !code; i++) {
		uint32_t comment;

		code = string(t, t->from->comments[i], &comment);
		if (!code)
			code = grow_commented(t->m, comment);
		if (!code && (t->m->plain || !t->m->commented[comment]))
			code = tp_profile_add_comment(t->to, comment);
		if (!code)
			t->m->commented[comment] = true;
	}
	return code;
}

static int remember_types(struct translation *t)
{
	struct rep_merger *m = t->m;
	struct part_types *p = realloc(m->part, (m->nparts + 1) * sizeof(*p));
	int code;

	if (!p)
		return TP_ENOMEM;
	m->part = p;
	p += m->nparts;
	*p = (struct part_types){.n = t->from->ntypes};
	p->type = calloc(p->n + 1, sizeof(*p->type));
	m->nparts++;
	code = p->type ? string(t, t->from->default_type, &p->default_type) : TP_ENOMEM;
	for (size_t i = 0; i < t->from->ntypes && !code; i++)
		code = string(t, t->from->types[i].type, &p->type[i]);
	return code;
}

/* The first part says what most is. */
static int first_header(struct translation *t)
{
	struct tp_profile *sum = t->to;
	const struct tp_profile *p = t->from;
	int code = 0;

	snprintf(sum->format, sizeof(sum->format), "%s", p->format);
	for (size_t i = 0; i < p->ntypes && !code; i++) {
		uint32_t type, unit;

		code = string(t, p->types[i].type, &type);
		if (!code)
			code = string(t, p->types[i].unit, &unit);
		if (!code)
			code = tp_profile_add_type(sum, type, unit);
		t->column[i] = i;
		t->unit[i] = 1;
	}
	if (!code)
		code = string(t, p->period_type.type, &sum->period_type.type);
	if (!code)
		code = string(t, p->period_type.unit, &sum->period_type.unit);
	if (!code)
		code = string(t, p->drop_frames, &sum->drop_frames);
	if (!code)
		code = string(t, p->keep_frames, &sum->keep_frames);
	if (!code)
		code = string(t, p->default_type, &sum->default_type);
	sum->period = p->period;
	return code;
}

static int common_header(struct translation *t)
{
	struct tp_profile *sum = t->to;
	const struct tp_profile *p = t->from;
	int code = remember_types(t);

	if (!sum->time_ns || p->time_ns < sum->time_ns)
		sum->time_ns = p->time_ns;
	sum->duration_ns = (int64_t)((uint64_t)sum->duration_ns + (uint64_t)p->duration_ns);
	if (!code && !sum->doc_url)
		code = string(t, p->doc_url, &sum->doc_url);
	if (!code)
		code = add_comments(t);
	/* The first mapping is the program. */
	if (!code && !sum->nmappings && p->nmappings)
		code = mapping(t, 1);
	for (uint32_t i = 2; i <= p->nmappings && t->m->plain && !code; i++)
		code = mapping(t, i);
	return code;
}

/* ---- samples ---- */

static int grow_slots(struct rep_merger *m)
{
	const struct tp_profile *p = m->sum;
	size_t n = m->nslots ? m->nslots * 2 : 1024;
	uint32_t *slot;

	if (p->nsamples * 2 < m->nslots)
		return 0;
	slot = calloc(n, sizeof(*slot));
	if (!slot)
		return TP_ENOMEM;
	for (size_t i = 0; i < p->nsamples; i++) {
		size_t at = mix(p->stack[i], p->label_set[i]) & (n - 1);

		for (; slot[at]; at = (at + 1) & (n - 1))
			;
		slot[at] = (uint32_t)i + 1;
	}
	free(m->slot);
	m->slot = slot;
	m->nslots = n;
	return 0;
}

static int put_sample(struct rep_merger *m, uint32_t stack, uint32_t set, const int64_t *value)
{
	struct tp_profile *p = m->sum;
	int code;
	size_t at;

	if (m->plain)
		return tp_profile_add_sample(p, stack, set, value);
	code = grow_slots(m);
	if (code)
		return code;
	at = mix(stack, set) & (m->nslots - 1);
	for (; m->slot[at]; at = (at + 1) & (m->nslots - 1)) {
		size_t i = m->slot[at] - 1;

		if (p->stack[i] != stack || p->label_set[i] != set)
			continue;
		for (size_t k = 0; k < p->ntypes; k++) {
			int64_t *to = &p->value[i * p->ntypes + k];

			*to = (int64_t)((uint64_t)*to + (uint64_t)value[k]);
		}
		return 0;
	}
	code = tp_profile_add_sample(p, stack, set, value);
	if (!code)
		m->slot[at] = (uint32_t)p->nsamples;
	return code;
}

/* Reads one sample's values as the sum has them; false where nothing of it is left. A sample that
 * was scaled lives by its scaled values alone (profile.ScaleN). */
static bool take_values(const struct translation *t, size_t sample, int64_t *value)
{
	const int64_t *from = t->from->value + sample * t->from->ntypes;
	bool any = false, left = false, changed = false;

	for (size_t i = 0; i < t->to->ntypes; i++) {
		value[i] = scaled(from[t->column[i]], t->ratio[i]);
		changed |= t->ratio[i] != 1;
		left |= t->ratio[i] != 1 && value[i];
		value[i] = scaled(value[i], t->unit[i]);
		any |= value[i] != 0;
	}
	if (changed && !left)
		return false;
	return any || t->m->plain;
}

static int add_samples(struct translation *t, const struct rep_merge_part *part)
{
	int64_t *value = calloc(t->to->ntypes + 1, sizeof(*value));
	uint32_t *marked = part->label_key ? unknowns(t->from->nsets) : NULL;
	int code = value && (marked || !part->label_key) ? 0 : TP_ENOMEM;

	for (size_t i = 0; i < t->from->nsamples && !code; i++) {
		uint32_t set = t->from->label_set[i], to = 0;

		if (!take_values(t, i, value))
			continue;
		code = label_set(t, set, &to);
		if (!code && marked && marked[set] == UNKNOWN)
			code = marked_set(t, to, part, &marked[set]);
		if (!code)
			code = put_sample(t->m, t->stack[t->from->stack[i]],
					  marked ? marked[set] : to, value);
	}
	free(value);
	free(marked);
	return code;
}

/* ---- adding a part ---- */

static int translation_init(struct translation *t, const struct rep_merge_part *part)
{
	const struct tp_profile *p = part->profile;
	size_t ntypes = p->ntypes + t->to->ntypes + 1;

	t->from = p;
	t->nstacks = tp_dict_stacks(p->dict);
	t->string = unknowns(tp_dict_strings(p->dict));
	t->function = unknowns(tp_dict_functions(p->dict));
	t->location = unknowns(tp_dict_locations(p->dict));
	t->frame = unknowns(tp_dict_frames(p->dict));
	t->set = unknowns(p->nsets);
	t->mapping = malloc((p->nmappings + 1) * sizeof(*t->mapping));
	t->column = calloc(ntypes, sizeof(*t->column));
	t->ratio = calloc(ntypes, sizeof(*t->ratio));
	t->unit = calloc(ntypes, sizeof(*t->unit));
	if (!t->string || !t->function || !t->location || !t->frame || !t->set || !t->mapping ||
	    !t->column || !t->ratio || !t->unit)
		return TP_ENOMEM;
	memset(t->mapping, 0xff, (p->nmappings + 1) * sizeof(*t->mapping));
	return 0;
}

static void translation_release(struct translation *t)
{
	free(t->string);
	free(t->function);
	free(t->location);
	free(t->frame);
	free(t->stack);
	free(t->set);
	free(t->mapping);
	free(t->column);
	free(t->ratio);
	free(t->unit);
}

static int add_part(struct rep_merger *m, const struct rep_merge_part *part, struct tp_err *err)
{
	struct translation t = {.m = m, .to = m->sum};
	bool first = !m->nparts;
	int code = translation_init(&t, part);

	if (!code && first)
		code = first_header(&t);
	if (code)
		goto done;
	if (!first) {
		code = common_types(&t, err);
		if (!code)
			code = common_period(&t, err);
		if (code) {
			translation_release(&t);
			return code;
		}
		if (strcmp(m->sum->format, part->profile->format) != 0)
			snprintf(m->sum->format, sizeof(m->sum->format), "pprof");
	}
	for (size_t i = 0; i < m->sum->ntypes; i++)
		t.ratio[i] = part->ratios ? part->ratios[t.column[i]] : part->ratio;
	code = common_header(&t);
	if (!code)
		code = stacks(&t);
	if (!code)
		code = add_samples(&t, part);
done:
	translation_release(&t);
	return code ? fail(err, code) : 0;
}

/* ---- mergers ---- */

int rep_merger_new(struct rep_merger **m, bool always, struct tp_err *err)
{
	*m = calloc(1, sizeof(**m));
	if (!*m)
		return fail(err, TP_ENOMEM);
	(*m)->always = always;
	return 0;
}

static void clear(struct rep_merger *m)
{
	tp_profile_free(m->sum);
	for (size_t i = 0; i < m->nparts; i++)
		free(m->part[i].type);
	free(m->part);
	free(m->slot);
	free(m->mapping_slot);
	free(m->commented);
	*m = (struct rep_merger){.always = m->always};
}

void rep_merger_free(struct rep_merger *m)
{
	if (m)
		clear(m);
	free(m);
}

/* The one part that is there as it came is merged with itself: a second one is coming. */
static int settle(struct rep_merger *m, struct tp_err *err)
{
	struct rep_merger again = {.always = m->always};
	int code;

	again.sum = tp_profile_new();
	if (!again.sum)
		return fail(err, TP_ENOMEM);
	code = add_part(&again, &(struct rep_merge_part){.profile = m->sum, .ratio = 1}, err);
	clear(m);
	*m = again;
	return code;
}

int rep_merger_add(struct rep_merger *m, const struct rep_merge_part *part, struct tp_err *err)
{
	if (!m->sum) {
		m->sum = tp_profile_new();
		if (!m->sum)
			return fail(err, TP_ENOMEM);
		m->plain = !m->always;
	} else if (m->plain) {
		int code = settle(m, err);

		if (code)
			return code;
	}
	return add_part(m, part, err);
}

/* pprof: compatibilizeSampleTypes and combineHeaders. A part that lost types, or had them in
 * another order, shows the first of those left unless its own is among them. */
static uint32_t default_type(const struct rep_merger *m)
{
	const struct tp_profile *p = m->sum;

	for (size_t i = 0; i < m->nparts; i++) {
		const struct part_types *part = &m->part[i];
		bool changed = part->n != p->ntypes, among = false;

		for (size_t k = 0; k < p->ntypes; k++) {
			changed |= k < part->n && part->type[k] != p->types[k].type;
			among |= part->default_type == p->types[k].type;
		}
		if (changed && !among)
			return p->types[0].type;
		if (part->default_type)
			return part->default_type;
	}
	return 0;
}

static bool not_zero(const struct tp_profile *p, size_t sample)
{
	for (size_t i = 0; i < p->ntypes; i++)
		if (p->value[sample * p->ntypes + i])
			return true;
	return false;
}

static void drop_zeros(struct tp_profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nsamples; i++) {
		if (!not_zero(p, i))
			continue;
		if (n != i) {
			p->stack[n] = p->stack[i];
			p->label_set[n] = p->label_set[i];
			memcpy(p->value + n * p->ntypes, p->value + i * p->ntypes,
			       p->ntypes * sizeof(*p->value));
		}
		n++;
	}
	p->nsamples = n;
}

int rep_merger_finish(struct rep_merger *m, struct tp_profile **sum, struct tp_err *err)
{
	*sum = NULL;
	if (!m->sum)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "there are no profiles to add up");
	m->sum->default_type = default_type(m);
	if (!m->plain)
		drop_zeros(m->sum);
	*sum = m->sum;
	m->sum = NULL;
	clear(m);
	return 0;
}

int rep_profile_merge(const struct rep_merge_part *parts, size_t n, struct tp_profile **sum,
		      struct tp_err *err)
{
	struct rep_merger *m;
	int code;

	*sum = NULL;
	code = rep_merger_new(&m, false, err);
	for (size_t i = 0; i < n && !code; i++)
		code = rep_merger_add(m, &parts[i], err);
	if (!code)
		code = rep_merger_finish(m, sum, err);
	rep_merger_free(m);
	return code;
}
