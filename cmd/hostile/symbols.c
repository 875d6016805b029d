/* Programs whose tables of names cost much to look into, and a profile of their addresses. */
#include <elf.h>
#include <string.h>

#include "hostile/cases.h"
#include "hostile/elf.h"

#define TEXT	  ELF_TEXT
#define TEXT_SIZE ELF_TEXT_SIZE

/* An ELF file of one section beside its names'. */
static void elf(struct pen *p, const char *section, uint32_t type, struct pen *content,
		struct pen *strings)
{
	struct elf_section sections[] = {
	    {.name = section,
	     .type = type,
	     .link = 2,
	     .entry_size = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0,
	     .content = *content},
	    {.name = ".strtab", .type = SHT_STRTAB, .content = *strings},
	};

	elf_write(p, sections, 2);
}

static void word(struct pen *p, uint64_t v)
{
	pen_bytes(p, &v, 8);
}

static void word32(struct pen *p, uint32_t v)
{
	pen_bytes(p, &v, 4);
}

/* A table of Go 1.20 with one function, whose values change with every byte of its code. */
static void go_values(struct pen *p)
{
	struct pen t = {0}, strings = {0};
	const uint32_t header = 8 + 8 * 8, names = header, units = names + 16, files = units + 16,
		       values = files + 16;
	uint32_t steps = (uint32_t)(p->size / 2 - 500), functions = values + 2 * steps + 16;

	word32(&t, 0xfffffff1);
	pen_bytes(&t, "\0\0\1\10", 4);
	word(&t, 1);
	word(&t, 1);
	word(&t, TEXT);
	word(&t, names);
	word(&t, units);
	word(&t, files);
	word(&t, values);
	word(&t, functions);
	pen_bytes(&t, "main.main\0\0\0\0\0\0", 16);
	for (int i = 0; i < 4; i++)
		word32(&t, 0);
	pen_bytes(&t, "/a.go\0\0\0\0\0\0\0\0\0\0", 16);
	pen_bytes(&t, "\0", 1);
	for (uint32_t i = 0; i < steps; i++)
		pen_bytes(&t, i % 2 ? "\1\1" : "\2\1", 2); /* up, down; one byte on */
	while (t.out.size < functions && !t.failed)
		pen_byte(&t, 0);
	word32(&t, 0); /* entry, record; the end */
	word32(&t, 12);
	word32(&t, TEXT_SIZE);
	word32(&t,
	       0); /* the record: entry name args deferreturn pcsp pcfile pcln npcdata unit line */
	word32(&t, 0);
	word32(&t, 0);
	word32(&t, 0);
	word32(&t, 1);
	word32(&t, 1);
	word32(&t, 1);
	word32(&t, 0);
	word32(&t, 0);
	word32(&t, 1);
	word32(&t, 0);
	elf(p, ".gopclntab", SHT_PROGBITS, &t, &strings);
}

/* Symbols that all lie over one another, with one name that never ends. */
static void symbols(struct pen *p)
{
	struct pen t = {0}, strings = {0};

	for (uint64_t i = 0; t.out.size < p->size / 2 && !t.failed; i++) {
		Elf64_Sym s = {.st_name = (uint32_t)(1 + i % (p->size / 4)),
			       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			       .st_shndx = 1,
			       .st_value = TEXT + i,
			       .st_size = TEXT_SIZE - 2 * i};

		pen_bytes(&t, &s, sizeof(s));
	}
	pen_byte(&strings, 0);
	while (strings.out.size < p->size / 2 && !strings.failed)
		pen_byte(&strings, 'f');
	pen_byte(&strings, 0);
	elf(p, ".symtab", SHT_SYMTAB, &t, &strings);
}

/* A CPU profile of addresses without names, late in the program. */
static void addresses(struct pen *p)
{
	static const char *const strings[] = {"", "cpu", "nanoseconds", "/srv/program"};
	struct pen part = {0};

	for (size_t i = 0; i < 4; i++) {
		pen_number(p, 6 << 3 | 2);
		pen_number(p, strlen(strings[i]));
		pen_bytes(p, strings[i], strlen(strings[i]));
	}
	pen_bytes(p, "\x0a\x04\x08\x01\x10\x02", 6);
	PEN_NUMBERS(&part, 1 << 3, 1, 2 << 3, TEXT, 3 << 3, TEXT + TEXT_SIZE, 5 << 3, 3);
	pen_number(p, 3 << 3 | 2);
	pen_number(p, part.out.size);
	pen_append(p, &part);
	for (uint64_t i = 1; !pen_full(p); i++) {
		PEN_NUMBERS(&part, 1 << 3, i, 2 << 3, 1, 3 << 3,
			    TEXT + p->size / 2 - 1000 - i % 400000);
		pen_number(p, 4 << 3 | 2);
		pen_number(p, part.out.size);
		pen_append(p, &part);
		PEN_NUMBERS(&part, 1 << 3, i, 2 << 3, 1);
		pen_number(p, 2 << 3 | 2);
		pen_number(p, part.out.size);
		pen_append(p, &part);
	}
}

const struct hostile_case hostile_symbols[] = {
    {"elf-go-values", "a function of Go with a line for each byte", go_values},
    {"elf-symbols", "symbols over one another, with long names", symbols},
    {"elf-addresses", "a profile of addresses for programs", addresses},
    {NULL, NULL, NULL},
};
