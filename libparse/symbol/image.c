#include "symbol/image.h"

#include <ctype.h>
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "symbol/dwarf.h"
#include "symbol/memo.h"
#include "symbol/pclntab.h"
#include "symbol/plt.h"
#include "symbol/ranges.h"

#define MOST_SEGMENTS 64
#define PAGE	      4096
/* Fixed parts of the limits on bytes of texts and notes; the rest is in proportion to the size of
 * the file. A real file has its texts once, packed or as parts of others, and its notes twice, in a
 * segment and in a section. */
#define FREE_TEXT  ((uint64_t)16 << 20)
#define FREE_NOTES ((uint64_t)1 << 16)

struct segment {
	uint64_t offset, address, file_size, size;
	bool code;
};

struct tp_image {
	char *path;
	int fd;
	Elf *elf;
	int type; /* ET_EXEC, ET_DYN */
	struct segment segment[MOST_SEGMENTS];
	size_t nsegments;
	uint64_t notes; /* bytes of notes that may still be read */
	char gnu_id[TP_IMAGE_ID], go_id[TP_IMAGE_ID];

	bool ready; /* get_ready() has searched for the following */
	struct tp_pclntab go;
	bool has_go;
	struct tp_ranges sections; /* with bytes of the program, not overlapping; value: number */
	struct {
		const struct tp_range *in; /* the last section found */
		Elf_Data *data;
	} section;
	struct tp_dwarf *dwarf;
	struct tp_ranges symbols, stubs; /* value: section of the name << 32 | offset in it */
	struct tp_arena stub_names;
	/* Texts that were returned, by address in memory and 0; names of stubs, by address of the stub
	 * and 1; and how many bytes of further ones may be. In a hostile file every address can have a
	 * text as long as the file, and many texts can share one end. */
	struct tp_memo texts;
	uint64_t text;
	bool spent; /* the limit is reached: nothing more is found */
};

/* ---- opening ---- */

/* Pays for reading notes, because any number of headers can refer to the same bytes. Returns false
 * beyond the limit. */
static bool pay_notes(struct tp_image *image, uint64_t size)
{
	if (size >= image->notes) {
		image->notes = 0;
		return false;
	}
	image->notes -= size + 1;
	return true;
}

/* Reads notes: name size, size, type, name, content, each padded to four bytes. */
static void read_notes(struct tp_image *image, Elf_Data *data)
{
	size_t at = 0, next, name, content;
	GElf_Nhdr note;

	while (data && data->d_buf && (next = gelf_getnote(data, at, &note, &name, &content)) > 0) {
		const char *bytes = data->d_buf;

		if (note.n_type == 3 && note.n_namesz == 4 && !memcmp(bytes + name, "GNU", 4) &&
		    2 * (size_t)note.n_descsz < TP_IMAGE_ID && !image->gnu_id[0]) {
			for (size_t i = 0; i < note.n_descsz; i++)
				snprintf(image->gnu_id + 2 * i, 3, "%02x",
					 (unsigned)(unsigned char)bytes[content + i]);
		}
		if (note.n_type == 4 && note.n_namesz == 4 && !memcmp(bytes + name, "Go\0", 4) &&
		    note.n_descsz < TP_IMAGE_ID)
			snprintf(image->go_id, TP_IMAGE_ID, "%.*s", (int)note.n_descsz,
				 bytes + content);
		at = next;
	}
}

static void read_headers(struct tp_image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	GElf_Phdr ph;
	size_t n = 0;

	elf_getphdrnum(image->elf, &n);
	for (size_t i = 0; i < n && i < 65536; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &ph))
			continue;
		if (ph.p_type == PT_NOTE && ph.p_filesz < 1 << 20 && pay_notes(image, ph.p_filesz))
			read_notes(image, elf_getdata_rawchunk(
					      image->elf, (int64_t)ph.p_offset, (size_t)ph.p_filesz,
					      ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
		if (ph.p_type != PT_LOAD || image->nsegments == MOST_SEGMENTS)
			continue;
		image->segment[image->nsegments++] = (struct segment){
		    .offset = ph.p_offset,
		    .address = ph.p_vaddr,
		    .file_size = ph.p_filesz,
		    .size = ph.p_memsz,
		    .code = ph.p_flags & PF_X,
		};
	}
	/* Files of debugging information have notes in sections, too. */
	while ((section = elf_nextscn(image->elf, section))) {
		if (gelf_getshdr(section, &sh) && sh.sh_type == SHT_NOTE &&
		    pay_notes(image, sh.sh_size))
			read_notes(image, elf_getdata(section, NULL));
	}
}

