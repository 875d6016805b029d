#include "decode/dict.h"

#include <stdlib.h>
#include <string.h>
/* So that the recorder does not load the library for a few hashes. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/many.h"
#include "base/big.h"
#include "base/seed.h"
#include "decode/dict_tables.h"

#define MAX_ENTRIES ((uint32_t)1 << 30) /* they take half of 2^31 slots */
#define LASTING	    ((size_t)1 << 20)	/* bytes; limit on a dictionary for many profiles */

/* ---- the tables ---- */

int tp_dict_room_slow(struct tp_dict_set *s, size_t more, size_t size)
{
	size_t room = s->room ? s->room : 256;
	void *p;

	if (more >= MAX_ENTRIES || s->n + more > MAX_ENTRIES)
		return TP_ELIMIT;
	while (room < s->n + more)
		room *= 2;
	p = room <= SIZE_MAX / size ? tp_more(s->entry, room, size) : NULL;
	if (!p)
		return TP_ENOMEM;
	s->entry = p;
	s->room = (uint32_t)room;
	return 0;
}

/* Grows the array to n entries, which must be more than it has room for. */
static int reserve(struct tp_dict_set *s, size_t n, size_t size)
{
	void *p = n <= MAX_ENTRIES ? tp_big_many(n, size) : NULL;

	if (!p)
		return n > MAX_ENTRIES ? TP_ELIMIT : TP_ENOMEM;
	memcpy(p, s->entry, s->n * size);
	free(s->entry);
	s->entry = p;
	s->room = (uint32_t)n;
	return 0;
}

/* Grows the table of slots. It is not a base/table.h because it uses huge pages and entries may get
 * their slots later. */
