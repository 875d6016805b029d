/* Programs whose DWARF makes much of few bytes: what its parts may share, they share. */
#include <elf.h>
#include <string.h>
#include <zlib.h>

#include "hostile/cases.h"
#include "hostile/elf.h"

/* Of DWARF, section 7 (elfutils is for libparse/symbol only). */
enum {
	DW_TAG_compile_unit = 0x11,
	DW_TAG_inlined_subroutine = 0x1d,
	DW_TAG_base_type = 0x24,
	DW_TAG_subprogram = 0x2e,
	DW_AT_name = 0x03,
	DW_AT_stmt_list = 0x10,
	DW_AT_low_pc = 0x11,
	DW_AT_high_pc = 0x12,
	DW_AT_abstract_origin = 0x31,
	DW_AT_artificial = 0x34,
	DW_AT_ranges = 0x55,
	DW_AT_linkage_name = 0x6e,
	DW_FORM_addr = 0x01,
	DW_FORM_data8 = 0x07,
	DW_FORM_string = 0x08,
	DW_FORM_data1 = 0x0b,
	DW_FORM_ref4 = 0x13,
	DW_FORM_sec_offset = 0x17,
	DW_FORM_flag_present = 0x19,
};

static void word(struct pen *p, uint64_t v, unsigned size)
{
	pen_bytes(p, &v, size);
}

/* An abbreviation; pairs of attribute and form. */
#define ABBREVIATION(p, code, tag, children, ...)                                                  \
	do {                                                                                       \
		PEN_NUMBERS(p, code, tag, children, __VA_ARGS__, 0, 0);                            \
	} while (0)

#define NAMED_CODE                                                                                 \
	DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8
#define IN_LINES DW_AT_stmt_list, DW_FORM_sec_offset

enum { UNIT = 1, FUNCTION, CALL, OTHER };

static void abbreviations(struct pen *p)
{
	ABBREVIATION(p, UNIT, DW_TAG_compile_unit, 1, NAMED_CODE);
	ABBREVIATION(p, FUNCTION, DW_TAG_subprogram, 1, NAMED_CODE);
	ABBREVIATION(p, CALL, DW_TAG_inlined_subroutine, 0, DW_AT_ranges, DW_FORM_sec_offset);
}

/* A unit of DWARF 4 with one function around `entries`. */
static void unit(struct pen *p, struct pen *entries)
{
	struct pen body = {0};

	word(&body, 4, 2);
	word(&body, 0, 4); /* its abbreviations */
	word(&body, 8, 1);
	for (unsigned code = UNIT; code <= FUNCTION; code++) {
		pen_number(&body, code);
		pen_bytes(&body, "f", 2);
		word(&body, ELF_TEXT, 8);
		word(&body, ELF_TEXT_SIZE, 8);
	}
	pen_append(&body, entries);
	pen_bytes(&body, "\0", 2);
	word(p, body.out.size, 4);
	pen_append(p, &body);
}

static void program(struct pen *p, struct pen *info, struct pen *abbrev, const char *name,
		    struct pen *more)
{
	struct elf_section sections[] = {
	    {.name = ".debug_info", .type = SHT_PROGBITS, .content = *info},
	    {.name = ".debug_abbrev", .type = SHT_PROGBITS, .content = *abbrev},
	    {.name = name, .type = SHT_PROGBITS, .content = *more},
	};

	elf_write(p, sections, 3);
}

static void calls(struct pen *p, size_t n, size_t nranges)
{
	struct pen info = {0}, abbrev = {0}, ranges = {0}, entries = {0};

	for (size_t i = 0; i < n; i++) {
		pen_number(&entries, CALL);
		word(&entries, 0, 4);
	}
	unit(&info, &entries);
	abbreviations(&abbrev);
	pen_byte(&abbrev, 0);
	for (size_t i = 0; i < nranges; i++) {
		word(&ranges, 0x90000 + 2 * i, 8);
		word(&ranges, 0x90000 + 2 * i + 1, 8);
	}
	word(&ranges, 0, 8);
	word(&ranges, 0, 8);
	program(p, &info, &abbrev, ".debug_ranges", &ranges);
}