int tp_image_open(struct tp_image **out, const char *path, struct tp_err *err)
{
	struct tp_image *image = calloc(1, sizeof(*image));
	size_t size = 0;
	GElf_Ehdr eh;
	struct stat st;

	*out = NULL;
	if (!image || !(image->path = strdup(path))) {
		free(image);
		return tp_nomem(err);
	}
	/* O_NONBLOCK: do not wait for the other end of a pipe. */
	image->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (image->fd < 0) {
		int code = errno == ENOENT || errno == ENOTDIR ? TP_ENOENT : TP_EIO;

		tp_err_set(err, code, TP_OFFSET_NONE, "%s: %s", path, strerror(errno));
		tp_image_close(image);
		return code;
	}
	elf_version(EV_CURRENT);
	if (!fstat(image->fd, &st) && S_ISREG(st.st_mode))
		image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF || !gelf_getehdr(image->elf, &eh)) {
		tp_image_close(image);
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "%s: this is not an ELF file: a program, a library, or their "
				  "debugging information",
				  path);
	}
	image->type = eh.e_type;
	/* Folders can contain more files than may be open at once, and a mapped file needs no
	 * descriptor. */
	if (elf_rawfile(image->elf, &size) && elf_cntl(image->elf, ELF_C_FDDONE) == 0) {
		close(image->fd);
		image->fd = -1;
	}
	image->notes = FREE_NOTES + 2 * (uint64_t)size;
	image->text = FREE_TEXT + 8 * (uint64_t)size;
	read_headers(image);
	*out = image;
	return 0;
}

void tp_image_close(struct tp_image *image)
{
	if (!image)
		return;
	tp_dwarf_free(image->dwarf);
	tp_ranges_release(&image->symbols);
	tp_ranges_release(&image->stubs);
	tp_arena_clear(&image->stub_names);
	tp_ranges_release(&image->sections);
	tp_memo_release(&image->texts);
	if (image->elf)
		elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	free(image->path);
	free(image);
}

const char *tp_image_path(const struct tp_image *image)
{
	return image->path;
}

const char *tp_image_gnu_id(const struct tp_image *image)
{
	return image->gnu_id;
}

const char *tp_image_go_id(const struct tp_image *image)
{
	return image->go_id;
}

bool tp_image_is(const struct tp_image *image, const char *id)
{
	const char *mine = image->gnu_id;

	if (*id && !strcmp(id, image->go_id))
		return true;
	for (; *id && tolower((unsigned char)*id) == *mine; id++)
		mine++;
	return !*id && !*mine && mine != image->gnu_id;
}

/* ---- addresses ---- */

/* Returns the segment that contains an offset of the file, preferably one with code. */
static const struct segment *segment_of(const struct tp_image *image, uint64_t offset,
					uint64_t slack)
{
	const struct segment *found = NULL;

	for (size_t i = 0; i < image->nsegments; i++) {
		const struct segment *s = &image->segment[i];

		if (offset + slack >= s->offset && offset < s->offset + s->file_size &&
		    (!found || s->code))
			found = s;
	}
	return found;
}

uint64_t tp_image_address(const struct tp_image *image, const struct tp_image_mapping *mapping,
			  uint64_t address)
{
	uint64_t offset = address - mapping->start + mapping->offset;
	const struct segment *s;

	/* A program that is not relocated runs at the addresses of the file. */
	if (image->type == ET_EXEC || !mapping->mapped || address < mapping->start)
		return address;
	s = segment_of(image, offset, 0);
	/* The mapping of a segment begins at the start of its first page. */
	if (!s)
		s = segment_of(image, offset, PAGE - 1);
	if (s)
		return offset - s->offset + s->address;
	/* A file of debugging information has the segments' addresses, but not their bytes. */
	for (size_t i = 0; i < image->nsegments; i++) {
		s = &image->segment[i];
		if (s->code && offset + PAGE > s->address && offset - s->address < s->size)
			return offset;
	}
	for (size_t i = 0; i < image->nsegments; i++) {
		s = &image->segment[i];
		if (s->code)
			return address - mapping->start + (s->address & ~(uint64_t)(PAGE - 1));
	}
	return offset;
}

/* ---- names ---- */

