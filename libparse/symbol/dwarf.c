#include "symbol/dwarf.h"

#include <dwarf.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/arena.h"
#include "base/err.h"
#include "symbol/ranges.h"

#define DEEPEST	    64			/* entries nested in one another; more is no real program */
#define MOST_DIES   (1u << 24)		/* looked at in one unit: links may lead in circles */
#define MOST_STEPS  ((uint64_t)1 << 28) /* the same of a whole file */
#define MOST_RANGES ((size_t)1 << 24)	/* of a whole file: entries may share their lists */
#define MOST_UNITS  (1u << 20)

struct unit {
	Dwarf_Off offset;
	struct tp_ranges functions; /* value: offset of the entry */
	bool read;
	const char *file, *absolute; /* the last that was put behind the unit's folder */
};

/* The qualified name of a function by the offset of its declaration. */
struct name {
	Dwarf_Off offset;
	const char *text;
};

struct tp_dwarf {
	Dwarf *dwarf;
	struct unit *unit;
	size_t nunits, unit_room;
	struct tp_ranges units; /* value: index */
	struct name *names;	/* slots, a power of two; text NULL: free */
	size_t nnames, names_room;
	struct tp_arena arena;
	uint64_t steps; /* entries looked at */
	size_t nranges;
	bool lost; /* libdw ran out of memory, see below */
};

/* ---- memory ----
 *
 * libdw has no error for want of memory: it calls a function that must not return, which ends the
 * program unless it is ours. That goes back to where libdw was called from. What libdw was about to
 * change is in no known state then, so that it is asked for nothing more, and what it has is not
 * even given back. */

static _Thread_local jmp_buf *way_out;

static __attribute__((noreturn)) void out_of_memory(void)
{
	longjmp(*way_out, 1);
}

/* One entry more is looked at; false where that was too often. */
static bool may_step(struct tp_dwarf *d)
{
	return d->steps < MOST_STEPS && ++d->steps;
}

/* ---- ranges ---- */

static int add_ranges(struct tp_dwarf *d, struct tp_ranges *to, Dwarf_Die *die, uint64_t value)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	int code = 0;

	for (; !code && d->nranges < MOST_RANGES; d->nranges++) {
		at = dwarf_ranges(die, at, &base, &low, &high);
		if (at <= 0)
			break;
		/* What the linker threw away begins at 0. */
		if (low)
			code = tp_ranges_add(to, low, high, value);
	}
	return code;
}

static int add_unit(struct tp_dwarf *d, Dwarf_Die *die)
{
	if (d->nunits == d->unit_room) {
		size_t room = d->unit_room ? 2 * d->unit_room : 64;
		struct unit *more = tp_more(d->unit, room, sizeof(*more));

		if (!more)
			return TP_ENOMEM;
		d->unit = more;
		d->unit_room = room;
	}
	d->unit[d->nunits] = (struct unit){.offset = dwarf_dieoffset(die)};
	return add_ranges(d, &d->units, die, d->nunits++);
}

static int read_units(struct tp_dwarf *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Half version;
	uint8_t type;
	Dwarf_Die die;
	int code = 0;

	/* Asking for the entry of a split unit would open the file that has it. */

	while (!code && d->nunits < MOST_UNITS &&
	       dwarf_get_units(d->dwarf, cu, &cu, &version, &type, &die, NULL) == 0)
		code = type == DW_UT_compile ? add_unit(d, &die) : 0;
	return code ? code : tp_ranges_sort(&d->units);
}

static int try_units(struct tp_dwarf *d)
{
	jmp_buf here;
	int code = TP_ENOMEM;

	way_out = &here;
	dwarf_new_oom_handler(d->dwarf, out_of_memory);
	if (setjmp(here))
		d->lost = true;
	else
		code = read_units(d);
	way_out = NULL;
	return d->lost ? TP_ENOMEM : code;
}

struct tp_dwarf *tp_dwarf_new(Elf *elf)
{
	struct tp_dwarf *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!d->dwarf || try_units(d)) {
		tp_dwarf_free(d);
		return NULL;
	}
	return d;
}