static void shared_ranges(struct pen *p)
{
	calls(p, p->size / 10, p->size / 32);
}

static void many_calls(struct pen *p)
{
	calls(p, p->size / 5, 1);
}

/* Entries that take a byte each, with attributes of no size. */
static void attributes(struct pen *p)
{
	struct pen info = {0}, abbrev = {0}, none = {0}, entries = {0};

	abbreviations(&abbrev);
	PEN_NUMBERS(&abbrev, OTHER, DW_TAG_inlined_subroutine, 0);
	while (abbrev.out.size < p->size / 2 && !abbrev.failed)
		PEN_NUMBERS(&abbrev, DW_AT_artificial, DW_FORM_flag_present);
	pen_bytes(&abbrev, "\0\0", 3);
	for (size_t i = 0; i < p->size / 2; i++)
		pen_byte(&entries, OTHER);
	unit(&info, &entries);
	program(p, &info, &abbrev, ".debug_none", &none);
}

/* Units that share a long table of abbreviations, of which each has the last. */
static void units(struct pen *p)
{
	struct pen info = {0}, abbrev = {0}, none = {0};
	uint64_t last = 2;

	for (; abbrev.out.size < p->size / 2 && !abbrev.failed; last++)
		PEN_NUMBERS(&abbrev, last, DW_TAG_base_type, 0, 0, 0);
	ABBREVIATION(&abbrev, last, DW_TAG_compile_unit, 0, DW_AT_low_pc, DW_FORM_addr,
		     DW_AT_high_pc, DW_FORM_data1);
	pen_byte(&abbrev, 0);
	for (uint64_t i = 0; info.out.size < p->size / 2 && !info.failed; i++) {
		struct pen body = {0};

		word(&body, 4, 2);
		word(&body, 0, 4);
		word(&body, 8, 1);
		pen_number(&body, last);
		word(&body, ELF_TEXT + 64 * i, 8);
		word(&body, 64, 1);
		word(&info, body.out.size, 4);
		pen_append(&info, &body);
	}
	program(p, &info, &abbrev, ".debug_none", &none);
}

/* Units whose tables of lines begin a little later each, and end together. */
static void lines(struct pen *p)
{
	struct pen info = {0}, abbrev = {0}, table = {0};
	const size_t head = 64, most = p->size / 2, n = p->size / 2 / head;

	ABBREVIATION(&abbrev, UNIT, DW_TAG_compile_unit, 0, DW_AT_low_pc, DW_FORM_addr,
		     DW_AT_high_pc, DW_FORM_data1, IN_LINES);
	pen_byte(&abbrev, 0);
	for (size_t i = 0; i < n; i++) {
		word(&info, 7 + 1 + 8 + 1 + 4, 4);
		word(&info, 4, 2);
		word(&info, 0, 4);
		word(&info, 8, 1);
		pen_number(&info, UNIT);
		word(&info, ELF_TEXT + 64 * i, 8);
		word(&info, 64, 1);
		word(&info, i * head, 4);
	}
	while (table.out.size < n * head && !table.failed) {
		size_t at = table.out.size;

		word(&table, most + 9 - at - 4, 4);
		word(&table, 2, 2);
		word(&table, 21, 4); /* of what follows in the header */
		pen_bytes(&table, "\1\1\0\1\012\0\1\1\1\1\0\0\0\1\0f\0\0\0\0", 21);
		while (table.out.size < at + head)
			pen_byte(&table, 0xff); /* a line */
	}
	while (table.out.size < most && !table.failed)
		pen_byte(&table, 0xff);
	pen_bytes(&table, "\0\11\2\0\0\0\0\0\0", 9);
	program(p, &info, &abbrev, ".debug_line", &table);
}

/* Inlined calls of one function, whose name is as long as the file; what comes behind that name
 * has to be looked for each time. */
