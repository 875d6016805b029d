/* What reads DWARF, and what that may cost; shared by dwarf*.c only.
 *
 * libdw checks every offset, but not what a file makes it do: entries may share their lists of
 * ranges, units their abbreviations and lines, siblings may be the same for many, and an entry may
 * have a hundred thousand attributes of no size. So all is counted before it is done, and each list
 * is read once. What may be done grows with the file: a real one has each thing once, and needs a
 * fraction of that. When it is used up nothing more is found (`spent`). */
#ifndef TP_SYMBOL_DWARF_INSIDE_H
#define TP_SYMBOL_DWARF_INSIDE_H

#include "base/arena.h"
#include "symbol/dwarf.h"
#include "symbol/memo.h"
#include "symbol/ranges.h"

#define TP_DWARF_DEEPEST 64 /* entries nested in one another; more is no real program */
#define TP_DWARF_COSTS	 256

struct tp_dwarf_unit {
	Dwarf_Off offset;
	struct tp_ranges functions; /* value: offset of the entry */
	bool read;
	bool asked_lines, has_lines;
};

/* What an entry holds. */
struct tp_dwarf_level {
	struct tp_ranges ranges;
	bool overlap; /* several may hold an address: then the first entry counts */
};

struct tp_dwarf {
	Dwarf *dwarf;
	Elf *elf;
	bool big_endian;
	struct tp_dwarf_unit *unit;
	size_t nunits, unit_room;
	struct tp_ranges units; /* value: index */
	struct tp_arena arena;

	/* By offset of an entry: its level of calls; the same of all entries; its name. By offset
	 * of a declaration: the qualified name. By file and unit: the absolute path. By offset in
	 * their section: tables of abbreviations, of lines. */
	struct tp_memo calls, scopes, names, qualified, paths, tables, lines;

	/* What may be done still. */
	uint64_t steps;	 /* entries and ranges looked at, bytes of text made (16 for one) */
	uint64_t ranges; /* kept */
	uint64_t abbreviations, line_bytes;
	bool spent;
	struct tp_dwarf_bytes {
		const uint8_t *at;
		size_t size;
		bool known; /* it was looked for */
	} abbrev, line;	    /* the sections */
	struct {
		Dwarf_Abbrev *of;
		uint64_t cost;
		bool strings;	 /* within the entry */
	} costs[TP_DWARF_COSTS]; /* by abbreviation, the last of those that share a place */

	bool lost; /* libdw ran out of memory */
};

/* Pays n steps; false, for ever after, where there are too few. */
bool tp_dwarf_pay(struct tp_dwarf *d, uint64_t n);
/* Pays for a look at an entry, which is more the more attributes it has, and the longer the texts
 * are that it holds itself: libdw looks for their ends to find what is behind them. */
bool tp_dwarf_look(struct tp_dwarf *d, Dwarf_Die *die);
/* The file gives out too little for what it makes of it; false before libdw opened it. */
bool tp_dwarf_affordable(Elf *elf, uint64_t size);
/* Pays for a unit with abbreviations at that offset, which libdw reads for each unit. */
bool tp_dwarf_pay_unit(struct tp_dwarf *d, Dwarf_Off abbreviations);
/* May the lines of a unit be asked for? */
bool tp_dwarf_has_lines(struct tp_dwarf *d, struct tp_dwarf_unit *u, Dwarf_Die *cu);

/* Adds the ranges of an entry. 0, TP_ENOMEM, TP_ELIMIT. */
int tp_dwarf_add_ranges(struct tp_dwarf *d, struct tp_ranges *to, Dwarf_Die *die, uint64_t value);
/* What an entry holds: inlined calls and blocks by address (value: offset of the entry twice, and
 * one more for a call); all of it by offset. NULL where that is too much, or memory is out. */
const struct tp_dwarf_level *tp_dwarf_calls(struct tp_dwarf *d, Dwarf_Off parent);
const struct tp_dwarf_level *tp_dwarf_scope(struct tp_dwarf *d, Dwarf_Off parent);
/* The first that holds it; NULL: none. */
const struct tp_range *tp_dwarf_find(struct tp_dwarf *d, const struct tp_dwarf_level *level,
				     uint64_t address);
void tp_dwarf_release_levels(struct tp_memo *levels);

/* Function and place of call of an entry. */
struct tp_dwarf_name {
	const char *name, *system_name;
	int64_t start_line, call_file, call_line;
};

/* NULL where that is too much, or memory is out. */
const struct tp_dwarf_name *tp_dwarf_name(struct tp_dwarf *d, Dwarf_Off entry);
const char *tp_dwarf_text(struct tp_dwarf *d, Dwarf_Die *die, unsigned attribute);
/* Paid for; NULL as above. */
char *tp_dwarf_alloc(struct tp_dwarf *d, size_t size);

#endif