int tp_dict_slots_grow(struct tp_dict_set *s, uint32_t entries)
{
	uint32_t size = s->slots ? (s->mask + 1) * 2 : 1024;
	struct tp_dict_slot *slots;

	while (size / 2 < entries)
		size *= 2;
	slots = tp_big_zeroed(size, sizeof(*slots));
	if (!slots)
		return TP_ENOMEM;
	for (uint32_t i = 0; s->slots && i <= s->mask; i++) {
		uint32_t at = s->slots[i].tag & (size - 1);

		if (!s->slots[i].id)
			continue;
		while (slots[at].id)
			at = (at + 1) & (size - 1);
		slots[at] = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->mask = size - 1;
	return 0;
}

/* How the entries of a set are hashed and compared. */
struct kind {
	size_t size;
	/* Seeded, so that an input cannot be made to collide. */
	uint64_t (*hash)(uint64_t seed, const void *entry);
	tp_dict_same same;
};

/* Gives appended entries their slots; of equal entries only the first gets one. */
static int index_entries(struct tp_dict_set *s, const struct kind *k)
{
	if (!s->indexed)
		s->indexed = 1; /* the empty entry needs no slot */
	for (; s->indexed < s->n; s->indexed++) {
		const void *entry = (const char *)s->entry + s->indexed * k->size;
		uint64_t hash = k->hash(s->seed, entry);
		uint32_t at;

		if (tp_dict_slot_room(s, s->room))
			return TP_ENOMEM;
		if (tp_dict_find(s, hash, k->same, entry, &at))
			continue;
		s->slots[at] = (struct tp_dict_slot){tp_dict_tag(s, hash), s->indexed};
		s->used++;
	}
	return 0;
}

/* Sets *id to the id of the entry, or to 0 with *at set to the slot for it. */
static int look_up(struct tp_dict_set *s, const struct kind *k, uint64_t hash, const void *entry,
		   uint32_t *id, uint32_t *at)
{
	if ((s->indexed < s->n && index_entries(s, k)) || tp_dict_slot_room(s, s->room))
		return TP_ENOMEM;
	*id = tp_dict_find(s, hash, k->same, entry, at);
	return 0;
}

/* Appends an entry, for which there must be room, and fills its slot. Returns its id. */
static uint32_t put(struct tp_dict_set *s, const struct kind *k, uint64_t hash, const void *entry,
		    uint32_t at)
{
	memcpy((char *)s->entry + s->n * k->size, entry, k->size);
	s->slots[at] = (struct tp_dict_slot){tp_dict_tag(s, hash), s->n};
	s->used++;
	s->indexed = s->n + 1;
	return s->n++;
}

static int intern(struct tp_dict_set *s, const struct kind *k, const void *entry, uint32_t *id)
{
	uint64_t hash = k->hash(s->seed, entry);
	uint32_t at;
	int code;

	*id = 0;
	if (k->same(s, 0, entry))
		return 0;
	code = look_up(s, k, hash, entry, id, &at);
	if (code || *id)
		return code;
	code = tp_dict_room(s, 1, k->size);
	if (!code)
		*id = put(s, k, hash, entry, at);
	return code;
}

static int append(struct tp_dict_set *s, const void *entry, size_t size, uint32_t *id)
{
	int code = tp_dict_room(s, 1, size);

	if (code)
		return code;
	memcpy((char *)s->entry + s->n * size, entry, size);
	*id = s->n++;
	return 0;
}

/* ---- strings ---- */

static uint64_t hash_string(uint64_t seed, const void *entry)
{
	const struct tp_dict_string *s = entry;

	return XXH3_64bits_withSeed(s->text, s->size, seed);
}

static bool same_string(const struct tp_dict_set *s, uint32_t id, const void *key)
{
	const struct tp_dict_string *a = (const struct tp_dict_string *)s->entry + id, *b = key;

	return a->size == b->size && !memcmp(a->text, b->text, a->size);
}

static const struct kind string_kind = {sizeof(struct tp_dict_string), hash_string, same_string};

int tp_dict_string(struct tp_dict *d, const void *data, size_t size, uint32_t *id)
{
	struct tp_dict_string s = {.text = data, .size = (uint32_t)size};
	uint64_t hash;
	uint32_t at;
	int code;

	*id = 0;
	if (!size)
		return 0;
	if (size >= UINT32_MAX)
		return TP_ELIMIT;
	hash = hash_string(d->strings.seed, &s);
	code = look_up(&d->strings, &string_kind, hash, &s, id, &at);
	if (code || *id)
		return code;
	code = tp_dict_room(&d->strings, 1, sizeof(s));
	if (code)
		return code;
	s.text = tp_arena_strndup(&d->texts, data, size);
	if (!s.text)
		return TP_ENOMEM;
	*id = put(&d->strings, &string_kind, hash, &s, at);
	return 0;
}

int tp_dict_append_string(struct tp_dict *d, const void *data, size_t size, uint32_t *id)
{
	struct tp_dict_string s = {.size = (uint32_t)size};

	*id = 0;
	if (size >= UINT32_MAX)
		return TP_ELIMIT;
	s.text = tp_arena_strndup(&d->texts, data, size);
	return s.text ? append(&d->strings, &s, sizeof(s), id) : TP_ENOMEM;
}

/* ---- functions, locations, frames ---- */

static uint64_t hash_function(uint64_t seed, const void *entry)
{
	const struct tp_function *f = entry;

	seed = tp_mix64(seed, (uint64_t)f->name << 32 | f->system_name);
	return tp_mix64(tp_mix64(seed, f->file), (uint64_t)f->start_line);
}

static bool same_function(const struct tp_dict_set *s, uint32_t id, const void *key)
{
	const struct tp_function *a = (const struct tp_function *)s->entry + id, *b = key;

	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->start_line == b->start_line;
}

static uint64_t hash_location(uint64_t seed, const void *entry)
{
	const struct tp_location *l = entry;

	return tp_mix64(tp_mix64(seed, l->address), (uint64_t)l->mapping << 32 | l->flags);
}

static bool same_location(const struct tp_dict_set *s, uint32_t id, const void *key)
{
	const struct tp_location *a = (const struct tp_location *)s->entry + id, *b = key;

	return a->address == b->address && a->mapping == b->mapping && a->flags == b->flags;
}

static uint64_t hash_frame(uint64_t seed, const void *entry)
{
	const struct tp_frame *f = entry;

	seed = tp_mix64(seed, (uint64_t)f->function << 32 | f->location);
	return tp_mix64(tp_mix64(seed, (uint64_t)f->line), (uint64_t)f->column << 1 | f->inlined);
}

static bool same_frame(const struct tp_dict_set *s, uint32_t id, const void *key)
{
	const struct tp_frame *a = (const struct tp_frame *)s->entry + id, *b = key;

	return a->function == b->function && a->location == b->location && a->line == b->line &&
	       a->column == b->column && a->inlined == b->inlined;
}

static const struct kind function_kind = {sizeof(struct tp_function), hash_function, same_function};
static const struct kind location_kind = {sizeof(struct tp_location), hash_location, same_location};
static const struct kind frame_kind = {sizeof(struct tp_frame), hash_frame, same_frame};

int tp_dict_function(struct tp_dict *d, const struct tp_function *f, uint32_t *id)
{
	return intern(&d->functions, &function_kind, f, id);
}

int tp_dict_location(struct tp_dict *d, const struct tp_location *l, uint32_t *id)
{
	return intern(&d->locations, &location_kind, l, id);
}

int tp_dict_frame(struct tp_dict *d, const struct tp_frame *f, uint32_t *id)
{
	return intern(&d->frames, &frame_kind, f, id);
}

int tp_dict_rename_function(struct tp_dict *d, uint32_t function, uint32_t name)
{
	struct tp_function *f = d->functions.entry;

	if (!function || function >= d->functions.n || name >= d->strings.n)
		return TP_EFORMAT;
	if (f[function].name == name)
		return 0;
	f[function].name = name;
	d->changed = true;
	return 0;
}

int tp_dict_retext(struct tp_dict *d, uint32_t string, const void *data, size_t size)
{
	struct tp_dict_string *s = d->strings.entry;
	char *copy;

	if (!string || string >= d->strings.n || size >= UINT32_MAX)
		return TP_EFORMAT;
	copy = tp_arena_alloc(&d->texts, size + 1);
	if (!copy)
		return TP_ENOMEM;
	memcpy(copy, data, size);
	copy[size] = '\0';
	s[string] = (struct tp_dict_string){copy, (uint32_t)size};
	d->changed = true;
	return 0;
}

int tp_dict_append_function(struct tp_dict *d, const struct tp_function *f, uint32_t *id)
{
	if (f->name >= d->strings.n || f->system_name >= d->strings.n || f->file >= d->strings.n)
		return TP_EFORMAT;
	return append(&d->functions, f, sizeof(*f), id);
}

int tp_dict_append_location(struct tp_dict *d, const struct tp_location *l, uint32_t *id)
{
	return append(&d->locations, l, sizeof(*l), id);
}

int tp_dict_append_frame(struct tp_dict *d, const struct tp_frame *f, uint32_t *id)
{
	if (f->function >= d->functions.n || f->location >= d->locations.n)
		return TP_EFORMAT;
	return append(&d->frames, f, sizeof(*f), id);
}

/* ---- lifecycle ---- */

int tp_dict_reserve(struct tp_dict *d, const struct tp_dict_sizes *n)
{
	const struct {
		struct tp_dict_set *set;
		size_t n, size;
	} sets[] = {
	    {&d->strings, n->strings, string_kind.size},
	    {&d->functions, n->functions, function_kind.size},
	    {&d->locations, n->locations, location_kind.size},
	    {&d->frames, n->frames, frame_kind.size},
	    {&d->stacks, n->stacks, sizeof(struct tp_stack_node)},
	};
	int code = 0;

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]) && !code; i++)
		if (sets[i].n > sets[i].set->room)
			code = reserve(sets[i].set, sets[i].n, sets[i].size);
	return code;
}

