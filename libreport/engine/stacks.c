/* Identifies stacks by content: they are the same in every run, wherever its program was loaded. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "engine/binary.h"
#include "engine/inside.h"

#define MOST_SENT ((size_t)1 << 23) /* hashes remembered; sending a stack twice does no harm */

/* ---- mappings ---- */

/* Hash at most this many bytes of a name: paths are shorter, and many mappings may share a long
 * name. */
#define MOST_NAME 65536

/* Hashes a mapping as merging compares them (profile/merge/translate.c): by size in whole pages,
 * offset, and build id or else name. */
static uint64_t mapping_key(const struct tp_dict *dict, const struct tp_mapping *m, uint64_t nth)
{
	struct tp_text name = tp_dict_text(dict, m->build_id ? m->build_id : m->file);
	uint64_t size = m->limit - m->start + 0xfff;
	uint64_t key = tp_mix64(tp_mix64(tp_mix64(1, size - size % 0x1000), m->offset), nth);

	key = XXH3_64bits_withSeed(name.text, name.size < MOST_NAME ? name.size : MOST_NAME, key);
	return key ? key : 1;
}

struct rep_mapping_place *rep_mapping_places(const struct tp_dict *dict,
					     const struct tp_mapping *mappings, size_t n)
{
	struct rep_mapping_place *place = calloc(n + 1, sizeof(*place));
	uint64_t *key = tp_many(n + 1, sizeof(*key));

	if (!place || !key) {
		free(place);
		free(key);
		return NULL;
	}
	/* Counts equal mappings among the 1000 before it. Few are alike, so most keep their first
	 * key. */
	for (size_t i = 0; i < n; i++) {
		uint64_t nth = 0;

		key[i] = mapping_key(dict, &mappings[i], 0);
		for (size_t k = i; k-- > 0 && nth < 1000 && i - k < 1000;)
			nth += key[k] == key[i];
		place[i + 1] = (struct rep_mapping_place){
		    nth ? mapping_key(dict, &mappings[i], nth) : key[i], mappings[i].start};
	}
	free(key);
	return place;
}

static struct rep_mapping_place place_of(const struct rep_stack_hashes *h,
					 const struct tp_location *l)
{
	return l->mapping && l->mapping < h->nplaces ? h->place[l->mapping]
						     : (struct rep_mapping_place){0};
}

/* ---- hashes ---- */

static void add_number(XXH3_state_t *s, uint64_t n)
{
	uint8_t le[8];

	for (int i = 0; i < 8; i++)
		le[i] = (uint8_t)(n >> 8 * i);
	XXH3_128bits_update(s, le, sizeof(le));
}

static void add_text(XXH3_state_t *s, struct tp_text t)
{
	add_number(s, t.size);
	XXH3_128bits_update(s, t.text, t.size);
}

static void hash_frame(XXH3_state_t *s, const struct rep_stack_hashes *h, uint32_t id, uint8_t *to)
{
	struct tp_frame frame = tp_dict_frame_at(h->dict, id);
	struct tp_function f = tp_dict_function_at(h->dict, frame.function);
	struct tp_location l = tp_dict_location_at(h->dict, frame.location);
	struct rep_mapping_place p = place_of(h, &l);
	const uint64_t numbers[] = {(uint64_t)f.start_line,
				    (uint64_t)frame.line,
				    (uint64_t)frame.column,
				    frame.inlined,
				    frame.function != 0,
				    frame.location != 0,
				    p.key,
				    l.address - p.start,
				    l.flags};
	XXH128_canonical_t canonical;

	XXH3_128bits_reset(s);
	add_text(s, tp_dict_text(h->dict, f.name));
	add_text(s, tp_dict_text(h->dict, f.system_name));
	add_text(s, tp_dict_text(h->dict, f.file));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		add_number(s, numbers[i]);
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(s));
	memcpy(to, canonical.digest, REP_STACK_HASH);
}

