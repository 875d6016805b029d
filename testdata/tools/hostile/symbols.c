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

/* A table of Go 1.20 with one function, of a name of so many characters, whose values change with
 * so many bytes of its code. */
static void go_table(struct pen *p, uint32_t name, uint32_t steps)
{
	struct pen t = {0}, strings = {0};
	const uint32_t header = 8 + 8 * 8, names = header, units = names + name + 1,
		       files = units + 16, values = files + 16;
	uint32_t functions = values + 2 * steps + 16;

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
	while (t.out.size < units - 1 && !t.failed)
		pen_byte(&t, 'f');
	pen_byte(&t, 0);
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

static void go_values(struct pen *p)
{
	go_table(p, 9, (uint32_t)(p->size / 2 - 500));
}

static void go_name(struct pen *p)
{
	go_table(p, (uint32_t)(p->size - 1000), 1);
}

/* A section, behind a thousand others, of what fits the program as a whole. */
static void behind_others(struct pen *p, struct elf_section *own, unsigned n)
{
	enum { OTHERS = 1000 };
	struct elf_section sections[OTHERS + 8];

	for (unsigned i = 0; i < OTHERS; i++)
		sections[i] = (struct elf_section){.name = "", .type = SHT_PROGBITS};
	memcpy(sections + OTHERS, own, n * sizeof(*own));
	elf_write(p, sections, OTHERS + n);
}

/* A function of Go that is made of calls inlined into one another, by turns in two sections. */
static void go_calls(struct pen *p)
{
	enum { TABLE = 0x20000000, FIRST = 0x30000000, SECOND = FIRST + 16 * 4096 };
	static const uint8_t values[] =
	    "\0\2\1\200\100\200\200\200\200\1\0" /* calls: 0, then 4096 */
	    "\2\200\200\200\200\1\0";		 /* files, lines: 0 */
	struct elf_section sections[4] = {
	    {.name = ".gopclntab", .type = SHT_PROGBITS, .address = TABLE},
	    {.name = ".data", .type = SHT_PROGBITS, .flags = SHF_ALLOC | SHF_WRITE, .address = 8},
	    {.name = ".first", .type = SHT_PROGBITS, .flags = SHF_ALLOC, .address = FIRST},
	    {.name = ".second", .type = SHT_PROGBITS, .flags = SHF_ALLOC, .address = SECOND},
	};
	struct pen *t = &sections[0].content;
	const uint32_t header = 8 + 8 * 8;
	const uint32_t record[] = {0, 0, 0, 0, 0, 11, 11, 3, 0, 1, 4u << 24, 0, 0, 1, 0, 0, 0, 0};

	word32(t, 0xfffffff1);
	pen_bytes(t, "\0\0\1\10", 4);
	for (unsigned i = 0; i < 8; i++)
		word(t, (const uint64_t[]){1, 1, TEXT, header, header + 16, header + 32,
					   header + 48, header + 80}[i]);
	pen_bytes(t, "main.main\0\0\0\0\0\0", 16);
	pen_bytes(t, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	pen_bytes(t, "/a.go\0\0\0\0\0\0\0\0\0\0", 16);
	pen_bytes(t, values, sizeof(values));
	while (t->out.size < header + 80 && !t->failed)
		pen_byte(t, 0);
	word32(t, 0);
	word32(t, 12);
	word32(t, TEXT_SIZE);
	pen_bytes(t, record, sizeof(record));
	for (unsigned i = 0; i < 40; i++)
		word(&sections[1].content, i == 0 ? TABLE : i == 22 ? TEXT : i == 30 ? FIRST : 0);
	for (uint32_t parent = 0; parent < 2; parent++)
		for (unsigned i = 0; i < 4; i++)
			word32(&sections[3 - parent].content, i == 2 ? parent : 0);
	behind_others(p, sections, 4);
}

static void symbol(struct pen *t, uint64_t name, uint64_t address, uint64_t size)
{
	Elf64_Sym s = {.st_name = (uint32_t)name,
		       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		       .st_shndx = 1,
		       .st_value = address,
		       .st_size = size};

	pen_bytes(t, &s, sizeof(s));
}

/* Symbols that all lie over one another, with one name that never ends. */
static void symbols(struct pen *p)
{
	struct pen t = {0}, strings = {0};

	for (uint64_t i = 0; t.out.size < p->size / 2 && !t.failed; i++)
		symbol(&t, 1 + i % (p->size / 4), TEXT + i, TEXT_SIZE - 2 * i);
	pen_byte(&strings, 0);
	while (strings.out.size < p->size / 2 && !strings.failed)
		pen_byte(&strings, 'f');
	pen_byte(&strings, 0);
	elf(p, ".symtab", SHT_SYMTAB, &t, &strings);
}

/* One symbol, whose name is as long as the file. */
static void symbol_name(struct pen *p)
{
	struct pen t = {0}, strings = {.size = p->size - 1000};

	symbol(&t, 1, TEXT, TEXT_SIZE);
	pen_byte(&strings, 0);
	while (!pen_full(&strings))
		pen_byte(&strings, 'f');
	pen_byte(&strings, 0);
	elf(p, ".symtab", SHT_SYMTAB, &t, &strings);
}

/* Symbols beside one another, each name the end of the one before. */
static void symbol_names(struct pen *p)
{
	struct pen t = {0}, strings = {.size = p->size / 2};
	uint64_t n = p->size / 2 / sizeof(Elf64_Sym);

	for (uint64_t i = 0; i < n; i++)
		symbol(&t, 1 + i, TEXT + i * p->size / n, p->size / n);
	pen_byte(&strings, 0);
	while (!pen_full(&strings))
		pen_byte(&strings, 'f');
	pen_byte(&strings, 0);
	elf(p, ".symtab", SHT_SYMTAB, &t, &strings);
}

/* Headers that are all about the same notes, which are empty. */
static void notes(struct pen *p)
{
	const uint64_t n = p->size / 2 / sizeof(Elf64_Phdr), at = sizeof(Elf64_Ehdr) + p->size / 2;
	Elf64_Ehdr eh = {.e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_version = EV_CURRENT,
			 .e_phoff = sizeof(eh),
			 .e_ehsize = sizeof(eh),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = (Elf64_Half)n,
			 .e_shentsize = sizeof(Elf64_Shdr)};
	Elf64_Phdr ph = {.p_type = PT_NOTE,
			 .p_flags = PF_R,
			 .p_offset = at,
			 .p_filesz = p->size / 2,
			 .p_memsz = p->size / 2,
			 .p_align = 4};

	memcpy(eh.e_ident, ELFMAG, SELFMAG);
	eh.e_ident[EI_CLASS] = ELFCLASS64;
	eh.e_ident[EI_DATA] = ELFDATA2LSB;
	eh.e_ident[EI_VERSION] = EV_CURRENT;
	pen_bytes(p, &eh, sizeof(eh));
	for (uint64_t i = 0; i < n; i++)
		pen_bytes(p, &ph, sizeof(ph));
	while (p->out.size < at + p->size / 2 && !p->failed)
		pen_byte(p, 0);
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
    {"elf-go-name", "a function of Go with a name as long as the file", go_name},
    {"elf-go-calls", "calls inlined into one another, in two sections", go_calls},
    {"elf-symbol-name", "a symbol with a name as long as the file", symbol_name},
    {"elf-symbol-names", "symbols whose names all end together", symbol_names},
    {"elf-notes", "headers about the same notes", notes},
    {"elf-symbols", "symbols over one another, with long names", symbols},
    {"elf-addresses", "a profile of addresses for programs", addresses},
    {NULL, NULL, NULL},
};