/* Lists the sections. Those of a real program do not overlap; of overlapping ones only the first is kept. */
static int list_sections(struct tp_image *image)
{
	struct tp_ranges *r = &image->sections;
	Elf_Scn *section = NULL;
	size_t kept = 0;
	GElf_Shdr sh;
	int code = 0;

	while (!code && (section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, &sh) && sh.sh_flags & SHF_ALLOC &&
		    sh.sh_type != SHT_NOBITS)
			code = tp_ranges_add(r, sh.sh_addr, sh.sh_addr + sh.sh_size,
					     elf_ndxscn(section));
	if (!code)
		code = tp_ranges_sort(r);
	for (size_t i = 0; !code && i < r->n; i++)
		if (!kept || r->range[i].low >= r->range[kept - 1].high)
			r->range[kept++] = r->range[i];
	r->n = kept;
	return code ? code : tp_ranges_sort(r);
}

/* Returns the bytes of a section from an address on. The section of the last address is tried
 * first: each look-up reads many addresses, most of them in one section. */
static struct tp_slice memory(void *ctx, uint64_t address)
{
	struct tp_image *image = ctx;
	const struct tp_range *in = image->section.in;
	struct tp_slice none = {0};
	Elf_Data *data;

	if (!in || address < in->low || address >= in->high) {
		in = tp_ranges_find(&image->sections, address);
		if (!in)
			return none;
		image->section.in = in;
		image->section.data = elf_rawdata(elf_getscn(image->elf, (size_t)in->value), NULL);
	}
	data = image->section.data;
	if (!data || !data->d_buf || address - in->low >= data->d_size)
		return none;
	return (struct tp_slice){(const uint8_t *)data->d_buf + (address - in->low),
				 data->d_size - (size_t)(address - in->low)};
}

#define MODULE_WORDS 56 /* words of moduledata that are examined */

static uint64_t word_at(const struct tp_pclntab *t, const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < t->pointer; i++)
		v |= (uint64_t)p[t->big_endian ? t->pointer - 1 - i : i] << 8 * i;
	return v;
}

/* Calls fn with place and address of each relocation that writes an address of the file itself into
 * memory; the file need not have the bytes there. Sections of a real file do not overlap, so together they are not
 * larger than it. */
typedef bool (*relocation_fn)(void *ctx, uint64_t place, uint64_t address);

static void each_relocation(struct tp_image *image, relocation_fn fn, void *ctx)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	GElf_Rela rela;
	size_t left = 0;

	elf_rawfile(image->elf, &left);
	while ((section = elf_nextscn(image->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &sh) || sh.sh_type != SHT_RELA ||
		    !(sh.sh_flags & SHF_ALLOC) || sh.sh_size > left)
			continue;
		left -= sh.sh_size;
		if (!(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; gelf_getrela(data, i, &rela); i++) {
			uint64_t type = GELF_R_TYPE(rela.r_info);

			if ((type == R_X86_64_RELATIVE || type == R_AARCH64_RELATIVE) &&
			    !fn(ctx, rela.r_offset, (uint64_t)rela.r_addend))
				return;
		}
	}
}

/* The runtime's record of the program (runtime.moduledata), which begins with the address of the
 * table of functions. */
struct module {
	struct tp_image *image;
	uint64_t table;	  /* address of that table */
	uint64_t address; /* of the record, 0 if not found */
	uint64_t word[MODULE_WORDS];
	unsigned nwords;
};

static bool finds_module(void *ctx, uint64_t place, uint64_t address)
{
	struct module *m = ctx;

	if (address == m->table)
		m->address = place;
	return !m->address;
}

static bool fills_module(void *ctx, uint64_t place, uint64_t address)
{
	struct module *m = ctx;
	uint64_t size = m->image->go.pointer;

	if (place >= m->address && place < m->address + m->nwords * size)
		m->word[(place - m->address) / size] = address;
	return true;
}

static void find_module(struct module *m)
{
	const struct tp_pclntab *t = &m->image->go;
	Elf_Scn *section = NULL;
	struct tp_slice bytes;
	GElf_Shdr sh;

	each_relocation(m->image, finds_module, m);
	while (!m->address && (section = elf_nextscn(m->image->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &sh) || sh.sh_type == SHT_NOBITS ||
		    (sh.sh_flags & (SHF_ALLOC | SHF_WRITE)) != (SHF_ALLOC | SHF_WRITE) ||
		    !(data = elf_rawdata(section, NULL)) || !data->d_buf)
			continue;
		for (size_t at = 0; data->d_size >= t->pointer && at <= data->d_size - t->pointer;
		     at += t->pointer) {
			if (word_at(t, (const uint8_t *)data->d_buf + at) == m->table) {
				m->address = sh.sh_addr + at;
				break;
			}
		}
	}
	if (!m->address)
		return;
	bytes = memory(m->image, m->address);
	while (m->nwords < MODULE_WORDS && bytes.size >= (m->nwords + 1) * (size_t)t->pointer) {
		m->word[m->nwords] = word_at(t, bytes.data + m->nwords * (size_t)t->pointer);
		m->nwords++;
	}
	each_relocation(m->image, fills_module, m);
}