bool tp_dict_lasts(const struct tp_dict *d)
{
	size_t size = d->texts.total +
		      (d->strings.n + d->functions.n) * sizeof(struct tp_function) +
		      (d->locations.n + d->frames.n) * sizeof(struct tp_frame);

	return !d->changed && size < LASTING;
}

void tp_dict_drop_stacks(struct tp_dict *d)
{
	free(d->stacks.slots);
	d->stacks.slots = NULL;
	d->stacks.used = d->stacks.mask = d->stacks.indexed = 0;
	d->stacks.n = 1; /* the empty one */
	d->hashes->n = 0;
}

static const char *const known_strings[] = {
#define TP_X(name, text) text,
    TP_KNOWN_STRINGS(TP_X)
#undef TP_X
};

/* Adds the empty entry 0 of each kind. It has no slot: interning compares with it first. */
static int add_empty(struct tp_dict *d)
{
	static const struct tp_dict_string string = {.text = ""};
	static const struct tp_function function;
	static const struct tp_location location;
	static const struct tp_frame frame;
	static const struct tp_stack_node node;
	uint32_t id;

	return append(&d->strings, &string, sizeof(string), &id) ||
	       append(&d->functions, &function, sizeof(function), &id) ||
	       append(&d->locations, &location, sizeof(location), &id) ||
	       append(&d->frames, &frame, sizeof(frame), &id) ||
	       append(&d->stacks, &node, sizeof(node), &id);
}

