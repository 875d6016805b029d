/* Computes the work of reading DWARF before it is read. */
#include <dwarf.h>
#include <gelf.h>
#include <string.h>

#include "symbol/dwarf_inside.h"

bool tp_dwarf_pay(struct tp_dwarf *d, uint64_t n)
{
	if (d->spent || n > d->steps) {
		d->spent = true;
		return false;
	}
	d->steps -= n;
	return true;
}

/* ---- entries ---- */

#define STEP_BYTES 256 /* bytes of text for one step; libdw reads a text a few times */

/* Returns whether entries with this abbreviation may contain strings. Assumes so for those with
 * many attributes. */
static bool has_strings(Dwarf_Abbrev *abbrev, size_t n)
{
	enum { FEW = 64 };
	unsigned name, form;

	for (size_t i = 0; i < n && i < FEW; i++)
		if (dwarf_getabbrevattr(abbrev, i, &name, &form, NULL) == 0 &&
		    (form == DW_FORM_string || form == DW_FORM_indirect))
			return true;
	return n > FEW;
}

struct strings {
	const uint8_t *from; /* start of the last attribute, if it is a string */
	uint64_t bytes;
	bool indirect; /* an attribute's form is in the entry, which no compiler writes */
};

static int add_string(Dwarf_Attribute *a, void *ctx)
{
	struct strings *s = ctx;

	if (a->form == DW_FORM_implicit_const) /* its value is in the abbreviation */
		return DWARF_CB_OK;
	if (s->from)
		s->bytes += (uint64_t)(a->valp - s->from);
	s->from = a->form == DW_FORM_string ? a->valp : NULL;
	s->indirect = s->indirect || a->form == DW_FORM_indirect;
	return s->indirect ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static bool pay_strings(struct tp_dwarf *d, Dwarf_Die *die)
{
	struct strings s = {0};

	/* libdw has checked that strings end. */
	if (dwarf_getattrs(die, add_string, &s, 0) != 1 || s.indirect)
		return !(d->spent = true);
	if (s.from)
		s.bytes += strlen((const char *)s.from);
	return s.bytes < STEP_BYTES || tp_dwarf_pay(d, s.bytes / STEP_BYTES);
}

bool tp_dwarf_look(struct tp_dwarf *d, Dwarf_Die *die)
{
	size_t at, n = 0;

	if (dwarf_tag(die) == DW_TAG_invalid)
		return tp_dwarf_pay(d, 1);
	at = ((uintptr_t)die->abbrev >> 4) % TP_DWARF_COSTS;
	if (d->costs[at].of != die->abbrev) {
		dwarf_getattrcnt(die->abbrev, &n);
		d->costs[at].of = die->abbrev;
		d->costs[at].cost = 1 + n / 16;
		d->costs[at].strings = has_strings(die->abbrev, n);
	}
	return tp_dwarf_pay(d, d->costs[at].cost) && (!d->costs[at].strings || pay_strings(d, die));
}

/* ---- sections ---- */

static bool is_debug(const char *name)
{
	return name && (!strncmp(name, ".debug", 6) || !strncmp(name, ".zdebug", 7) ||
			!strncmp(name, ".gnu.debug", 10));
}

/* Returns the size of a compressed section's content, 0 for one that is not compressed. */
static uint64_t unpacked(Elf_Scn *section, const GElf_Shdr *sh, const char *name)
{
	uint64_t size = 0;
	GElf_Chdr ch;
	Elf_Data *data;

	if (sh->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &ch) ? ch.ch_size : 0;
	if (!strstr(name, ".zdebug") || !(data = elf_rawdata(section, NULL)) || !data->d_buf ||
	    data->d_size < 12)
		return 0;
	/* "ZLIB", then the size, big-endian */
	for (unsigned i = 4; i < 12; i++)
		size = size << 8 | ((const uint8_t *)data->d_buf)[i];
	return size;
}

static const char *name_of(Elf *elf, Elf_Scn *section, GElf_Shdr *sh)
{
	size_t names;

	return gelf_getshdr(section, sh) && !elf_getshdrstrndx(elf, &names)
		   ? elf_strptr(elf, names, sh->sh_name)
		   : NULL;
}

/* Real debugging information unpacks to three to five times its size, but zlib can reach a thousand times. */
bool tp_dwarf_affordable(Elf *elf, uint64_t size)
{
	uint64_t room = 16 * size + ((uint64_t)16 << 20);
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	while ((section = elf_nextscn(elf, section))) {
		const char *name = name_of(elf, section, &sh);
		uint64_t n = is_debug(name) ? unpacked(section, &sh, name) : 0;

		if (n > room)
			return false;
		room -= n;
	}
	return true;
}

static void find_section(struct tp_dwarf *d, const char *end, struct tp_dwarf_bytes *found)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;

	found->known = true;
	while ((section = elf_nextscn(d->elf, section))) {
		const char *name = name_of(d->elf, section, &sh);
		Elf_Data *data;

		if (!is_debug(name) || strcmp(name + (name[1] == 'z' ? 2 : 1), end) != 0)
			continue;
		data = sh.sh_type == SHT_NOBITS ? NULL : elf_getdata(section, NULL);
		if (data && data->d_buf) {
			found->at = data->d_buf;
			found->size = data->d_size;
		}
		return;
	}
}

