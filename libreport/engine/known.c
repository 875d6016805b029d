/* The stacks of all picked profiles by hash, and their conversion into stacks of one profile. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "engine/profiles.h"

/* ---- stacks ---- */

static uint64_t hash_of(const struct rep_profiles *p, const uint8_t *hash)
{
	uint64_t h;

	memcpy(&h, hash, sizeof(h));
	return tp_mix64(p->seed, h);
}

/* Finds a stack by its hash and sets *number. Returns false if it is unknown. */
static bool find_stack(const struct rep_profiles *p, const uint8_t *hash, uint32_t *number)
{
	uint64_t h = hash_of(p, hash);

	for (struct tp_probe at = {0}; tp_table_next(&p->by_hash, h, &at);) {
		if (!memcmp(p->stack[at.row].hash, hash, REP_STACK_HASH)) {
			*number = at.row;
			return true;
		}
	}
	return false;
}

/* Memory of a stack besides its row in the spool: the array may have twice the room it needs, the
 * table four times. */
#define STACK_HELD (2 * sizeof(struct known_stack) + 4 * sizeof(struct tp_table_slot))

static int add_stack(struct rep_profiles *p, const uint8_t *hash, uint32_t size, struct tp_err *err)
{
	struct known_stack s = {.at = p->stacks.size, .size = size};
	int code;

	if (rep_held_add(p->f->held, STACK_HELD, err))
		return err->code;
	code = tp_grow_raw(&p->stack, &p->stack_room, p->nstacks, sizeof(s));
	if (!code)
		code = tp_table_add(&p->by_hash, hash_of(p, hash), p->nstacks);
	if (code)
		return rep_fetch_checked(code, err);
	memcpy(s.hash, hash, REP_STACK_HASH);
	p->stack[p->nstacks++] = s;
	return 0;
}

enum { TEXTS = 0, WIDE = 8, NARROW = 4, BYTES = 1 };

/* functions, files, lines, columns, marks, system_names, start_lines, mappings, addresses, flags */
static const int stack_column[] = {TEXTS, TEXTS, WIDE, WIDE, BYTES,
				   TEXTS, WIDE,	 WIDE, WIDE, NARROW};
/* Splits a stack's row into its columns; each cursor then reads *n values. Returns false if the
 * columns differ in length. */
static bool split_stack(struct tp_cursor *c, struct tp_cursor column[NCOLUMNS], uint64_t *n)
{
	bool same = true;

	*n = 0;
	for (int i = 0; i < NCOLUMNS; i++) {
		int width = stack_column[i];
		uint64_t count = rep_row_get_count(c, width ? (unsigned)width : 1);

		if (!i)
			*n = count;
		same = same && count == *n;
		column[i] = *c;
		if (width)
			tp_cursor_bytes(c, count * (unsigned)width);
		for (uint64_t k = 0; k < count && !width && !c->failed; k++)
			rep_row_get_text(c);
	}
	return same;
}

static int on_stack(void *ctx, struct tp_cursor *c, struct tp_err *err)
{
	struct rep_profiles *p = ctx;
	struct tp_cursor column[NCOLUMNS];
	struct tp_slice hash = tp_cursor_bytes(c, REP_STACK_HASH);
	const uint8_t *from = c->at;
	uint32_t number;
	uint64_t n;
	bool same = split_stack(c, column, &n);

	if (c->failed || !hash.data)
		return 0;
	if (!same)
		return rep_fetch_odd(err, "a stack whose columns differ in length");
	if (find_stack(p, hash.data, &number))
		return 0;
	if (add_stack(p, hash.data, (uint32_t)(c->at - from), err))
		return err->code;
	return rep_spool_put(&p->stacks, from, (size_t)(c->at - from), err);
}

int rep_fetch_stacks(struct rep_profiles *p, struct tp_err *err)
{
	struct tp_buf s = {0};
	int code;

	p->seed = tp_seed();
	code = rep_spool_begin(&p->stacks, p->f->path, err);
	if (code)
		return code;
	tp_buf_text(&s, "SELECT ");
	rep_engine_put_columns(&s, REP_ENGINE_STACK, 0);
	rep_sql_put(&s, p->f->at,
		    " FROM @stack WHERE stack GLOBAL IN (SELECT DISTINCT stack FROM @bucket");
	rep_fetch_put_loads(&s, p->f, rep_fetch_is_profile);
	tp_buf_text(&s, ")");
	code = rep_engine_ask(p->f->link, &s, on_stack, p, err);
	return code ? code : rep_spool_end(&p->stacks, err);
}