static struct tp_dict *new_with(size_t known)
{
	struct tp_dict *d = calloc(1, sizeof(*d));
	int code;

	if (!d)
		return NULL;
	d->strings.seed = d->functions.seed = d->locations.seed = d->frames.seed = d->stacks.seed =
	    tp_seed();
	d->hashes = calloc(1, sizeof(*d->hashes));
	code = !d->hashes || add_empty(d);
	for (size_t i = 0; i < known && !code; i++) {
		uint32_t id;

		code = tp_dict_append_string(d, known_strings[i], strlen(known_strings[i]), &id);
	}
	if (!code)
		return d;
	tp_dict_free(d);
	return NULL;
}

struct tp_dict *tp_dict_new(void)
{
	return new_with(sizeof(known_strings) / sizeof(known_strings[0]));
}

struct tp_dict *tp_dict_new_stored(void)
{
	return new_with(TP_STR_SINCE_2 - 1); /* minus the empty one */
}

void tp_dict_free(struct tp_dict *d)
{
	struct tp_dict_set *sets[5];

	if (!d)
		return;
	sets[0] = &d->strings;
	sets[1] = &d->functions;
	sets[2] = &d->locations;
	sets[3] = &d->frames;
	sets[4] = &d->stacks;
	for (size_t i = 0; i < 5; i++) {
		free(sets[i]->entry);
		free(sets[i]->slots);
	}
	free(d->links);
	if (d->hashes)
		free(d->hashes->of);
	free(d->hashes);
	tp_arena_clear(&d->texts);
	free(d);
}

/* ---- look-ups ---- */

uint32_t tp_dict_strings(const struct tp_dict *d)
{
	return d->strings.n;
}

uint32_t tp_dict_functions(const struct tp_dict *d)
{
	return d->functions.n;
}

uint32_t tp_dict_locations(const struct tp_dict *d)
{
	return d->locations.n;
}

uint32_t tp_dict_frames(const struct tp_dict *d)
{
	return d->frames.n;
}

struct tp_text tp_dict_text(const struct tp_dict *d, uint32_t id)
{
	const struct tp_dict_string *s =
	    (const struct tp_dict_string *)d->strings.entry + (id < d->strings.n ? id : 0);

	return (struct tp_text){s->text, s->size};
}

struct tp_function tp_dict_function_at(const struct tp_dict *d, uint32_t id)
{
	return ((const struct tp_function *)d->functions.entry)[id < d->functions.n ? id : 0];
}

struct tp_location tp_dict_location_at(const struct tp_dict *d, uint32_t id)
{
	return ((const struct tp_location *)d->locations.entry)[id < d->locations.n ? id : 0];
}

struct tp_frame tp_dict_frame_at(const struct tp_dict *d, uint32_t id)
{
	return ((const struct tp_frame *)d->frames.entry)[id < d->frames.n ? id : 0];
}

uint32_t tp_dict_frame_name(const struct tp_dict *d, uint32_t frame)
{
	return tp_dict_function_at(d, tp_dict_frame_at(d, frame).function).name;
}

uint64_t tp_dict_string_hash(const struct tp_dict *d, uint32_t id)
{
	struct tp_text t = tp_dict_text(d, id);

	return XXH3_64bits(t.text, t.size);
}
