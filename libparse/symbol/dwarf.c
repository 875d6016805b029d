#include <dwarf.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/many.h"
#include "symbol/dwarf_inside.h"

#define MOST_UNITS (1u << 20)
/* Limits of a file, besides those in proportion to its size. A megabyte takes at most two
 * seconds. */
#define FREE_STEPS	   ((uint64_t)1 << 22)
#define FREE_RANGES	   ((uint64_t)1 << 18) /* ranges kept: 6 MiB */
#define FREE_ABBREVIATIONS ((uint64_t)1 << 20)
#define FREE_LINES	   ((uint64_t)1 << 16)
#define LOOKUP_STEPS	   64 /* for an address, which can be in nested blocks */

/* ---- memory ----
 *
 * libdw has no error code for a lack of memory. It calls a handler that must not return; the
 * default one ends the program. Our handler jumps back to the caller of libdw. The state of libdw
 * is then unknown, so it is not used again, and its memory is not even freed. */

static _Thread_local jmp_buf *way_out;

static __attribute__((noreturn)) void out_of_memory(void)
{
	longjmp(*way_out, 1);
}

/* ---- units ---- */

static int add_unit(struct tp_dwarf *d, Dwarf_Die *die)
{
	if (tp_grow(&d->unit, &d->unit_room, d->nunits, sizeof(*d->unit)))
		return TP_ENOMEM;
	d->unit[d->nunits] = (struct tp_dwarf_unit){.offset = dwarf_dieoffset(die)};
	return tp_dwarf_add_ranges(d, &d->units, die, d->nunits++);
}

/* Goes from header to header, and pays for each unit before libdw opens it. Type units are only
 * paid for; libdw opens them when a reference needs one. Reading the entry of a split unit would
 * open another file, so only whole units are used. */
static int read_units(struct tp_dwarf *d)
{
	Dwarf_Off at = 0, next, abbreviations;
	size_t header;
	uint64_t type_id;
	uint8_t type;
	Dwarf_Die die;
	int code = 0;

	while (!code && d->nunits < MOST_UNITS &&
	       dwarf_next_unit(d->dwarf, at, &next, &header, NULL, &abbreviations, NULL, NULL, NULL,
			       NULL) == 0) {
		if (!tp_dwarf_pay_unit(d, abbreviations) ||
		    !dwarf_offdie(d->dwarf, at + header, &die))
			break;
		if (dwarf_cu_info(die.cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) == 0 &&
		    type == DW_UT_compile && tp_dwarf_look(d, &die))
			code = add_unit(d, &die);
		at = next;
	}
	for (at = 0; !code && !d->spent &&
		     dwarf_next_unit(d->dwarf, at, &next, &header, NULL, &abbreviations, NULL, NULL,
				     &type_id, NULL) == 0;
	     at = next)
		tp_dwarf_pay_unit(d, abbreviations);
	d->spent = d->spent || code == TP_ELIMIT;
	return code == TP_ENOMEM ? code : tp_ranges_sort(&d->units);
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
	const char *ident = elf_getident(elf, NULL);
	size_t size = 0;

	if (!d)
		return NULL;
	elf_rawfile(elf, &size);
	d->elf = elf;
	d->big_endian = ident && ident[EI_DATA] == ELFDATA2MSB;
	d->steps = FREE_STEPS + 8 * (uint64_t)size;
	d->ranges = FREE_RANGES + size;
	d->abbreviations = FREE_ABBREVIATIONS + size / 8;
	d->line_bytes = FREE_LINES + 2 * (uint64_t)size; /* twice the size, as they may be
							  * compressed */
	d->spent = !tp_dwarf_affordable(elf, size);
	if (d->spent)
		return d;
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
	tp_dwarf_release_levels(&d->calls);
	tp_dwarf_release_levels(&d->scopes);
	tp_memo_release(&d->names);
	tp_memo_release(&d->qualified);
	tp_memo_release(&d->paths);
	tp_memo_release(&d->tables);
	tp_memo_release(&d->lines);
	tp_arena_clear(&d->arena);
	if (d->dwarf && !d->lost)
		dwarf_end(d->dwarf);
	free(d);
}

bool tp_dwarf_spent(const struct tp_dwarf *d)
{
	return d->spent;
}

/* ---- functions of a unit ---- */

static bool holds_functions(int tag)
{
	return tag == DW_TAG_compile_unit || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_subprogram;
}

static int read_functions(struct tp_dwarf *d, struct tp_dwarf_unit *u)
{
	Dwarf_Die path[TP_DWARF_DEEPEST];
	unsigned depth;
	int code = 0;

	u->read = true;
	if (!dwarf_offdie(d->dwarf, u->offset, &path[0]) || dwarf_child(&path[0], &path[1]))
		return tp_ranges_sort(&u->functions);
	for (depth = 1; depth && !code && tp_dwarf_look(d, &path[depth]);) {
		Dwarf_Die *die = &path[depth];
		int tag = dwarf_tag(die);

		if (tag == DW_TAG_subprogram)
			code = tp_dwarf_add_ranges(d, &u->functions, die, dwarf_dieoffset(die));
		if (depth + 1 < TP_DWARF_DEEPEST && holds_functions(tag) &&
		    dwarf_child(die, &path[depth + 1]) == 0) {
			depth++;
			continue;
		}
		while (depth && dwarf_siblingof(&path[depth], &path[depth]) != 0)
			depth--;
	}
	d->spent = d->spent || code;
	return code ? code : tp_ranges_sort(&u->functions);
}