int rep_stack_hashes_make(struct rep_stack_hashes *h, struct tp_err *err)
{
	uint32_t nframes = tp_dict_frames(h->dict), nstacks = tp_dict_stacks(h->dict);
	const struct tp_stack_node *node = tp_dict_stack_nodes(h->dict);
	uint8_t(*frame)[REP_STACK_HASH] = tp_many(nframes, sizeof(*frame));
	XXH3_state_t *s = XXH3_createState();

	h->of = tp_many(nstacks, sizeof(*h->of));
	if (frame && h->of && s) {
		for (uint32_t i = 0; i < nframes; i++)
			hash_frame(s, h, i, frame[i]);
		memset(h->of[0], 0, REP_STACK_HASH);
		for (uint32_t i = 1; i < nstacks; i++) {
			uint8_t both[2 * REP_STACK_HASH];
			XXH128_canonical_t canonical;

			memcpy(both, h->of[node[i].parent], REP_STACK_HASH);
			memcpy(both + REP_STACK_HASH,
			       frame[node[i].frame < nframes ? node[i].frame : 0], REP_STACK_HASH);
			XXH128_canonicalFromHash(&canonical, XXH3_128bits(both, sizeof(both)));
			memcpy(h->of[i], canonical.digest, REP_STACK_HASH);
		}
	}
	free(frame);
	XXH3_freeState(s);
	return frame && h->of && s ? 0 : tp_nomem(err);
}

void rep_stack_hashes_release(struct rep_stack_hashes *h)
{
	free(h->of);
	h->of = NULL;
}

/* ---- the set ---- */

int rep_stack_set_add(struct rep_stack_set *s, const uint8_t hash[REP_STACK_HASH])
{
	uint64_t h;

	if (s->n >= MOST_SENT)
		rep_stack_set_release(s);
	if (!s->n)
		s->seed = tp_seed();
	memcpy(&h, hash, sizeof(h));
	h = tp_mix64(s->seed, h);
	for (struct tp_probe p = {0}; tp_table_next(&s->table, h, &p);)
		if (!memcmp(s->hash[p.row], hash, REP_STACK_HASH))
			return 0;
	if (tp_grow_raw(&s->hash, &s->room, s->n, sizeof(*s->hash)) ||
	    tp_table_add(&s->table, h, s->n))
		return TP_ENOMEM;
	memcpy(s->hash[s->n++], hash, REP_STACK_HASH);
	return 1;
}

void rep_stack_set_release(struct rep_stack_set *s)
{
	free(s->hash);
	tp_table_release(&s->table);
	*s = (struct rep_stack_set){0};
}

/* ---- the row ---- */

static void put_value(struct tp_buf *rows, const struct rep_stack_hashes *h,
		      enum stack_column column, uint32_t id)
{
	struct tp_frame frame = tp_dict_frame_at(h->dict, id);
	struct tp_function f = tp_dict_function_at(h->dict, frame.function);
	struct tp_location l = tp_dict_location_at(h->dict, frame.location);
	struct rep_mapping_place p = place_of(h, &l);
	struct tp_text t;

	switch (column) {
	case FUNCTIONS:
	case FILES:
	case SYSTEM_NAMES:
		t = tp_dict_text(h->dict, column == FUNCTIONS ? f.name
					  : column == FILES   ? f.file
							      : f.system_name);
		rep_row_put_text(rows, t.text, t.size);
		break;
	case LINES:
		rep_row_put(rows, (uint64_t)frame.line, 8);
		break;
	case COLUMNS:
		rep_row_put(rows, (uint64_t)frame.column, 8);
		break;
	case MARKS:
		/* Flags: inlined; has a function; has a location. */
		rep_row_put(rows,
			    (frame.inlined & 1u) | (frame.function ? 2u : 0) |
				(frame.location ? 4u : 0),
			    1);
		break;
	case START_LINES:
		rep_row_put(rows, (uint64_t)f.start_line, 8);
		break;
	case MAPPINGS:
		rep_row_put(rows, p.key, 8);
		break;
	case ADDRESSES:
		rep_row_put(rows, l.address - p.start, 8);
		break;
	case FLAGS:
	case NCOLUMNS:
		rep_row_put(rows, l.flags, 4);
		break;
	}
}

void rep_stack_put(struct tp_buf *rows, const struct rep_stack_hashes *h, uint32_t node)
{
	size_t n = tp_dict_stack_at(h->dict, node).depth, i = n;
	uint32_t *frame = calloc(n + 1, sizeof(*frame)); /* root first */

	if (!frame) {
		tp_buf_fail(rows);
		return;
	}
	for (uint32_t at = node; at && i; at = tp_dict_stack_at(h->dict, at).parent)
		frame[--i] = tp_dict_stack_at(h->dict, at).frame;
	tp_buf_put(rows, h->of[node], REP_STACK_HASH);
	for (int c = 0; c < NCOLUMNS; c++) {
		tp_buf_put_uvarint(rows, n);
		for (i = 0; i < n; i++)
			put_value(rows, h, (enum stack_column)c, frame[i]);
	}
	free(frame);
}