static void name(struct pen *p)
{
	struct pen info = {0}, abbrev = {0}, none = {0}, entries = {0};
	const size_t n = p->size / 2 / 14;

	abbreviations(&abbrev);
	ABBREVIATION(&abbrev, OTHER, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string,
		     DW_AT_linkage_name, DW_FORM_string);
	ABBREVIATION(&abbrev, OTHER + 1, DW_TAG_inlined_subroutine, 0, DW_AT_abstract_origin,
		     DW_FORM_ref4, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data1);
	pen_byte(&abbrev, 0);
	pen_byte(&entries, OTHER);
	while (entries.out.size < p->size / 2 && !entries.failed)
		pen_byte(&entries, 'f');
	pen_bytes(&entries, "\0f", 3);
	for (size_t i = 0; i < n; i++) {
		pen_byte(&entries, OTHER + 1);
		word(&entries, 11 + 2 * 19, 4); /* behind the header, the unit and the function */
		word(&entries, ELF_TEXT + i * p->size / n, 8);
		word(&entries, p->size / n, 1);
	}
	unit(&info, &entries);
	program(p, &info, &abbrev, ".debug_none", &none);
}

/* Units that have a table of abbreviations each, and sections before those that have the tables. */
static void sections(struct pen *p)
{
	enum { OTHERS = 4000 };
	struct elf_section own[OTHERS + 2];
	const size_t n = p->size / 2 / 13;

	for (size_t i = 0; i < OTHERS + 2; i++)
		own[i] = (struct elf_section){
		    .name = i < OTHERS	  ? ".debug"
			    : i == OTHERS ? ".debug_info"
					  : ".debug_abbrev",
		    .type = SHT_PROGBITS,
		};
	for (size_t i = 0; i < n; i++) {
		word(&own[OTHERS].content, 8, 4);
		word(&own[OTHERS].content, 4, 2);
		word(&own[OTHERS].content, i, 4);
		word(&own[OTHERS].content, 8, 1);
		pen_byte(&own[OTHERS].content, UNIT);
		pen_byte(&own[OTHERS + 1].content, 0);
	}
	elf_write(p, own, OTHERS + 2);
}

/* Debugging information that is a thousand times as large unpacked. */
static void packed(struct pen *p)
{
	struct elf_section sections[] = {
	    {.name = ".debug_info", .type = SHT_PROGBITS, .flags = SHF_COMPRESSED},
	    {.name = ".debug_abbrev", .type = SHT_PROGBITS},
	};
	static uint8_t zeros[1 << 16], out[1 << 16];
	z_stream z = {0};
	Elf64_Chdr ch = {.ch_type = ELFCOMPRESS_ZLIB, .ch_addralign = 1};
	struct pen *info = &sections[0].content;

	pen_bytes(info, &ch, sizeof(ch));
	if (deflateInit(&z, 9) != Z_OK) {
		p->failed = true;
		return;
	}
	while (info->out.size < p->size - 1000 && !info->failed) {
		z.next_in = zeros;
		z.avail_in = sizeof(zeros);
		z.next_out = out;
		z.avail_out = sizeof(out);
		deflate(&z, Z_NO_FLUSH);
		pen_bytes(info, out, sizeof(out) - z.avail_out);
	}
	z.next_out = out;
	z.avail_out = sizeof(out);
	deflate(&z, Z_FINISH);
	pen_bytes(info, out, sizeof(out) - z.avail_out);
	ch.ch_size = z.total_in;
	deflateEnd(&z);
	if (!info->failed)
		memcpy(info->out.data, &ch, sizeof(ch));
	abbreviations(&sections[1].content);
	elf_write(p, sections, 2);
}

const struct hostile_case hostile_dwarf[] = {
    {"elf-dwarf-ranges", "inlined calls that share a list of ranges", shared_ranges},
    {"elf-dwarf-calls", "a function into which all is inlined", many_calls},
    {"elf-dwarf-attributes", "entries of a byte with attributes of none", attributes},
    {"elf-dwarf-units", "units that share a table of abbreviations", units},
    {"elf-dwarf-lines", "units that share their lines", lines},
    {"elf-dwarf-name", "inlined calls of one name as long as the file", name},
    {"elf-dwarf-sections", "units, and many sections before their abbreviations", sections},
    {"elf-dwarf-packed", "debugging information that is large unpacked", packed},
    {NULL, NULL, NULL},
};
