/* Every kind of entry lives in one growing array, its id being its place, with an open-addressed
 * hash table beside it. A slot keeps a tag made from the hash: it finds the slot, rejects most
 * others without a look at the entry, and lets the table grow without hashing anything again. */
#include "decode/dict.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/arena.h"
#include "base/seed.h"

#define MAX_ENTRIES ((uint32_t)1 << 30) /* then half of 2^31 slots are taken */

struct slot {
	uint32_t tag; /* of the content */
	uint32_t id;  /* 0: free */
};

struct set {
	struct slot *slots;
	uint32_t mask; /* slots - 1 */
	uint32_t n;    /* entries, the empty one included */
	uint32_t room; /* for entries */
	uint64_t seed; /* of the tags */
};

struct string {
	const char *text;
	uint64_t hash;
	uint32_t size;
};

struct frame {
	struct tp_frame f;
	uint64_t hash; /* of name, file and line */
};

struct node {
	struct tp_stack_node n;
	uint32_t root; /* frame nearest to the root */
	uint64_t hash; /* of the contents of its frames, root first */
};

struct tp_dict {
	struct set strings, functions, locations, frames, stacks;
	struct string *string;
	struct tp_function *function;
	struct tp_location *location;
	struct frame *frame;
	struct node *node;
	struct tp_arena texts;
	uint32_t indexed; /* strings below it have a hash, and a slot */
};

/* Odd constants of splitmix64: enough to spread small numbers over 64 bits. */
static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xbf58476d1ce4e5b9u;
	h ^= h >> 29;
	h *= 0x94d049bb133111ebu;
	return h ^ h >> 32;
}

/* Content hashes are kept in stores: the same on every machine, so they go through XXH3. */
static uint64_t hash_words(const uint64_t *words, size_t n)
{
	uint8_t bytes[4 * 8];

	for (size_t i = 0; i < n * 8; i++)
		bytes[i] = (uint8_t)(words[i / 8] >> (i % 8 * 8));
	return XXH3_64bits(bytes, n * 8);
}

static uint32_t tag_of(const struct set *s, uint64_t hash)
{
	return (uint32_t)(mix(s->seed, hash) >> 32);
}