/* Finds the bytes of a section, as libdw has them, from an offset on. */
static size_t section_at(struct tp_dwarf *d, const char *end, struct tp_dwarf_bytes *section,
			 uint64_t offset, const uint8_t **at)
{
	if (!section->known)
		find_section(d, end, section);
	if (offset >= section->size)
		return 0;
	*at = section->at + offset;
	return section->size - (size_t)offset;
}

/* ---- abbreviations ---- */

static uint64_t number(const uint8_t **at, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *at < end; shift += 7) {
		uint8_t byte = *(*at)++;

		v |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		if (byte < 0x80)
			break;
	}
	return v;
}

/* Computes the cost of a table of abbreviations. Each consists of its number (0 ends the table), a
 * tag, a flag for children, then pairs of attribute and form up to two zeros. */
static uint64_t abbreviations_at(struct tp_dwarf *d, Dwarf_Off offset)
{
	const uint8_t *at = NULL, *end;
	size_t size = section_at(d, "debug_abbrev", &d->abbrev, offset, &at);
	uint64_t n = 0, attributes = 0;

	if (!size)
		return 1;
	for (end = at + size; at < end && number(&at, end); n++) {
		uint64_t attribute, form;

		number(&at, end);
		at += at < end;
		do {
			attribute = number(&at, end);
			form = number(&at, end);
			if (form == DW_FORM_implicit_const)
				number(&at, end);
			attributes++;
		} while (at < end && (attribute || form));
	}
	return 1 + n + attributes / 16;
}

bool tp_dwarf_pay_unit(struct tp_dwarf *d, Dwarf_Off abbreviations)
{
	uint64_t *cost = tp_memo_get(&d->tables, abbreviations, 0);

	if (!cost) {
		cost = tp_arena_alloc(&d->arena, sizeof(*cost));
		if (!cost || tp_memo_put(&d->tables, abbreviations, 0, cost))
			return !(d->spent = true);
		*cost = abbreviations_at(d, abbreviations);
	}
	if (*cost > d->abbreviations)
		return !(d->spent = true);
	d->abbreviations -= *cost;
	return tp_dwarf_pay(d, *cost);
}

/* ---- lines ---- */

static uint64_t word(const struct tp_dwarf *d, const uint8_t *at, unsigned size)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)at[d->big_endian ? size - 1 - i : i] << 8 * i;
	return v;
}

/* Pays for a table of lines, which begins with its length; only once if units share it, as libdw
 * reads it once. */
static bool pay_lines(struct tp_dwarf *d, Dwarf_Off offset)
{
	const uint8_t *at = NULL;
	size_t size = section_at(d, "debug_line", &d->line, offset, &at);
	uint64_t length;

	if (size < 12 || tp_memo_get(&d->lines, offset, 0))
		return true;
	if (tp_memo_put(&d->lines, offset, 0, d))
		return !(d->spent = true);
	length = word(d, at, 4) == 0xffffffff ? word(d, at + 4, 8) : word(d, at, 4);
	length = length < size ? length : size;
	if (length > d->line_bytes)
		return !(d->spent = true);
	d->line_bytes -= length;
	return true;
}

bool tp_dwarf_has_lines(struct tp_dwarf *d, struct tp_dwarf_unit *u, Dwarf_Die *cu)
{
	Dwarf_Attribute a;
	Dwarf_Word offset;

	if (!u->asked_lines) {
		u->asked_lines = true;
		u->has_lines = tp_dwarf_look(d, cu) && dwarf_attr(cu, DW_AT_stmt_list, &a) &&
			       dwarf_formudata(&a, &offset) == 0 && pay_lines(d, offset);
	}
	return u->has_lines;
}