/* Uses two fields of moduledata. `text` has been word 22 since Go 1.18. `gofunc` moves from release
 * to release, so the words after it are tried until tp_pclntab_inlining accepts one. */
static void use_module(struct tp_image *image, uint64_t table)
{
	enum { TEXT = 22, FIRST = 30 };
	struct module m = {.image = image, .table = table};

	if (image->go.version < 18)
		return;
	find_module(&m);
	if (m.nwords > TEXT && m.word[TEXT])
		image->go.text = m.word[TEXT];
	for (unsigned i = FIRST; i < m.nwords; i++) {
		if (tp_pclntab_inlining(&image->go, m.word[i], memory, image))
			return;
	}
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static void read_sections(struct tp_image *image)
{
	Elf_Scn *section = NULL, *table = NULL;
	uint64_t text = 0, address = 0;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(image->elf, &names))
		return;
	while ((section = elf_nextscn(image->elf, section))) {
		const char *name =
		    gelf_getshdr(section, &sh) ? elf_strptr(image->elf, names, sh.sh_name) : NULL;

		if (name && !strcmp(name, ".text"))
			text = sh.sh_addr;
		if (name && ends_with(name, ".gopclntab") && sh.sh_type != SHT_NOBITS) {
			table = section;
			address = sh.sh_addr;
		}
	}
	if (table) {
		Elf_Data *data = elf_rawdata(table, NULL);

		image->has_go =
		    data && tp_pclntab_init(&image->go, data->d_buf, data->d_size, text);
		if (image->has_go && list_sections(image))
			tp_ranges_release(&image->sections);
		else if (image->has_go)
			use_module(image, address);
	}
}

/* Calls `fn` for the functions of the symbol table and, if `dynamic` is set, of the dynamic one.
 * `name` is the section of the name << 32 | the offset in it. */
static int each_function(struct tp_image *image, bool dynamic,
			 int (*fn)(void *ctx, const GElf_Sym *sym, uint64_t name), void *ctx)
{
	Elf_Scn *section = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;
	int code = 0;

	while (!code && (section = elf_nextscn(image->elf, section))) {
		Elf_Data *data;

		if (!gelf_getshdr(section, &sh) ||
		    (sh.sh_type != SHT_SYMTAB && !(dynamic && sh.sh_type == SHT_DYNSYM)) ||
		    sh.sh_link > UINT32_MAX || !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; !code && gelf_getsym(data, i, &sym); i++) {
			int type = GELF_ST_TYPE(sym.st_info);

			if ((type == STT_FUNC || type == STT_GNU_IFUNC) && sym.st_value &&
			    sym.st_shndx != SHN_UNDEF && sym.st_name <= UINT32_MAX)
				code = fn(ctx, &sym, (uint64_t)sh.sh_link << 32 | sym.st_name);
		}
	}
	return code;
}

/* Adds a symbol as a range. One without a size gets one byte, so only its first address is found. */
static int add_symbol(void *ctx, const GElf_Sym *sym, uint64_t name)
{
	struct tp_image *image = ctx;

	return tp_ranges_add(&image->symbols, sym->st_value,
			     sym->st_value + (sym->st_size ? sym->st_size : 1), name);
}

static int read_symbols(struct tp_image *image)
{
	int code = each_function(image, true, add_symbol, image);

	return code ? code : tp_ranges_sort(&image->symbols);
}

static void get_ready(struct tp_image *image)
{
	if (image->ready)
		return;
	image->ready = true;
	read_sections(image);
	image->dwarf = tp_dwarf_new(image->elf);
	if (read_symbols(image))
		tp_ranges_release(&image->symbols);
	if (tp_plt_list(image->elf, &image->stubs))
		tp_ranges_release(&image->stubs);
}

bool tp_image_has_lines(const struct tp_image *image)
{
	get_ready((struct tp_image *)image);
	return image->has_go || (image->dwarf && !tp_dwarf_spent(image->dwarf));
}

const char *tp_image_debug_link(const struct tp_image *image, uint32_t *checksum)
{
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(image->elf, &crc);

	*checksum = name ? crc : 0;
	return name && !strchr(name, '/') ? name : "";
}

uint32_t tp_image_checksum(const struct tp_image *image)
{
	size_t size = 0;
	const char *bytes = elf_rawfile(image->elf, &size);

	return (uint32_t)crc32_z(0, (const unsigned char *)bytes, bytes ? size : 0);
}

