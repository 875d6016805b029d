#include "decode/profile.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "base/table.h"

#define MAX_ENTRIES ((size_t)1 << 30)
#define MAX_LEDGER  10000 /* losses and notices each; further losses are added to the last */
/* Bytes of a label's key that are compared for sorting. Longer common prefixes do not occur in real
 * profiles; such keys are sorted by id, so that comparing them stays fast. */
#define MAX_KEY ((size_t)4096)

/* Sizes of the arrays as allocated, and label sets by content. */
struct tp_profile_room {
	size_t types, mappings, comments, counters, labels, sets, stack, label_set, value, losses,
	    notices;
	struct tp_table by_labels;
	uint64_t seed;
	struct tp_label *sorting;
	size_t nsorting;
};

/* Makes room for `more` items after n in an array of *room items. */
static int grow(void *array, size_t *room, size_t n, size_t more, size_t size)
{
	void **items = array;
	size_t want = *room ? *room : 16;
	void *p;

	if (n + more <= *room)
		return 0;
	if (more > MAX_ENTRIES || n / 8 > MAX_ENTRIES || n + more > SIZE_MAX / 4 / size)
		return TP_ELIMIT;
	while (want < n + more)
		want *= 2;
	p = tp_more(*items, want, size);
	if (!p)
		return TP_ENOMEM;
	*items = p;
	*room = want;
	return 0;
}

struct tp_profile *tp_profile_new(void)
{
	return tp_profile_new_in(tp_dict_new());
}

struct tp_profile *tp_profile_new_in(struct tp_dict *d)
{
	struct tp_profile *p = d ? calloc(1, sizeof(*p)) : NULL;

	if (!p) {
		tp_dict_free(d);
		return NULL;
	}
	p->dict = d;
	p->old_functions = tp_dict_functions(d);
	p->room = calloc(1, sizeof(*p->room));
	p->sets = p->room ? calloc(1, sizeof(*p->sets)) : NULL;
	if (!p->room || !p->sets) {
		tp_profile_free(p);
		return NULL;
	}
	p->nsets = p->room->sets = 1;
	p->room->seed = tp_seed();
	return p;
}

void tp_profile_free(struct tp_profile *p)
{
	if (!p)
		return;
	tp_dict_free(p->dict);
	free(p->types);
	free(p->mappings);
	free(p->comments);
	free(p->counters);
	free(p->labels);
	free(p->sets);
	free(p->stack);
	free(p->label_set);
	free(p->value);
	free(p->losses);
	free(p->notices);
	if (p->room) {
		tp_table_release(&p->room->by_labels);
		free(p->room->sorting);
	}
	free(p->room);
	free(p);
}

int tp_profile_add_type(struct tp_profile *p, uint32_t type, uint32_t unit)
{
	int code;

	if (p->nsamples)
		return TP_EFORMAT;
	code = grow(&p->types, &p->room->types, p->ntypes, 1, sizeof(*p->types));
	if (!code)
		p->types[p->ntypes++] = (struct tp_value_type){type, unit};
	return code;
}

int tp_profile_add_mapping(struct tp_profile *p, const struct tp_mapping *m, uint32_t *number)
{
	int code = grow(&p->mappings, &p->room->mappings, p->nmappings, 1, sizeof(*p->mappings));

	if (!code && p->nmappings >= MAX_ENTRIES)
		code = TP_ELIMIT;
	if (code)
		return code;
	p->mappings[p->nmappings++] = *m;
	*number = (uint32_t)p->nmappings;
	return 0;
}

int tp_profile_add_comment(struct tp_profile *p, uint32_t text)
{
	int code = grow(&p->comments, &p->room->comments, p->ncomments, 1, sizeof(*p->comments));

	if (!code)
		p->comments[p->ncomments++] = text;
	return code;
}

int tp_profile_add_counter(struct tp_profile *p, const struct tp_counter *c)
{
	int code = grow(&p->counters, &p->room->counters, p->ncounters, 1, sizeof(*p->counters));

	if (!code)
		p->counters[p->ncounters++] = *c;
	return code;
}

int tp_profile_add_loss(struct tp_profile *p, const struct tp_loss *loss)
{
	int code;

	if (p->nlosses == MAX_LEDGER) {
		p->losses[MAX_LEDGER - 1].bytes += loss->bytes;
		p->losses[MAX_LEDGER - 1].events += loss->events;
		return 0;
	}
	code = grow(&p->losses, &p->room->losses, p->nlosses, 1, sizeof(*p->losses));
	if (!code)
		p->losses[p->nlosses++] = *loss;
	return code;
}

#define MORE_SIZE 32 /* " and 9,999 more warnings" */

const char *tp_profile_warnings(const struct tp_profile *p, char *text, size_t size)
{
	size_t at = 0, more = 0;

	*text = '\0';
	for (size_t i = 0; i < p->nnotices; i++) {
		const char *notice = p->notices[i].text;
		size_t n = strlen(notice) + (at ? 2 : 0);

		/* Several profiles of one file may repeat a warning. */
		if (p->notices[i].severity == TP_INFO || strstr(text, notice))
			continue;
		if (more || (at && at + n + MORE_SIZE > size)) {
			more++;
			continue;
		}
		snprintf(text + at, size - at, "%s%s", at ? "; " : "", notice);
		at = at + n < size ? at + n : size - 1;
	}
	if (more)
		snprintf(text + at, size - at, " and %zu more warning%s", more,
			 more == 1 ? "" : "s");
	return text;
}

