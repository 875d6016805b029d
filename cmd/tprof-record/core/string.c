/* Strings, label sets and modules: data that is appended to the arena and never changes. The tables that find
 * existing entries are private; lookups take no lock. */
#include "tprof-record/core/inside.h"

#include <string.h>

static uint64_t hash_of(const void *data, size_t size)
{
	const unsigned char *p = data;
	uint64_t h = 0xcbf29ce484222325u; /* FNV-1a */
	size_t i;

	for (i = 0; i < size; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

/* Compares the entry at `offset` with `data`. */
typedef bool same_fn(uint32_t offset, const void *data, size_t size);

static bool same_string(uint32_t offset, const void *data, size_t size)
{
	const char *text = rec_core->arena.strings + offset;

	/* Memory beyond `used` may not be reserved. */
	return size < atomic_load_explicit(&rec_core->arena.header->strings.used,
					   memory_order_relaxed) -
			  offset &&
	       !memcmp(text, data, size) && !text[size];
}

static bool same_set(uint32_t offset, const void *data, size_t size)
{
	const uint32_t *set = rec_core->arena.sets + offset;

	return set[0] == size / 8 && !memcmp(set + 1, data, size);
}

/* The first tries are within one page, which is enough for most programs: each page that is touched is a page fault. */
enum { FIRST = REC_PAGE / sizeof(uint32_t), FIRST_TRIES = 16 };

static uint32_t look_up(_Atomic uint32_t *table, uint32_t n, same_fn *same, const void *data,
			size_t size, _Atomic uint32_t **place)
{
	uint32_t hash = (uint32_t)hash_of(data, size), tries;

	*place = NULL;
	for (tries = 0; tries < n / 8; tries++) {
		uint32_t i = (hash + tries) & ((tries < FIRST_TRIES ? FIRST : n) - 1);
		uint32_t offset = atomic_load_explicit(&table[i], memory_order_acquire);

		if (!offset) {
			*place = &table[i];
			return 0;
		}
		if (same(offset, data, size))
			return offset;
	}
	return 0;
}

/* Reserves `size` more entries of the part. Returns their offset, or 0 if there is no room (counted). Expects
 * the lock. */
static uint32_t more(enum rec_part part, struct rec_growth *growth, uint32_t limit, size_t size)
{
	uint32_t used = atomic_load_explicit(&growth->used, memory_order_relaxed);

	if (size > limit - used || !rec_reserve(part, used + (uint32_t)size)) {
		rec_lose(REC_LOST_STRINGS, 1);
		return 0;
	}
	return used;
}

static uint32_t add_string(const void *text, size_t size)
{
	struct rec_growth *growth = &rec_core->arena.header->strings;
	uint32_t at = more(REC_PART_strings, growth, REC_STRING_BYTES, size + 1);

	if (at) {
		memcpy(rec_core->arena.strings + at, text, size);
		rec_core->arena.strings[at + size] = 0;
		atomic_store_explicit(&growth->used, at + (uint32_t)size + 1, memory_order_release);
	}
	return at;
}

static uint32_t add_set(const void *pairs, size_t size)
{
	struct rec_growth *growth = &rec_core->arena.header->sets;
	size_t n = size / 8;
	uint32_t at = more(REC_PART_sets, growth, REC_NSETS * 16, 1 + 2 * n);

	if (at) {
		uint32_t *set = rec_core->arena.sets + at;

		set[0] = (uint32_t)n;
		memcpy(set + 1, pairs, size);
		atomic_store_explicit(&growth->used, at + 1 + 2 * (uint32_t)n,
				      memory_order_release);
	}
	return at;
}

/* Returns the offset of `data`, and adds it if it is missing. Returns 0 if there is no room. */
static uint32_t intern(_Atomic uint32_t *table, uint32_t n, same_fn *same,
		       uint32_t (*add)(const void *data, size_t size), const void *data,
		       size_t size)
{
	_Atomic uint32_t *lock = &rec_state()->string_lock, *place;
	uint32_t at = look_up(table, n, same, data, size, &place);

	if (at)
		return at;
	rec_lock(lock);
	at = look_up(table, n, same, data, size, &place);
	if (!at) {
		at = add(data, size);
		if (at && place)
			atomic_store_explicit(place, at, memory_order_release);
	}
	rec_unlock(lock);
	return at;
}

uint32_t rec_string_inside(const char *text, size_t size)
{
	const char *end = memchr(text, 0, size);

	if (end)
		size = (size_t)(end - text);
	if (!size || size >= REC_STRING_BYTES)
		return 0;
	return intern(rec_state()->names, REC_NNAMES, same_string, add_string, text, size);
}

uint32_t rec_string(const char *text, size_t size)
{
	uint32_t at;

	if (!rec_enter())
		return 0;
	at = rec_string_inside(text, size);
	rec_leave();
	return at;
}

uint32_t rec_label_set(const uint32_t *pairs, size_t n)
{
	uint32_t at;

	if (!n || n > REC_NSETS || !rec_enter())
		return 0;
	at = intern(rec_state()->labels, REC_NLABELS, same_set, add_set, pairs, n * 8);
	rec_leave();
	return at;
}

uint32_t rec_module_add(const struct rec_module *module)
{
	struct rec_growth *growth;
	uint32_t at = 0, used;

	if (!rec_enter())
		return 0;
	growth = &rec_core->arena.header->modules;
	rec_lock(&rec_state()->string_lock);
	used = atomic_load_explicit(&growth->used, memory_order_relaxed);
	if (used < REC_NMODULES && rec_reserve(REC_PART_modules, used + 1)) {
		struct rec_module *m = &rec_core->arena.modules[used];

		m->start = module->start;
		m->limit = module->limit;
		m->offset = module->offset;
		m->file = module->file;
		m->build_id = module->build_id;
		atomic_store_explicit(&m->gone, 0, memory_order_relaxed);
		at = used + 1;
		atomic_store_explicit(&growth->used, at, memory_order_release);
	}
	rec_unlock(&rec_state()->string_lock);
	if (!at)
		rec_lose(REC_LOST_MODULES, 1);
	rec_leave();
	return at;
}
