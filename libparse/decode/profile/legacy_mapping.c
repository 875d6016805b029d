/* Assigns mappings to addresses by pprof's rules (profile.go: massageMappings; legacy_profile.go:
 * remapMappingIDs):
 *   1. Adjacent mappings of one file with consecutive offsets are merged.
 *   2. The first mapping that looks like the program (not a library, not in brackets) is swapped
 *      with the very first one.
 *   3. An anonymous huge page before its continuation is removed; a first mapping that begins at
 *      0x400000 minus its offset is extended to there.
 *   4. An address belongs to the first mapping that contains it; otherwise to the first that would
 *      if it began earlier by its offset, which is then extended; otherwise to a mapping of the
 *      whole address space, which is added. The address 0 has no mapping. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "decode/profile/legacy.h"

#define MAX_STEPS ((uint64_t)1 << 30) /* limit over all addresses, for lists that overlap */

struct maps {
	struct tp_mapping *at;
	size_t n;
};

static struct tp_text text_of(const struct tp_legacy *l, uint32_t string)
{
	return tp_dict_text(l->p->dict, string);
}

/* ---- 1 to 3 ---- */

static bool continues(const struct tp_mapping *a, const struct tp_mapping *b)
{
	if (a->file && b->file && a->file != b->file)
		return false;
	if (a->build_id && b->build_id && a->build_id != b->build_id)
		return false;
	if (a->limit != b->start)
		return false;
	return !a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset;
}

static void join(struct maps *m)
{
	size_t kept = 0;

	for (size_t i = 1; i < m->n; i++) {
		struct tp_mapping *a = &m->at[kept], *b = &m->at[i];

		if (!continues(a, b)) {
			m->at[++kept] = *b;
			continue;
		}
		a->limit = b->limit;
		a->file = b->file ? b->file : a->file;
		a->build_id = b->build_id ? b->build_id : a->build_id;
	}
	if (m->n)
		m->n = kept + 1;
}

/* Returns whether the name ends in ".so" or contains ".so." or ".so_" and a digit. */
static bool is_library(struct tp_scan file)
{
	const char *at;

	if (file.end - file.at >= 3 && !memcmp(file.end - 3, ".so", 3))
		return true;
	for (struct tp_scan s = file; (at = tp_scan_find(s, ".so")) != NULL; s.at = at + 1)
		if (file.end - at >= 5 && (at[3] == '.' || at[3] == '_') && at[4] >= '0' &&
		    at[4] <= '9')
			return true;
	return false;
}

static bool is_program(struct tp_text name)
{
	static const char deleted[] = "(deleted)";
	struct tp_scan s = {name.text, name.text + name.size};
	const char *at;

	/* pprof also removes a "(deleted)" in the middle of a name, which does not occur. */
	s = tp_scan_trim(s);
	at = tp_scan_find(s, deleted);
	if (at && at + sizeof(deleted) - 1 == s.end)
		s = tp_scan_trim((struct tp_scan){s.at, at});
	return tp_scan_left(&s) && *s.at != '[' && !is_library(s);
}

static void put_program_first(const struct tp_legacy *l, struct maps *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct tp_mapping first = m->at[0];

		if (!is_program(text_of(l, m->at[i].file)))
			continue;
		m->at[0] = m->at[i];
		m->at[i] = first;
		return;
	}
}

static void mend_first(const struct tp_legacy *l, struct maps *m)
{
	static const char huge[] = "/anon_hugepage";
	struct tp_text name;

	if (!m->n)
		return;
	name = text_of(l, m->at[0].file);
	if (name.size >= sizeof(huge) - 1 && !memcmp(name.text, huge, sizeof(huge) - 1) &&
	    m->n > 1 && m->at[0].limit == m->at[1].start) {
		m->at++;
		m->n--;
	}
	if (m->at[0].start - m->at[0].offset == 0x400000) {
		m->at[0].start = 0x400000;
		m->at[0].offset = 0;
	}
}

/* ---- 4 ---- */

struct start {
	uint64_t at;
	size_t map;
};

struct finder {
	struct maps maps;
	struct start *by_start; /* NULL if mappings overlap; then they are searched in order */
	uint64_t *steps;	/* of all parts of the dump */
	uint32_t everything; /* number of the mapping of the whole address space, 0 if not added */
};