bool tp_image_spent(const struct tp_image *image)
{
	return image->spent || image->go.spent || (image->dwarf && tp_dwarf_spent(image->dwarf));
}

/* Returns the name of a symbol, or NULL if its section does not contain it. elf_strptr is not used
 * because it searches for the end of the last name each time. */
static const char *symbol_name(const struct tp_image *image, uint64_t name)
{
	Elf_Scn *section = elf_getscn(image->elf, (size_t)(name >> 32));
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const char *texts = data ? data->d_buf : NULL;

	return texts && (uint32_t)name < data->d_size && !texts[data->d_size - 1]
		   ? texts + (uint32_t)name
		   : NULL;
}

static const char *symbol_at(const struct tp_image *image, uint64_t address)
{
	const struct tp_range *r = tp_ranges_find(&image->symbols, address);

	return r ? symbol_name(image, r->value) : NULL;
}

/* Returns the name of a stub that calls another library, as disassemblers write it ("free@plt"), or NULL. */
static const char *stub_at(struct tp_image *image, uint64_t address)
{
	const struct tp_range *r = tp_ranges_find(&image->stubs, address);
	const char *name = r ? symbol_name(image, r->value) : NULL;
	char *text = r ? tp_memo_get(&image->texts, r->low, 1) : NULL;
	size_t n;

	if (text || !name || !*name)
		return text;
	n = strlen(name);
	if (n > image->text) {
		image->spent = true;
		return NULL;
	}
	image->text -= n;
	text = tp_arena_alloc(&image->stub_names, n + sizeof("@plt"));
	if (!text || tp_memo_put(&image->texts, r->low, 1, text))
		return NULL;
	snprintf(text, n + sizeof("@plt"), "%s@plt", name);
	return text;
}

static bool pay_text(struct tp_image *image, const char *text)
{
	size_t size;

	if (!*text || tp_memo_get(&image->texts, (uintptr_t)text, 0))
		return true;
	size = strlen(text);
	if (size > image->text)
		return !(image->spent = true);
	image->text -= size;
	/* If memory is out, the text will be paid for again. */
	(void)tp_memo_put(&image->texts, (uintptr_t)text, 0, (char *)text);
	return true;
}

static bool pay_texts(struct tp_image *image, const struct tp_symbol *chain, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!pay_text(image, chain[i].name) || !pay_text(image, chain[i].system_name) ||
		    !pay_text(image, chain[i].file))
			return false;
	return true;
}

struct listing {
	struct tp_image *image;
	tp_image_function_fn fn;
	void *ctx;
};

static int list_function(void *ctx, const GElf_Sym *sym, uint64_t at)
{
	const struct listing *l = ctx;
	const char *name = symbol_name(l->image, at);

	if (!sym->st_size || sym->st_size > UINT64_MAX - sym->st_value || !name || !*name)
		return 0;
	if (!pay_text(l->image, name))
		return TP_ELIMIT;
	return l->fn(l->ctx, name, sym->st_value, sym->st_value + sym->st_size);
}

int tp_image_functions(struct tp_image *image, tp_image_function_fn fn, void *ctx)
{
	return each_function(image, false, list_function,
			     &(struct listing){.image = image, .fn = fn, .ctx = ctx});
}

uint64_t tp_image_function(struct tp_image *image, uint64_t address)
{
	const struct tp_range *r;

	get_ready(image);
	r = tp_ranges_find(&image->symbols, address);
	return r ? r->low : 0;
}

size_t tp_image_lookup(struct tp_image *image, uint64_t address, struct tp_symbol *chain,
		       size_t room)
{
	const char *name;
	size_t n = 0;

	if (image->spent)
		return 0;
	get_ready(image);
	/* For Go's code, pclntab gives the names that the runtime would have given. Before Go 1.18
	 * it has no inlined calls, but DWARF has. */
	if (image->has_go && (image->go.function_data || !image->dwarf))
		n = tp_pclntab_lookup(&image->go, address, chain, room);
	if (!n && image->dwarf)
		n = tp_dwarf_lookup(image->dwarf, address, chain, room);
	if (!n && image->has_go)
		n = tp_pclntab_lookup(&image->go, address, chain, room);
	if (!n || !*chain[n - 1].name) {
		name = symbol_at(image, address);
		if (!name || !*name)
			name = stub_at(image, address);
		if (!name || !*name)
			return 0;
		if (!n)
			*chain = (struct tp_symbol){.file = ""};
		chain->name = chain->system_name = name;
		n = 1;
	}
	return pay_texts(image, chain, n) ? n : 0;
}