void tp_dwarf_free(struct tp_dwarf *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->nunits; i++)
		tp_ranges_release(&d->unit[i].functions);
	free(d->unit);
	tp_ranges_release(&d->units);
	free(d->names);
	tp_arena_clear(&d->arena);
	if (d->dwarf && !d->lost)
		dwarf_end(d->dwarf);
	free(d);
}

/* ---- functions of a unit ---- */

static bool holds_functions(int tag)
{
	return tag == DW_TAG_compile_unit || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_subprogram;
}

static int read_functions(struct tp_dwarf *d, struct unit *u)
{
	Dwarf_Die path[DEEPEST];
	unsigned depth = 0, seen = 0;
	int code = 0;

	u->read = true;
	if (!dwarf_offdie(d->dwarf, u->offset, &path[0]) || dwarf_child(&path[0], &path[1]))
		return tp_ranges_sort(&u->functions);
	for (depth = 1; depth && !code && seen < MOST_DIES && may_step(d); seen++) {
		Dwarf_Die *die = &path[depth];
		int tag = dwarf_tag(die);

		if (tag == DW_TAG_subprogram)
			code = add_ranges(d, &u->functions, die, dwarf_dieoffset(die));
		if (depth + 1 < DEEPEST && holds_functions(tag) &&
		    dwarf_child(die, &path[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (depth && dwarf_siblingof(&path[depth], &path[depth]) != 0)
			depth--;
	}
	return code ? code : tp_ranges_sort(&u->functions);
}

/* ---- names ---- */

static const char *text_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &a));
}

/* The entry that declares a function: behind its inlined and out-of-line copies. */
static void declaration(Dwarf_Die *die)
{
	for (int i = 0; i < 8; i++) {
		Dwarf_Attribute a;
		Dwarf_Die next;

		if ((!dwarf_attr(die, DW_AT_abstract_origin, &a) &&
		     !dwarf_attr(die, DW_AT_specification, &a)) ||
		    !dwarf_formref_die(&a, &next))
			return;
		*die = next;
	}
}

static bool has_namespaces(Dwarf_Die *die)
{
	Dwarf_Die cu;

	if (!dwarf_diecu(die, &cu, NULL, NULL))
		return false;
	switch (dwarf_srclang(&cu)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_Rust:
		return true;
	default:
		return false;
	}
}

/* The name of a namespace or type that is part of the names of what it holds, or NULL. */
static const char *scope_name(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	const char *name = dwarf_diename(die);

	if (tag == DW_TAG_namespace)
		return name ? name : "(anonymous namespace)";
	return tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
		       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type
		   ? name
		   : NULL;
}

/* What an entry stands in, outermost first, without its unit: how much of it. Entries follow one
 * another as they are nested, so at each level it is the last one that begins before. (libdw's own
 * walk, dwarf_getscopes_die, calls itself for each level, however many there are.) */
static size_t scopes_of(struct tp_dwarf *d, Dwarf_Die *die, Dwarf_Die scope[DEEPEST])
{
	Dwarf_Off offset = dwarf_dieoffset(die);
	Dwarf_Die at, next;
	size_t n = 0;

	if (!dwarf_diecu(die, &at, NULL, NULL))
		return 0;
	while (n < DEEPEST && dwarf_child(&at, &next) == 0 && dwarf_dieoffset(&next) < offset) {
		do
			at = next;
		while (may_step(d) && dwarf_siblingof(&at, &next) == 0 &&
		       dwarf_dieoffset(&next) > dwarf_dieoffset(&at) &&
		       dwarf_dieoffset(&next) <= offset);
		if (dwarf_dieoffset(&at) == offset)
			break;
		scope[n++] = at;
	}
	return n;
}

/* The type of a lambda has no name: what tells it apart is the function that it stands in. */
static const char *part_of_lambda(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	if (tag == DW_TAG_subprogram)
		return text_of(die, DW_AT_name);
	if ((tag == DW_TAG_class_type || tag == DW_TAG_structure_type) && !dwarf_diename(die))
		return "<lambda>";
	return scope_name(die);
}

