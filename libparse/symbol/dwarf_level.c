/* The children of entries, by address or by offset; each entry is read once. */
#include <dwarf.h>
#include <stdlib.h>

#include "base/err.h"
#include "symbol/dwarf_inside.h"

int tp_dwarf_add_ranges(struct tp_dwarf *d, struct tp_ranges *to, Dwarf_Die *die, uint64_t value)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	int code = 0;

	/* Each call of libdw searches the attributes for the list. */
	while (!code && tp_dwarf_look(d, die)) {
		at = dwarf_ranges(die, at, &base, &low, &high);
		if (at <= 0)
			break;
		/* A range that the linker has dropped begins at 0. */
		if (!low)
			continue;
		if (!d->ranges)
			return TP_ELIMIT;
		d->ranges--;
		code = tp_ranges_add(to, low, high, value);
	}
	return code;
}

/* ---- levels ---- */

static int add_calls(struct tp_dwarf *d, struct tp_dwarf_level *level, Dwarf_Die *child)
{
	int tag = dwarf_tag(child);

	if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block &&
	    tag != DW_TAG_try_block && tag != DW_TAG_catch_block)
		return 0;
	return tp_dwarf_add_ranges(d, &level->ranges, child,
				   2 * dwarf_dieoffset(child) + (tag == DW_TAG_inlined_subroutine));
}

static int read_calls(struct tp_dwarf *d, struct tp_dwarf_level *level, Dwarf_Die *parent)
{
	Dwarf_Die child;
	int code = 0;

	if (dwarf_child(parent, &child))
		return 0;
	do
		code = tp_dwarf_look(d, &child) ? add_calls(d, level, &child) : TP_ELIMIT;
	while (!code && dwarf_siblingof(&child, &child) == 0);
	return code;
}

/* Entries are stored in the order of their nesting: each reaches to the next one. */
static int read_scope(struct tp_dwarf *d, struct tp_dwarf_level *level, Dwarf_Die *parent)
{
	Dwarf_Die child, next;
	bool more;
	int code = 0;

	if (dwarf_child(parent, &next))
		return 0;
	do {
		Dwarf_Off at;

		child = next;
		at = dwarf_dieoffset(&child);
		if (!tp_dwarf_look(d, &child) || !d->ranges)
			return TP_ELIMIT;
		d->ranges--;
		more = dwarf_siblingof(&child, &next) == 0 && dwarf_dieoffset(&next) > at;
		code = tp_ranges_add(&level->ranges, at, more ? dwarf_dieoffset(&next) : UINT64_MAX,
				     at);
	} while (!code && more);
	return code;
}

typedef int (*read_fn)(struct tp_dwarf *d, struct tp_dwarf_level *level, Dwarf_Die *parent);

static int fill(struct tp_dwarf *d, struct tp_dwarf_level *level, Dwarf_Off parent, read_fn read)
{
	Dwarf_Die die;
	int code;

	if (!dwarf_offdie(d->dwarf, parent, &die))
		return 0;
	code = tp_dwarf_look(d, &die) ? read(d, level, &die) : TP_ELIMIT;
	if (!code)
		code = tp_ranges_sort(&level->ranges);
	for (size_t i = 1; i < level->ranges.n && !code && !level->overlap; i++)
		level->overlap = level->ranges.reach[i - 1] > level->ranges.range[i].low;
	return code;
}

static const struct tp_dwarf_level *level_of(struct tp_dwarf *d, struct tp_memo *levels,
					     Dwarf_Off parent, read_fn read)
{
	struct tp_dwarf_level *level = tp_memo_get(levels, parent, 0);

	if (level)
		return level;
	level = calloc(1, sizeof(*level));
	if (!level || tp_memo_put(levels, parent, 0, level)) {
		free(level);
		d->spent = true;
		return NULL;
	}
	if (fill(d, level, parent, read))
		d->spent = true;
	return d->spent ? NULL : level;
}

const struct tp_dwarf_level *tp_dwarf_calls(struct tp_dwarf *d, Dwarf_Off parent)
{
	return level_of(d, &d->calls, parent, read_calls);
}

const struct tp_dwarf_level *tp_dwarf_scope(struct tp_dwarf *d, Dwarf_Off parent)
{
	return level_of(d, &d->scopes, parent, read_scope);
}

const struct tp_range *tp_dwarf_find(struct tp_dwarf *d, const struct tp_dwarf_level *level,
				     uint64_t address)
{
	const struct tp_ranges *r = &level->ranges;
	const struct tp_range *first = NULL;

	if (!tp_dwarf_pay(d, 1 + (level->overlap ? r->n / 32 : 0)))
		return NULL;
	if (!level->overlap)
		return tp_ranges_find(r, address);
	for (size_t i = 0; i < r->n && r->range[i].low <= address; i++)
		if (r->range[i].high > address && (!first || r->range[i].value < first->value))
			first = &r->range[i];
	return first;
}

void tp_dwarf_release_levels(struct tp_memo *levels)
{
	for (size_t i = 0; i < levels->n; i++) {
		struct tp_dwarf_level *level = levels->entry[i].kept;

		tp_ranges_release(&level->ranges);
		free(level);
	}
	tp_memo_release(levels);
}