int tp_profile_add_notice(struct tp_profile *p, enum tp_severity severity, uint64_t offset,
			  const char *fmt, ...)
{
	struct tp_notice *n;
	va_list ap;
	int code;

	if (p->nnotices == MAX_LEDGER)
		return 0;
	code = grow(&p->notices, &p->room->notices, p->nnotices, 1, sizeof(*p->notices));
	if (code)
		return code;
	n = &p->notices[p->nnotices++];
	n->severity = severity;
	n->offset = offset;
	va_start(ap, fmt);
	vsnprintf(n->text, sizeof(n->text), fmt, ap);
	va_end(ap);
	return 0;
}

/* ---- stacks ---- */

int tp_profile_location(struct tp_profile *p, const struct tp_location *l,
			const struct tp_frame *lines, size_t nlines, uint32_t *frame, size_t *n)
{
	struct tp_location where = *l;
	uint32_t location;
	int code;

	if (!nlines && !where.address && !where.mapping)
		where.flags |= TP_LOCATION_BARE;
	if (nlines == 1 && !lines->function && !lines->line && !lines->column)
		where.flags |= TP_LOCATION_LINED;
	code = tp_dict_location(p->dict, &where, &location);
	*n = nlines ? nlines : 1;
	if (!nlines && !code)
		code = tp_dict_frame(p->dict, &(struct tp_frame){.location = location}, frame);
	for (size_t i = 0; i < nlines && !code; i++) {
		struct tp_frame f = lines[nlines - 1 - i];

		f.location = location;
		f.inlined = i > 0;
		code = tp_dict_frame(p->dict, &f, &frame[i]);
	}
	return code;
}

int tp_profile_push(struct tp_profile *p, uint32_t *stack, const uint32_t *frame, size_t n)
{
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = tp_dict_stack(p->dict, *stack, frame[i], stack);
	return code;
}

int tp_profile_push_location(struct tp_profile *p, uint32_t *stack, const struct tp_location *l,
			     const struct tp_frame *lines, size_t nlines)
{
	uint32_t few[16], *frame = few;
	size_t n;
	int code;

	if (nlines > MAX_ENTRIES)
		return TP_ELIMIT;
	if (nlines > sizeof(few) / sizeof(few[0]))
		frame = tp_many(nlines, sizeof(*frame));
	if (!frame)
		return TP_ENOMEM;
	code = tp_profile_location(p, l, lines, nlines, frame, &n);
	if (!code)
		code = tp_profile_push(p, stack, frame, n);
	if (frame != few)
		free(frame);
	return code;
}

bool tp_profile_next_location(const struct tp_profile *p, uint32_t *node, uint32_t *frame,
			      size_t room, size_t *n)
{
	*n = 0;
	if (!*node)
		return false;
	while (*node) {
		struct tp_stack_node s = tp_dict_stack_at(p->dict, *node);

		if (*n < room)
			frame[(*n)++] = s.frame;
		*node = s.parent;
		if (!tp_dict_frame_at(p->dict, s.frame).inlined)
			break;
	}
	return true;
}

bool tp_profile_lined(const struct tp_profile *p, uint32_t frame)
{
	struct tp_frame f = tp_dict_frame_at(p->dict, frame);

	return f.function || f.line || f.column || f.inlined ||
	       tp_dict_location_at(p->dict, f.location).flags & TP_LOCATION_LINED;
}

/* ---- labels ---- */

static int compare_keys(const struct tp_dict *d, const struct tp_label *a, const struct tp_label *b)
{
	struct tp_text x = tp_dict_text(d, a->key), y = tp_dict_text(d, b->key);
	size_t n = x.size < y.size ? x.size : y.size;
	int c;

	if (a->numeric != b->numeric)
		return a->numeric ? 1 : -1;
	if (a->key == b->key)
		return 0;
	c = n ? memcmp(x.text, y.text, n < MAX_KEY ? n : MAX_KEY) : 0;
	if (c || n < MAX_KEY)
		return c ? c : x.size < y.size ? -1 : x.size > y.size;
	return a->key < b->key ? -1 : 1;
}

/* Zeroes padding and unused fields, so that equal labels are equal bytes. */
static void copy_label(struct tp_label *to, const struct tp_label *from)
{
	memset(to, 0, sizeof(*to));
	to->key = from->key;
	to->numeric = from->numeric;
	to->text = from->numeric ? 0 : from->text;
	to->number = from->numeric ? from->number : 0;
	to->unit = from->numeric ? from->unit : 0;
}

/* Merges a[0 … half) and a[half … n), both sorted, into b; stable. */
static void merge_labels(const struct tp_dict *d, const struct tp_label *a, size_t half, size_t n,
			 struct tp_label *b)
{
	size_t i = 0, k = half;