/* ---- lines ---- */

/* Makes a file name absolute: it is relative to the folder in which the unit was compiled. */
static const char *absolute(struct tp_dwarf *d, struct tp_dwarf_unit *u, Dwarf_Die *cu,
			    const char *file)
{
	const char *folder;
	size_t size;
	char *text;

	if (!file || *file == '/')
		return file ? file : "";
	text = tp_memo_get(&d->paths, (uintptr_t)file, u->offset);
	if (text)
		return text;
	folder = tp_dwarf_text(d, cu, DW_AT_comp_dir);
	if (folder && *folder == '/') {
		size = strlen(folder) + 1 + strlen(file) + 1;
		text = tp_dwarf_alloc(d, size);
		if (!text)
			return file;
		snprintf(text, size, "%s/%s", folder, file);
	} else {
		text = (char *)file;
	}
	if (tp_memo_put(&d->paths, (uintptr_t)file, u->offset, text))
		d->spent = true;
	return text;
}

static void place(struct tp_dwarf *d, struct tp_dwarf_unit *u, Dwarf_Die *cu, uint64_t address,
		  struct tp_symbol *s)
{
	Dwarf_Line *line = tp_dwarf_has_lines(d, u, cu) ? dwarf_getsrc_die(cu, address) : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int n;

	s->file = absolute(d, u, cu, file);
	if (line && dwarf_lineno(line, &n) == 0 && n > 0)
		s->line = n;
}

/* Fills in the place where an inlined function was called. */
static void call_place(struct tp_dwarf *d, struct tp_dwarf_unit *u, Dwarf_Die *cu,
		       const struct tp_dwarf_name *call, struct tp_symbol *s)
{
	Dwarf_Files *files;
	const char *file = NULL;
	size_t n;

	if (tp_dwarf_has_lines(d, u, cu) && dwarf_getsrcfiles(cu, &files, &n) == 0 &&
	    (size_t)call->call_file < n)
		file = dwarf_filesrc(files, (size_t)call->call_file, NULL, NULL);
	s->file = absolute(d, u, cu, file);
	s->line = call->call_line;
}

/* ---- look-up ---- */

static const struct tp_dwarf_name *name_frame(struct tp_dwarf *d, Dwarf_Off entry,
					      struct tp_symbol *s)
{
	const struct tp_dwarf_name *n = tp_dwarf_name(d, entry);

	if (n) {
		s->name = n->name;
		s->system_name = n->system_name;
		s->start_line = n->start_line;
	}
	return n;
}

/* Finds the inlined calls within a function at an address, outermost first. Returns their number. */
static size_t inlined_calls(struct tp_dwarf *d, Dwarf_Off function, uint64_t address,
			    Dwarf_Off *call, size_t room)
{
	Dwarf_Off at = function;
	size_t n = 0;

	for (unsigned depth = 0; depth < 4 * TP_SYMBOL_FRAMES; depth++) {
		const struct tp_dwarf_level *level = tp_dwarf_calls(d, at);
		const struct tp_range *in = level ? tp_dwarf_find(d, level, address) : NULL;

		if (!in || (in->value % 2 && n == room))
			break;
		at = in->value / 2;
		if (in->value % 2)
			call[n++] = at;
	}
	return n;
}

static size_t look_up(struct tp_dwarf *d, uint64_t address, struct tp_symbol *chain, size_t room)
{
	const struct tp_range *in_unit = tp_ranges_find(&d->units, address), *in_function;
	Dwarf_Off call[TP_SYMBOL_FRAMES];
	struct tp_dwarf_unit *u;
	size_t calls, n = 0;
	Dwarf_Die cu;

	if (!in_unit || !room)
		return 0;
	u = &d->unit[in_unit->value];
	if (!dwarf_offdie(d->dwarf, u->offset, &cu) || (!u->read && read_functions(d, u)))
		return 0;
	memset(chain, 0, sizeof(*chain));
	place(d, u, &cu, address, chain);
	in_function = tp_ranges_find(&u->functions, address);
	if (!in_function) {
		chain->name = chain->system_name = "";
		return chain->line ? 1 : 0;
	}
	calls = inlined_calls(d, in_function->value, address, call,
			      room < TP_SYMBOL_FRAMES ? room - 1 : TP_SYMBOL_FRAMES - 1);
	for (; calls; calls--) {
		const struct tp_dwarf_name *name = name_frame(d, call[calls - 1], &chain[n++]);

		if (!name)
			return 0;
		memset(&chain[n], 0, sizeof(chain[n]));
		call_place(d, u, &cu, name, &chain[n]);
	}
	name_frame(d, in_function->value, &chain[n++]);
	return n;
}

size_t tp_dwarf_lookup(struct tp_dwarf *d, uint64_t address, struct tp_symbol *chain, size_t room)
{
	jmp_buf here;
	size_t n = 0;

	if (d->lost || d->spent)
		return 0;
	d->steps += LOOKUP_STEPS;
	way_out = &here;
	if (setjmp(here))
		d->lost = true;
	else
		n = look_up(d, address, chain, room);
	way_out = NULL;
	return d->lost || d->spent ? 0 : n;
}