/* "std::vector<int>::push_back": the names of what a declaration stands in, and its own. */
static const char *qualify(struct tp_dwarf *d, Dwarf_Die *decl, const char *name)
{
	const char *(*part_name)(Dwarf_Die *) =
	    strcmp(name, "operator()") != 0 ? scope_name : part_of_lambda;
	Dwarf_Die scope[DEEPEST];
	size_t n = scopes_of(d, decl, scope), size = strlen(name) + 1;
	char *text, *at;

	for (size_t i = 0; i < n; i++)
		size += part_name(&scope[i]) ? strlen(part_name(&scope[i])) + 2 : 0;
	text = at = tp_arena_alloc(&d->arena, size);
	for (size_t i = 0; at && i < n; i++) {
		const char *part = part_name(&scope[i]);

		if (part)
			at += snprintf(at, size - (size_t)(at - text), "%s::", part);
	}
	if (at)
		memcpy(at, name, strlen(name) + 1);
	return text ? text : name;
}

static int grow_names(struct tp_dwarf *d)
{
	size_t room = d->names_room ? 2 * d->names_room : 256;
	struct name *more;

	if (d->nnames * 2 < d->names_room)
		return 0;
	more = calloc(room, sizeof(*more));
	if (!more)
		return TP_ENOMEM;
	for (size_t i = 0; i < d->names_room; i++) {
		size_t at = (size_t)(d->names[i].offset * 0x9e3779b97f4a7c15u >> 20);

		if (!d->names[i].text)
			continue;
		while (more[at & (room - 1)].text)
			at++;
		more[at & (room - 1)] = d->names[i];
	}
	free(d->names);
	d->names = more;
	d->names_room = room;
	return 0;
}

/* Finding what a declaration stands in is a walk over its unit, so it is done once. */
static const char *qualified(struct tp_dwarf *d, Dwarf_Die *die, const char *name)
{
	Dwarf_Die decl = *die;
	Dwarf_Off offset;
	size_t at;

	declaration(&decl);
	offset = dwarf_dieoffset(&decl);
	if (!has_namespaces(&decl) || grow_names(d))
		return name;
	at = (size_t)(offset * 0x9e3779b97f4a7c15u >> 20);
	while (d->names[at & (d->names_room - 1)].text) {
		if (d->names[at & (d->names_room - 1)].offset == offset)
			return d->names[at & (d->names_room - 1)].text;
		at++;
	}
	name = qualify(d, &decl, name);
	d->names[at & (d->names_room - 1)] = (struct name){offset, name};
	d->nnames++;
	return name;
}

static void name_frame(struct tp_dwarf *d, Dwarf_Die *die, struct tp_symbol *s)
{
	const char *name = text_of(die, DW_AT_name);
	const char *linkage = text_of(die, DW_AT_linkage_name);
	int line;

	if (!linkage)
		linkage = text_of(die, DW_AT_MIPS_linkage_name);
	name = name ? qualified(d, die, name) : linkage;
	s->name = name ? name : "";
	s->system_name = linkage ? linkage : s->name;
	if (dwarf_decl_line(die, &line) == 0 && line > 0)
		s->start_line = line;
}

/* ---- lines ---- */

/* A name that is relative to the folder in which the unit was compiled. */
static const char *absolute(struct tp_dwarf *d, struct unit *u, Dwarf_Die *cu, const char *file)
{
	const char *folder;
	size_t size;
	char *text;

	if (!file || *file == '/' || file == u->file)
		return !file ? "" : *file == '/' ? file : u->absolute;
	folder = text_of(cu, DW_AT_comp_dir);
	if (!folder || *folder != '/')
		return file;
	size = strlen(folder) + 1 + strlen(file) + 1;
	text = tp_arena_alloc(&d->arena, size);
	if (!text)
		return file;
	snprintf(text, size, "%s/%s", folder, file);
	u->file = file;
	u->absolute = text;
	return text;
}