static int grow_slots(struct set *s)
{
	uint32_t size = s->slots ? (s->mask + 1) * 2 : 1024;
	struct slot *slots = calloc(size, sizeof(*slots));

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

/* Room for one more entry: afterwards nothing can fail. At most half of the slots are taken. */
static int make_room(struct set *s, void **entries, size_t size)
{
	if (s->n >= MAX_ENTRIES)
		return TP_ELIMIT;
	if ((!s->slots || s->n >= (s->mask + 1) / 2) && grow_slots(s))
		return TP_ENOMEM;
	if (s->n == s->room) {
		size_t room = s->room ? (size_t)s->room * 2 : 256;
		void *p = room <= SIZE_MAX / size ? realloc(*entries, room * size) : NULL;

		if (!p)
			return TP_ENOMEM;
		*entries = p;
		s->room = (uint32_t)room;
	}
	return 0;
}

typedef bool (*same_fn)(const struct tp_dict *d, uint32_t id, const void *key);

/* The id of the entry with this content, or 0; *at is then where its slot goes. */
static inline uint32_t find(const struct tp_dict *d, const struct set *s, uint64_t hash,
			    same_fn same, const void *key, uint32_t *at)
{
	uint32_t tag = tag_of(s, hash);

	for (*at = tag & s->mask; s->slots[*at].id; *at = (*at + 1) & s->mask)
		if (s->slots[*at].tag == tag && same(d, s->slots[*at].id, key))
			return s->slots[*at].id;
	return 0;
}

static uint32_t take(struct set *s, uint32_t at, uint64_t hash)
{
	s->slots[at] = (struct slot){tag_of(s, hash), s->n};
	return s->n++;
}

static const char *const known_strings[] = {
#define TP_X(name, text) text,
    TP_KNOWN_STRINGS(TP_X)
#undef TP_X
};

struct tp_dict *tp_dict_new(void)
{
	struct tp_dict *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->strings.seed = d->functions.seed = d->locations.seed = d->frames.seed = d->stacks.seed =
	    tp_seed();
	if (make_room(&d->strings, (void **)&d->string, sizeof(*d->string)) ||
	    make_room(&d->functions, (void **)&d->function, sizeof(*d->function)) ||
	    make_room(&d->locations, (void **)&d->location, sizeof(*d->location)) ||
	    make_room(&d->frames, (void **)&d->frame, sizeof(*d->frame)) ||
	    make_room(&d->stacks, (void **)&d->node, sizeof(*d->node))) {
		tp_dict_free(d);
		return NULL;
	}
	/* Entry 0 of each is the empty one; it has no slot, interning knows it by its content. */
	d->string[0] = (struct string){.text = "", .hash = XXH3_64bits("", 0)};
	d->function[0] = (struct tp_function){0};
	d->location[0] = (struct tp_location){0};
	d->frame[0] = (struct frame){0};
	d->node[0] = (struct node){0};
	d->strings.n = d->functions.n = d->locations.n = d->frames.n = d->stacks.n = 1;
	d->indexed = 1;
	d->frame[0].hash = hash_words((uint64_t[]){d->string[0].hash, d->string[0].hash, 0, 0}, 4);
	for (size_t i = 0; i < sizeof(known_strings) / sizeof(known_strings[0]); i++) {
		uint32_t id;

		if (tp_dict_string(d, known_strings[i], strlen(known_strings[i]), &id)) {
			tp_dict_free(d);
			return NULL;
		}
	}
	return d;
}

void tp_dict_free(struct tp_dict *d)
{
	if (!d)
		return;
	free(d->strings.slots);
	free(d->functions.slots);
	free(d->locations.slots);
	free(d->frames.slots);
	free(d->stacks.slots);
	free(d->string);
	free(d->function);
	free(d->location);
	free(d->frame);
	free(d->node);
	tp_arena_clear(&d->texts);
	free(d);
}

static bool same_string(const struct tp_dict *d, uint32_t id, const void *key)
{
	const struct string *a = &d->string[id], *b = key;

	return a->hash == b->hash && a->size == b->size && !memcmp(a->text, b->text, a->size);
}

/* Room for one more string, not counting a slot. */
static int grow_strings(struct tp_dict *d)
{
	struct set *s = &d->strings;
	size_t room = s->room ? (size_t)s->room * 2 : 256;
	struct string *p;

	if (s->n >= MAX_ENTRIES)
		return TP_ELIMIT;
	if (s->n < s->room)
		return 0;
	p = realloc(d->string, room * sizeof(*p));
	if (!p)
		return TP_ENOMEM;
	d->string = p;
	s->room = (uint32_t)room;
	return 0;
}

int tp_dict_append_string(struct tp_dict *d, const void *data, size_t size, uint32_t *id)
{
	const char *text;
	int code;

	if (size >= UINT32_MAX)
		return TP_ELIMIT;
	code = grow_strings(d);
	if (code)
		return code;
	text = tp_arena_strndup(&d->texts, data, size);
	if (!text)
		return TP_ENOMEM;
	*id = d->strings.n++;
	d->string[*id] = (struct string){.text = text, .size = (uint32_t)size};
	return 0;
}

/* Gives appended strings their hashes and slots. */
static int index_strings(struct tp_dict *d)
{
	for (; d->indexed < d->strings.n; d->indexed++) {
		struct string *s = &d->string[d->indexed];
		uint32_t at;

		while (d->strings.n >= (d->strings.mask + 1) / 2) {
			if (grow_slots(&d->strings))
				return TP_ENOMEM;
		}
		s->hash = XXH3_64bits(s->text, s->size);
		if (!find(d, &d->strings, s->hash, same_string, s, &at))
			d->strings.slots[at] =
			    (struct slot){tag_of(&d->strings, s->hash), d->indexed};
	}
	return 0;
}

int tp_dict_string(struct tp_dict *d, const void *data, size_t size, uint32_t *id)
{
	struct string s = {.text = data, .size = (uint32_t)size};
	uint32_t at;
	int code;

	*id = 0;
	if (!size)
		return 0;
	if (size >= UINT32_MAX)
		return TP_ELIMIT;
	if (d->indexed < d->strings.n && index_strings(d))
		return TP_ENOMEM;
	s.hash = XXH3_64bits(data, size);
	*id = find(d, &d->strings, s.hash, same_string, &s, &at);
	if (*id)
		return 0;
	code = make_room(&d->strings, (void **)&d->string, sizeof(*d->string));
	if (code)
		return code;
	s.text = tp_arena_strndup(&d->texts, data, size);
	if (!s.text)
		return TP_ENOMEM;
	find(d, &d->strings, s.hash, same_string, &s, &at);
	*id = take(&d->strings, at, s.hash);
	d->string[*id] = s;
	d->indexed = d->strings.n;
	return 0;
}

static bool same_function(const struct tp_dict *d, uint32_t id, const void *key)
{
	const struct tp_function *a = &d->function[id], *b = key;

	return a->name == b->name && a->system_name == b->system_name && a->file == b->file &&
	       a->start_line == b->start_line;
}

int tp_dict_function(struct tp_dict *d, const struct tp_function *f, uint32_t *id)
{
	uint64_t hash =
	    mix(mix((uint64_t)f->name << 32 | f->system_name, f->file), (uint64_t)f->start_line);
	uint32_t at;
	int code;

	*id = 0;
	if (same_function(d, 0, f))
		return 0;
	*id = find(d, &d->functions, hash, same_function, f, &at);
	if (*id)
		return 0;
	code = make_room(&d->functions, (void **)&d->function, sizeof(*d->function));
	if (code)
		return code;
	find(d, &d->functions, hash, same_function, f, &at);
	*id = take(&d->functions, at, hash);
	d->function[*id] = *f;
	return 0;
}

static bool same_location(const struct tp_dict *d, uint32_t id, const void *key)
{
	const struct tp_location *a = &d->location[id], *b = key;

	return a->address == b->address && a->mapping == b->mapping && a->flags == b->flags;
}

int tp_dict_location(struct tp_dict *d, const struct tp_location *l, uint32_t *id)
{
	uint64_t hash = mix(mix(1, l->address), (uint64_t)l->mapping << 32 | l->flags);
	uint32_t at;
	int code;

	*id = 0;
	if (same_location(d, 0, l))
		return 0;
	*id = find(d, &d->locations, hash, same_location, l, &at);
	if (*id)
		return 0;
	code = make_room(&d->locations, (void **)&d->location, sizeof(*d->location));
	if (code)
		return code;
	find(d, &d->locations, hash, same_location, l, &at);
	*id = take(&d->locations, at, hash);
	d->location[*id] = *l;
	return 0;
}

static bool same_frame(const struct tp_dict *d, uint32_t id, const void *key)
{
	const struct tp_frame *a = &d->frame[id].f, *b = key;

	return a->function == b->function && a->location == b->location && a->line == b->line &&
	       a->column == b->column && a->inlined == b->inlined;
}

/* Names, files and lines only: a program that was built again keeps its hashes. A frame without a
 * function has nothing but its address to tell it from others. */
static uint64_t frame_content(const struct tp_dict *d, const struct tp_frame *f)
{
	struct tp_function fn = tp_dict_function_at(d, f->function);
	uint64_t words[4] = {tp_dict_string_hash(d, fn.name), tp_dict_string_hash(d, fn.file),
			     (uint64_t)f->line, 0};

	if (!f->function)
		words[3] = tp_dict_location_at(d, f->location).address;
	return hash_words(words, 4);
}

int tp_dict_frame(struct tp_dict *d, const struct tp_frame *f, uint32_t *id)
{
	uint64_t hash = mix(mix((uint64_t)f->function << 32 | f->location, (uint64_t)f->line),
			    (uint64_t)f->column << 1 | f->inlined);
	uint32_t at;
	int code;

	*id = 0;
	if (same_frame(d, 0, f))
		return 0;
	*id = find(d, &d->frames, hash, same_frame, f, &at);
	if (*id)
		return 0;
	code = make_room(&d->frames, (void **)&d->frame, sizeof(*d->frame));
	if (code)
		return code;
	find(d, &d->frames, hash, same_frame, f, &at);
	*id = take(&d->frames, at, hash);
	d->frame[*id] = (struct frame){*f, frame_content(d, f)};
	return 0;
}

static bool same_stack(const struct tp_dict *d, uint32_t id, const void *key)
{
	const struct tp_stack_node *a = &d->node[id].n, *b = key;

	return a->parent == b->parent && a->frame == b->frame;
}

int tp_dict_stack(struct tp_dict *d, uint32_t parent, uint32_t frame, uint32_t *id)
{
	struct tp_stack_node n = {parent, frame, 0};
	uint64_t hash = mix(2, (uint64_t)parent << 32 | frame);
	uint32_t at;
	int code;

	*id = find(d, &d->stacks, hash, same_stack, &n, &at);
	if (*id)
		return 0;
	code = make_room(&d->stacks, (void **)&d->node, sizeof(*d->node));
	if (code)
		return code;
	/* Ids that were never given stand for the empty entry, as in every look-up. */
	if (parent >= d->stacks.n)
		n.parent = 0;
	if (frame >= d->frames.n)
		n.frame = 0;
	if (n.parent != parent || n.frame != frame)
		return tp_dict_stack(d, n.parent, n.frame, id);
	find(d, &d->stacks, hash, same_stack, &n, &at);
	*id = take(&d->stacks, at, hash);
	n.depth = d->node[parent].n.depth + 1;
	d->node[*id] = (struct node){
	    .n = n,
	    .root = parent ? d->node[parent].root : frame,
	    .hash = hash_words((uint64_t[]){d->node[parent].hash, d->frame[frame].hash}, 2),
	};
	return 0;
}

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

uint32_t tp_dict_stacks(const struct tp_dict *d)
{
	return d->stacks.n;
}

struct tp_text tp_dict_text(const struct tp_dict *d, uint32_t id)
{
	const struct string *s = &d->string[id < d->strings.n ? id : 0];

	return (struct tp_text){s->text, s->size};
}

struct tp_function tp_dict_function_at(const struct tp_dict *d, uint32_t id)
{
	return d->function[id < d->functions.n ? id : 0];
}

struct tp_location tp_dict_location_at(const struct tp_dict *d, uint32_t id)
{
	return d->location[id < d->locations.n ? id : 0];
}

struct tp_frame tp_dict_frame_at(const struct tp_dict *d, uint32_t id)
{
	return d->frame[id < d->frames.n ? id : 0].f;
}

struct tp_stack_node tp_dict_stack_at(const struct tp_dict *d, uint32_t id)
{
	return d->node[id < d->stacks.n ? id : 0].n;
}

uint32_t tp_dict_frame_name(const struct tp_dict *d, uint32_t frame)
{
	return tp_dict_function_at(d, tp_dict_frame_at(d, frame).function).name;
}

uint32_t tp_dict_stack_root(const struct tp_dict *d, uint32_t stack)
{
	return d->node[stack < d->stacks.n ? stack : 0].root;
}

uint64_t tp_dict_string_hash(const struct tp_dict *d, uint32_t id)
{
	const struct string *s = &d->string[id < d->strings.n ? id : 0];

	return id < d->strings.n && id >= d->indexed ? XXH3_64bits(s->text, s->size) : s->hash;
}

uint64_t tp_dict_stack_hash(const struct tp_dict *d, uint32_t stack)
{
	return d->node[stack < d->stacks.n ? stack : 0].hash;
}