/* ---- stacks of a profile ---- */

static int find_location(const struct current *now, uint64_t mapping, uint64_t address,
			 uint32_t flags, uint32_t *id)
{
	struct tp_location l = {.address = address, .flags = flags};
	size_t lo = 0, hi = mapping ? now->profile->nmappings : 0, n = hi;

	/* Find the first mapping with this key. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (now->place[now->by_key[mid]].key < mapping)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < n && now->place[now->by_key[lo]].key == mapping) {
		l.mapping = now->by_key[lo];
		l.address += now->place[l.mapping].start;
	}
	return tp_dict_location(now->profile->dict, &l, id);
}

static int next_frame(const struct current *now, struct tp_cursor column[NCOLUMNS],
		      struct tp_frame *f)
{
	struct texts t = {.profile = now->profile};
	struct tp_function function = {
	    .name = rep_fetch_intern(&t, rep_row_get_text(&column[FUNCTIONS]))};
	uint64_t marks, mapping, address;
	uint32_t flags;
	int code;

	function.file = rep_fetch_intern(&t, rep_row_get_text(&column[FILES]));
	function.system_name = rep_fetch_intern(&t, rep_row_get_text(&column[SYSTEM_NAMES]));
	function.start_line = (int64_t)rep_row_get(&column[START_LINES], 8);
	f->line = (int64_t)rep_row_get(&column[LINES], 8);
	f->column = (int64_t)rep_row_get(&column[COLUMNS], 8);
	marks = rep_row_get(&column[MARKS], 1);
	mapping = rep_row_get(&column[MAPPINGS], 8);
	address = rep_row_get(&column[ADDRESSES], 8);
	flags = (uint32_t)rep_row_get(&column[FLAGS], 4);
	f->inlined = marks & 1;
	f->function = f->location = 0;
	code = t.code;
	if (!code && marks & 2)
		code = tp_dict_function(now->profile->dict, &function, &f->function);
	if (!code && marks & 4)
		code = find_location(now, mapping, address, flags, &f->location);
	return code;
}

/* Returns the size of the dictionary's entries without texts. */
static size_t entries_size(const struct tp_profile *p)
{
	const struct tp_dict *d = p->dict;

	return tp_dict_strings(d) * sizeof(struct tp_text) +
	       tp_dict_functions(d) * sizeof(struct tp_function) +
	       tp_dict_locations(d) * sizeof(struct tp_location) +
	       tp_dict_frames(d) * sizeof(struct tp_frame) +
	       tp_dict_stacks(d) * sizeof(struct tp_stack_node) + p->nlabels * sizeof(*p->labels) +
	       p->nsets * sizeof(*p->sets);
}

struct measured rep_fetch_measure(const struct tp_profile *p)
{
	return (struct measured){entries_size(p), tp_dict_strings(p->dict)};
}

int rep_fetch_hold(struct rep_profiles *p, struct measured before, struct tp_err *err)
{
	const struct tp_profile *of = p->now.profile;
	size_t more = entries_size(of) - before.entries;

	for (uint32_t i = before.strings; i < tp_dict_strings(of->dict); i++)
		more += tp_dict_text(of->dict, i).size;
	if (rep_held_add(p->f->held, more, err))
		return err->code;
	p->now.held += more;
	return 0;
}

int rep_fetch_stack(struct rep_profiles *p, const uint8_t *hash, uint32_t *node, struct tp_err *err)
{
	static const uint8_t none[REP_STACK_HASH];
	struct tp_cursor column[NCOLUMNS], c;
	struct current *now = &p->now;
	struct measured before;
	uint32_t number;
	uint64_t n;
	int code = 0;

	*node = 0;
	if (!memcmp(hash, none, sizeof(none)))
		return 0;
	if (!find_stack(p, hash, &number))
		return rep_fetch_checked(TP_EFORMAT, err);
	if (now->node[number]) {
		*node = now->node[number] - 1;
		return 0;
	}
	c = tp_cursor(p->stacks.data + p->stack[number].at, p->stack[number].size);
	split_stack(&c, column, &n);
	before = rep_fetch_measure(now->profile);
	for (uint64_t i = 0; i < n && !code; i++) {
		struct tp_frame f = {0};
		uint32_t id;

		code = next_frame(now, column, &f);
		if (!code)
			code = tp_dict_frame(now->profile->dict, &f, &id);
		if (!code)
			code = tp_dict_stack(now->profile->dict, *node, id, node);
	}
	now->node[number] = *node + 1;
	return code ? rep_fetch_checked(code, err) : rep_fetch_hold(p, before, err);
}