	for (size_t at = 0; at < n; at++) {
		bool second = i == half || (k < n && compare_keys(d, &a[i], &a[k]) > 0);

		memcpy(&b[at], &a[second ? k++ : i++], sizeof(*b));
	}
}

/* Sorts labels into the front of room->sorting. Sets are mostly small but may be huge, so this is a
 * merge sort on insertion-sorted runs. */
static int sort_labels(struct tp_profile *p, const struct tp_label *labels, size_t n)
{
	const size_t run = 8;
	int code =
	    grow(&p->room->sorting, &p->room->nsorting, 0, n <= run ? n : 2 * n, sizeof(*labels));
	struct tp_label *a = p->room->sorting, *b = a + n, l;

	for (size_t i = 0; i < n && !code; i++) {
		size_t at = i;

		copy_label(&l, &labels[i]);
		for (; at % run && compare_keys(p->dict, &a[at - 1], &l) > 0; at--)
			memcpy(&a[at], &a[at - 1], sizeof(l));
		memcpy(&a[at], &l, sizeof(l));
	}
	for (size_t width = run; width < n && !code; width *= 2) {
		struct tp_label *done = b;

		for (size_t i = 0; i < n; i += 2 * width) {
			size_t left = n - i;

			merge_labels(p->dict, a + i, left < width ? left : width,
				     left < 2 * width ? left : 2 * width, b + i);
		}
		b = a;
		a = done;
	}
	if (!code && a != p->room->sorting)
		memcpy(p->room->sorting, a, n * sizeof(*a));
	return code;
}

static uint64_t hash_labels(uint64_t seed, const struct tp_label *l, size_t n)
{
	uint64_t h = seed;

	for (size_t i = 0; i < n; i++) {
		h = tp_mix64(h, (uint64_t)l[i].key << 32 | l[i].text);
		h = tp_mix64(h, (uint64_t)l[i].number);
		h = tp_mix64(h, (uint64_t)l[i].unit << 1 | l[i].numeric);
	}
	return h;
}

int tp_profile_label_set(struct tp_profile *p, const struct tp_label *labels, size_t n,
			 uint32_t *set)
{
	struct tp_profile_room *r = p->room;
	struct tp_label *sorted;
	uint64_t hash;
	int code;

	*set = 0;
	if (!n)
		return 0;
	if (p->nsets >= MAX_ENTRIES || p->nlabels + n >= MAX_ENTRIES)
		return TP_ELIMIT;
	code = sort_labels(p, labels, n);
	if (code)
		return code;
	sorted = r->sorting;
	hash = hash_labels(r->seed, sorted, n);
	for (struct tp_probe probe = {0}; tp_table_next(&r->by_labels, hash, &probe);) {
		const struct tp_label_set *s = &p->sets[probe.row];

		if (s->n == n && !memcmp(p->labels + s->first, sorted, n * sizeof(*sorted))) {
			*set = probe.row;
			return 0;
		}
	}
	code = grow(&p->sets, &r->sets, p->nsets, 1, sizeof(*p->sets));
	if (!code)
		code = grow(&p->labels, &r->labels, p->nlabels, n, sizeof(*p->labels));
	if (!code)
		code = tp_table_add(&r->by_labels, hash, p->nsets);
	if (code)
		return code;
	memcpy(p->labels + p->nlabels, sorted, n * sizeof(*sorted));
	p->sets[p->nsets] = (struct tp_label_set){(uint32_t)p->nlabels, (uint32_t)n};
	p->nlabels += n;
	*set = (uint32_t)p->nsets++;
	return 0;
}

/* ---- samples ---- */

int tp_profile_reserve_samples(struct tp_profile *p, size_t n)
{
	struct tp_profile_room *r = p->room;
	int code = grow(&p->stack, &r->stack, p->nsamples, n, sizeof(*p->stack));

	if (!code)
		code = grow(&p->label_set, &r->label_set, p->nsamples, n, sizeof(*p->label_set));
	if (!code)
		code = grow(&p->value, &r->value, p->nsamples * p->ntypes, n * p->ntypes,
			    sizeof(*p->value));
	return code;
}

int tp_profile_add_sample(struct tp_profile *p, uint32_t stack, uint32_t label_set,
			  const int64_t *values)
{
	struct tp_profile_room *r = p->room;
	size_t n = p->nsamples;
	int code = n >= MAX_ENTRIES ? TP_ELIMIT : 0;

	if (!code)
		code = grow(&p->stack, &r->stack, n, 1, sizeof(*p->stack));
	if (!code)
		code = grow(&p->label_set, &r->label_set, n, 1, sizeof(*p->label_set));
	if (!code)
		code = grow(&p->value, &r->value, n * p->ntypes, p->ntypes, sizeof(*p->value));
	if (code)
		return code;
	p->stack[n] = stack;
	p->label_set[n] = label_set;
	if (p->ntypes)
		memcpy(p->value + n * p->ntypes, values, p->ntypes * sizeof(*values));
	p->nsamples++;
	return 0;
}
