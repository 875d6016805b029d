/* The reader of DWARF, and the limits of its work; shared by dwarf*.c only.
 *
 * libdw checks every offset, but does not limit the work that a hostile file causes: entries can
 * share lists of ranges, units can share abbreviations and lines, many entries can have the same
 * siblings, and an entry can have a hundred thousand attributes without size. So work is counted
 * before it is done, and each list is read once. The limits grow with the file; a real file needs a
 * fraction of them. Once one is reached, nothing more is found (`spent`). */
#ifndef TP_SYMBOL_DWARF_INSIDE_H
#define TP_SYMBOL_DWARF_INSIDE_H

#include "base/arena.h"
#include "symbol/dwarf.h"
#include "symbol/memo.h"
#include "symbol/ranges.h"

#define TP_DWARF_DEEPEST 64 /* levels of nested entries; real programs have fewer */
#define TP_DWARF_COSTS	 256

struct tp_dwarf_unit {
	Dwarf_Off offset;
	struct tp_ranges functions; /* value: offset of the entry */
	bool read;
	bool asked_lines, has_lines;
};

/* The children of an entry. */
struct tp_dwarf_level {
	struct tp_ranges ranges;
	bool overlap; /* several can contain an address: then the first entry counts */
};

struct tp_dwarf {
	Dwarf *dwarf;
	Elf *elf;
	bool big_endian;
	struct tp_dwarf_unit *unit;
	size_t nunits, unit_room;
	struct tp_ranges units; /* value: index */
	struct tp_arena arena;

	/* By offset of an entry: inlined calls in it; all entries in it; its name. By offset of a
	 * declaration: the qualified name. By file and unit: the absolute path. By offset in their
	 * section: tables of abbreviations, of lines. */
	struct tp_memo calls, scopes, names, qualified, paths, tables, lines;

	/* The remaining allowances. */
	uint64_t steps;	 /* one for each entry or range read and each 16 bytes of text made */
	uint64_t ranges; /* ranges kept */
	uint64_t abbreviations, line_bytes;
	bool spent;
	struct tp_dwarf_bytes {
		const uint8_t *at;
		size_t size;
		bool known;
	} abbrev, line; /* the sections, once known */
	struct {
		Dwarf_Abbrev *of;
		uint64_t cost;
		bool strings;	 /* the entry itself has strings */
	} costs[TP_DWARF_COSTS]; /* cache by abbreviation */

	bool lost; /* libdw ran out of memory */
};

/* Pays n steps. Returns false if too few are left, and at all later calls. */
bool tp_dwarf_pay(struct tp_dwarf *d, uint64_t n);
/* Pays for reading an entry, in proportion to its attributes and to the strings that it contains:
 * libdw searches for the ends of strings to find the attributes after them. */
bool tp_dwarf_look(struct tp_dwarf *d, Dwarf_Die *die);
/* Returns whether the compressed sections stay within the limit. Called before libdw unpacks them. */
bool tp_dwarf_affordable(Elf *elf, uint64_t size);
/* Pays for a unit with abbreviations at an offset, which libdw reads for each unit. */
bool tp_dwarf_pay_unit(struct tp_dwarf *d, Dwarf_Off abbreviations);
/* Pays for the lines of a unit. Returns whether it has lines and they could be paid. */
bool tp_dwarf_has_lines(struct tp_dwarf *d, struct tp_dwarf_unit *u, Dwarf_Die *cu);

/* Adds the ranges of an entry. Returns 0, TP_ENOMEM or TP_ELIMIT. */
int tp_dwarf_add_ranges(struct tp_dwarf *d, struct tp_ranges *to, Dwarf_Die *die, uint64_t value);
/* Return the children of an entry: inlined calls and blocks by address (value: 2 * offset of the
 * entry, and 1 more for a call); all children by offset. NULL if a limit is reached, or when memory
 * is out. */
const struct tp_dwarf_level *tp_dwarf_calls(struct tp_dwarf *d, Dwarf_Off parent);
const struct tp_dwarf_level *tp_dwarf_scope(struct tp_dwarf *d, Dwarf_Off parent);
/* Returns the first range that contains an address, or NULL. */
const struct tp_range *tp_dwarf_find(struct tp_dwarf *d, const struct tp_dwarf_level *level,
				     uint64_t address);
void tp_dwarf_release_levels(struct tp_memo *levels);

/* The function of an entry, and the place of the call if it is an inlined one. */
struct tp_dwarf_name {
	const char *name, *system_name;
	int64_t start_line, call_file, call_line;
};

/* Returns NULL if a limit is reached, or when memory is out. */
const struct tp_dwarf_name *tp_dwarf_name(struct tp_dwarf *d, Dwarf_Off entry);
const char *tp_dwarf_text(struct tp_dwarf *d, Dwarf_Die *die, unsigned attribute);
/* Allocates memory for a text, and pays for it. Returns NULL in the same cases. */
char *tp_dwarf_alloc(struct tp_dwarf *d, size_t size);

#endif