static void place(struct tp_dwarf *d, struct unit *u, Dwarf_Die *cu, uint64_t address,
		  struct tp_symbol *s)
{
	Dwarf_Line *line = dwarf_getsrc_die(cu, address);
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int n;

	s->file = absolute(d, u, cu, file);
	if (line && dwarf_lineno(line, &n) == 0 && n > 0)
		s->line = n;
}

static int64_t number_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Attribute a;
	Dwarf_Word value;

	if (!dwarf_attr(die, attribute, &a) || dwarf_formudata(&a, &value) || value > INT32_MAX)
		return 0;
	return (int64_t)value;
}

/* Where an inlined function was called. */
static void call_place(struct tp_dwarf *d, struct unit *u, Dwarf_Die *cu, Dwarf_Die *call,
		       struct tp_symbol *s)
{
	int64_t number = number_of(call, DW_AT_call_file);
	Dwarf_Files *files;
	const char *file = NULL;
	size_t n;

	if (dwarf_getsrcfiles(cu, &files, &n) == 0 && (size_t)number < n)
		file = dwarf_filesrc(files, (size_t)number, NULL, NULL);
	s->file = absolute(d, u, cu, file);
	s->line = number_of(call, DW_AT_call_line);
}

/* ---- look-up ---- */

/* The inlined calls within a function at an address, outermost first. */
static size_t inlined_calls(struct tp_dwarf *d, Dwarf_Die *function, uint64_t address,
			    Dwarf_Die *call, size_t room)
{
	Dwarf_Die at = *function, child;
	size_t n = 0;

	for (unsigned depth = 0; depth < 4 * TP_SYMBOL_FRAMES; depth++) {
		bool found = false;

		if (dwarf_child(&at, &child))
			break;
		do {
			int tag = dwarf_tag(&child);

			found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
				 tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
				dwarf_haspc(&child, address) == 1;
		} while (!found && may_step(d) && dwarf_siblingof(&child, &child) == 0);
		if (!found)
			break;
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
			if (n == room)
				break;
			call[n++] = child;
		}
		at = child;
	}
	return n;
}

static size_t look_up(struct tp_dwarf *d, uint64_t address, struct tp_symbol *chain, size_t room)
{
	const struct tp_range *in_unit = tp_ranges_find(&d->units, address), *in_function;
	Dwarf_Die cu, function, call[TP_SYMBOL_FRAMES];
	struct unit *u;
	size_t calls, n = 0;

	if (!in_unit || !room)
		return 0;
	u = &d->unit[in_unit->value];
	if (!dwarf_offdie(d->dwarf, u->offset, &cu) || (!u->read && read_functions(d, u)))
		return 0;
	memset(chain, 0, sizeof(*chain));
	place(d, u, &cu, address, chain);
	in_function = tp_ranges_find(&u->functions, address);
	if (!in_function || !dwarf_offdie(d->dwarf, in_function->value, &function)) {
		chain->name = chain->system_name = "";
		return chain->line ? 1 : 0;
	}
	calls = inlined_calls(d, &function, address, call,
			      room < TP_SYMBOL_FRAMES ? room - 1 : TP_SYMBOL_FRAMES - 1);
	for (; calls; calls--) {
		name_frame(d, &call[calls - 1], &chain[n++]);
		memset(&chain[n], 0, sizeof(chain[n]));
		call_place(d, u, &cu, &call[calls - 1], &chain[n]);
	}
	name_frame(d, &function, &chain[n++]);
	return n;
}

size_t tp_dwarf_lookup(struct tp_dwarf *d, uint64_t address, struct tp_symbol *chain, size_t room)
{
	jmp_buf here;
	size_t n = 0;

	if (d->lost)
		return 0;
	way_out = &here;
	if (setjmp(here))
		d->lost = true;
	else
		n = look_up(d, address, chain, room);
	way_out = NULL;
	return d->lost ? 0 : n;
}