static int compare_starts(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static int sort_maps(struct finder *f)
{
	bool apart = true;

	if (!f->maps.n)
		return 0;
	f->by_start = tp_many(f->maps.n, sizeof(*f->by_start));
	if (!f->by_start)
		return TP_ENOMEM;
	for (size_t i = 0; i < f->maps.n; i++)
		f->by_start[i] = (struct start){f->maps.at[i].start, i};
	qsort(f->by_start, f->maps.n, sizeof(*f->by_start), compare_starts);
	for (size_t i = 1; i < f->maps.n; i++)
		apart &= f->maps.at[f->by_start[i - 1].map].limit <= f->by_start[i].at;
	if (!apart) {
		free(f->by_start);
		f->by_start = NULL;
	}
	return 0;
}

static bool holds(const struct tp_mapping *m, uint64_t address)
{
	return m->start <= address && address < m->limit;
}

/* Returns the index + 1 of the first mapping that contains the address, 0 for none. */
static size_t find(struct finder *f, uint64_t address)
{
	size_t low = 0, high = f->maps.n;

	if (!f->by_start) {
		for (size_t i = 0; i < f->maps.n; i++, ++*f->steps)
			if (holds(&f->maps.at[i], address))
				return i + 1;
		return 0;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->by_start[middle].at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !holds(&f->maps.at[f->by_start[low - 1].map], address))
		return 0;
	return f->by_start[low - 1].map + 1;
}

/* Does the same with each mapping extended down by its offset, and extends the one it finds. */
static size_t find_extended(struct finder *f, uint64_t address)
{
	for (size_t i = 0; i < f->maps.n; i++, ++*f->steps) {
		struct tp_mapping *m = &f->maps.at[i];

		if (!m->offset || m->start - m->offset > address || address >= m->start)
			continue;
		m->start -= m->offset;
		m->offset = 0;
		free(f->by_start);
		f->by_start = NULL;
		return i + 1;
	}
	return 0;
}

static int map_place(struct tp_legacy *l, struct finder *f, struct tp_legacy_place *place)
{
	size_t found;

	/* Java's addresses only stand for names. */
	if (!place->address || place->mapping || (tp_legacy_is_java(l) && place->nlines))
		return 0;
	found = find(f, place->address);
	if (!found && !f->everything)
		found = find_extended(f, place->address);
	if (found) {
		place->mapping = (uint32_t)found;
	} else {
		f->everything = (uint32_t)f->maps.n + 1;
		place->mapping = f->everything;
	}
	if (*f->steps <= MAX_STEPS)
		return 0;
	return tp_err_set(l->err, TP_ELIMIT, TP_OFFSET_NONE,
			  "%zu mappings overlap in too many ways for so many addresses", f->maps.n);
}

static bool same(const struct tp_mapping *a, const struct tp_mapping *b)
{
	return a->start == b->start && a->limit == b->limit && a->offset == b->offset &&
	       a->file == b->file && a->build_id == b->build_id;
}

/* A part of a dump mostly has the mappings of the parts before it. */
static bool has_maps(const struct tp_profile *p, const struct finder *f,
		     const struct tp_mapping *everything)
{
	for (size_t i = 0; i < f->maps.n; i++)
		if (i >= p->nmappings || !same(&p->mappings[i], &f->maps.at[i]))
			return false;
	return !f->everything ||
	       (f->everything <= p->nmappings && same(&p->mappings[f->everything - 1], everything));
}

static int put_maps(struct tp_legacy *l, const struct finder *f)
{
	struct tp_mapping everything = {.limit = UINT64_MAX, .file = l->binary};
	struct tp_legacy_place *places = (void *)l->places.data;
	uint32_t number, before = (uint32_t)l->p->nmappings;
	int code = 0;

	if (before && has_maps(l->p, f, &everything))
		return 0;
	for (size_t i = 0; before && i < l->places.size / sizeof(*places); i++)
		places[i].mapping += places[i].mapping ? before : 0;
	for (size_t i = 0; i < f->maps.n && !code; i++)
		code = tp_profile_add_mapping(l->p, &f->maps.at[i], &number);
	if (!code && f->everything)
		code = tp_profile_add_mapping(l->p, &everything, &number);
	return tp_legacy_fail(l, code);
}

int tp_legacy_map_places(struct tp_legacy *l)
{
	const uint32_t *stack = (const void *)l->stack.data;
	struct finder f = {
	    .maps = {.at = (void *)l->maps.data, .n = l->maps.size / sizeof(struct tp_mapping)},
	    .steps = &l->spent.map_steps};
	int code;

	join(&f.maps);
	put_program_first(l, &f.maps);
	mend_first(l, &f.maps);
	code = f.maps.n >= UINT32_MAX ? TP_ELIMIT : sort_maps(&f);
	code = tp_legacy_fail(l, code);
	for (size_t i = 0; i < tp_legacy_nsamples(l) && !code; i++) {
		const struct tp_legacy_sample *s = tp_legacy_sample_at(l, i);

		for (size_t k = 0; k < s->n && !code && !tp_legacy_is_same_stack(l, i); k++)
			code = map_place(l, &f, tp_legacy_place_at(l, stack[s->at + k]));
	}
	if (!code)
		code = put_maps(l, &f);
	free(f.by_start);
	return code;
}
