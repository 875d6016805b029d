/* The texts that are read, of objdump -p -t -w:
 *
 *	    LOAD off    0x0000000000000000 vaddr 0x0000000000400000 paddr …
 *	         filesz 0x0000000000362f01 memsz 0x0000000000362f01 flags r-x
 *	00000000006f9240 l     F .text	00000000000007f8              main.main
 *	ADDRESS          FLAGS   SECTION	SIZE [.hidden] NAME
 *
 * and of objdump -d -l -w --no-show-raw-insn:
 *
 *	00000000006f9240 <main.main>:
 *	main.main():
 *	/src/web/main.go:30
 *	  6f9240:	lea    -0xf8(%rsp),%r12
 */
#include "profile/code/objdump.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "profile/code/tool.h"

#define TOOL "objdump"

/* Lines out of pieces. */
struct lines {
	struct tp_buf rest;
	int (*line)(void *ctx, const char *text, size_t size);
	void *ctx;
};

static int out_of_memory(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

static int hear(void *ctx, const char *data, size_t size, struct tp_err *err)
{
	struct lines *l = ctx;
	const char *stop;

	while ((stop = memchr(data, '\n', size))) {
		size_t n = (size_t)(stop - data);

		if (tp_buf_put(&l->rest, data, n) ||
		    l->line(l->ctx, (char *)l->rest.data, l->rest.size))
			return out_of_memory(err);
		l->rest.size = 0;
		data += n + 1;
		size -= n + 1;
	}
	return tp_buf_put(&l->rest, data, size) ? out_of_memory(err) : 0;
}

static int run(const char *const *argv, struct lines *l, struct tp_err *err)
{
	int code = rep_tool_run(argv, NULL, hear, l, err);

	if (code == TP_ENOENT)
		tp_err_set(err, code, TP_OFFSET_NONE,
			   "objdump, which disassembles, is not installed (Debian: apt-get install "
			   "binutils)");
	tp_buf_release(&l->rest);
	return code;
}

/* objdump waits for ever for what is no file. */
static int check_file(const char *file, struct tp_err *err)
{
	struct stat st;

	if (!stat(file, &st) && S_ISREG(st.st_mode))
		return 0;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "the program %.200s is not here; name it with --binary", file);
}

/* ---- scanning ---- */

static bool starts(const char *s, size_t n, const char *with)
{
	size_t size = strlen(with);

	return n >= size && !memcmp(s, with, size);
}

static size_t skip_blanks(const char *s, size_t n, size_t at)
{
	while (at < n && (s[at] == ' ' || s[at] == '\t'))
		at++;
	return at;
}

/* A hexadecimal number at *at, which moves behind it; false where there is none. */
static bool scan_hex(const char *s, size_t n, size_t *at, uint64_t *v)
{
	size_t i = *at, digits = 0;

	if (starts(s + i, n - i, "0x"))
		i += 2;
	*v = 0;
	for (; i < n && digits < 16; i++, digits++) {
		char c = s[i];

		if (c >= '0' && c <= '9')
			*v = *v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*v = *v << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*at = i;
	return digits > 0;
}

/* ---- symbols and segments ---- */

struct reading {
	struct rep_object *o;
	rep_symbol_fn wanted;
	void *ctx;
	struct rep_segment segment; /* the first half of one */
	bool half;
};

static bool read_segment(struct reading *r, const char *s, size_t n, int *code)
{
	size_t at = skip_blanks(s, n, 0);

	if (starts(s + at, n - at, "LOAD off")) {
		at = skip_blanks(s, n, at + strlen("LOAD off"));
		r->half = scan_hex(s, n, &at, &r->segment.offset);
		at = skip_blanks(s, n, at);
		if (!r->half || !starts(s + at, n - at, "vaddr "))
			return false;
		at += strlen("vaddr ");
		r->half = scan_hex(s, n, &at, &r->segment.address);
		return true;
	}
	if (r->half && starts(s + at, n - at, "filesz ")) {
		at += strlen("filesz ");
		r->half = false;
		if (scan_hex(s, n, &at, &r->segment.size))
			*code = tp_buf_put(&r->o->segments, &r->segment, sizeof(r->segment));
		return true;
	}
	return false;
}

/* The flags are seven characters; an F among them makes it a function. */
static int read_symbol(struct reading *r, const char *s, size_t n)
{
	struct rep_symbol symbol = {0};
	const char *tab = memchr(s, '\t', n);
	size_t at = 0;
	uint64_t size;

	if (!scan_hex(s, n, &at, &symbol.start) || at + 9 > n || s[at] != ' ' ||
	    !memchr(s + at + 1, 'F', 7) || !tab)
		return 0;
	at = (size_t)(tab - s) + 1;
	if (!scan_hex(s, n, &at, &size) || !size || size > UINT64_MAX - symbol.start)
		return 0;
	at = skip_blanks(s, n, at);
	if (starts(s + at, n - at, ".hidden "))
		at = skip_blanks(s, n, at + strlen(".hidden "));
	symbol.end = symbol.start + size;
	symbol.name = (struct tp_text){s + at, (uint32_t)(n - at)};
	if (!symbol.name.size || !r->wanted(r->ctx, &symbol))
		return 0;
	symbol.name.text = tp_arena_strndup(&r->o->names, s + at, n - at);
	return symbol.name.text ? tp_buf_put(&r->o->symbols, &symbol, sizeof(symbol)) : TP_ENOMEM;
}

static int read_line(void *ctx, const char *s, size_t n)
{
	struct reading *r = ctx;
	int code = 0;

	return read_segment(r, s, n, &code) ? code : read_symbol(r, s, n);
}

int rep_object_read(struct rep_object *o, const char *file, rep_symbol_fn wanted, void *ctx,
		    struct tp_err *err)
{
	const char *const argv[] = {TOOL, "-p", "-t", "-w", "--", file, NULL};
	struct reading r = {.o = o, .wanted = wanted, .ctx = ctx};
	struct lines l = {.line = read_line, .ctx = &r};
	int code = check_file(file, err);

	*o = (struct rep_object){0};
	if (!code)
		code = run(argv, &l, err);
	o->symbol = (struct rep_symbol *)(void *)o->symbols.data;
	o->nsymbols = o->symbols.size / sizeof(*o->symbol);
	o->segment = (struct rep_segment *)(void *)o->segments.data;
	o->nsegments = o->segments.size / sizeof(*o->segment);
	return code;
}

void rep_object_release(struct rep_object *o)
{
	tp_buf_release(&o->symbols);
	tp_buf_release(&o->segments);
	tp_arena_clear(&o->names);
	*o = (struct rep_object){0};
}

uint64_t rep_object_address(const struct rep_object *o, uint64_t address, uint64_t mapping_start,
			    uint64_t mapping_offset)
{
	uint64_t offset = address - mapping_start + mapping_offset;

	/* A mapping that begins at 0 says nothing about where it was loaded. */
	for (size_t i = 0; mapping_start && i < o->nsegments; i++)
		if (offset >= o->segment[i].offset &&
		    offset - o->segment[i].offset < o->segment[i].size)
			return offset - o->segment[i].offset + o->segment[i].address;
	return address;
}

/* ---- instructions ---- */

struct decoding {
	struct rep_code *c;
	struct tp_text function, file;
	int64_t line;
};

static int keep(struct decoding *d, const char *s, size_t n, struct tp_text *text)
{
	char *copy = tp_arena_strndup(&d->c->texts, s, n);

	*text = (struct tp_text){copy, (uint32_t)n};
	return copy ? 0 : TP_ENOMEM;
}

static int decode_instruction(struct decoding *d, uint64_t address, const char *s, size_t n)
{
	struct rep_instruction i = {
	    .address = address, .function = d->function, .file = d->file, .line = d->line};
	char *copy;

	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	copy = tp_arena_strndup(&d->c->texts, s, n);
	if (!copy)
		return TP_ENOMEM;
	for (size_t k = 0; k < n; k++)
		if (copy[k] == '\t')
			copy[k] = ' ';
	i.text = (struct tp_text){copy, (uint32_t)n};
	return tp_buf_put(&d->c->items, &i, sizeof(i));
}

/* "…/main.go:30", perhaps with " (discriminator 2)" behind it */
static bool decode_place(struct decoding *d, const char *s, size_t n, int *code)
{
	size_t colon = n, end;
	int64_t line = 0;

	for (size_t i = n; i-- > 0;)
		if (s[i] == ':') {
			colon = i;
			break;
		}
	if (colon == n || !colon)
		return false;
	for (end = colon + 1; end < n && s[end] >= '0' && s[end] <= '9' && line < INT32_MAX; end++)
		line = line * 10 + (s[end] - '0');
	if (end == colon + 1 || (end < n && s[end] != ' '))
		return false;
	d->line = line;
	*code = keep(d, s, colon, &d->file);
	return true;
}

static int decode_line(void *ctx, const char *s, size_t n)
{
	struct decoding *d = ctx;
	size_t at = skip_blanks(s, n, 0);
	uint64_t address;
	int code = 0;

	if (at && scan_hex(s, n, &at, &address) && at < n && s[at] == ':')
		return decode_instruction(d, address, s + skip_blanks(s, n, at + 1),
					  n - skip_blanks(s, n, at + 1));
	if (decode_place(d, s, n, &code))
		return code;
	if (n > 3 && !memcmp(s + n - 3, "():", 3))
		return keep(d, s, n - 3, &d->function);
	d->function = d->file = (struct tp_text){"", 0};
	d->line = 0;
	return 0;
}

int rep_code_read(struct rep_code *c, const char *file, uint64_t start, uint64_t end, bool intel,
		  struct tp_err *err)
{
	char from[48], to[48];
	const char *const argv[] = {TOOL, "-d", "-l", "-w", "--no-show-raw-insn",
				    from, to,	"--", file, NULL};
	const char *const argv_intel[] = {TOOL, "-d",	 "-l", "-w", "--no-show-raw-insn",
					  "-M", "intel", from, to,   "--",
					  file, NULL};
	struct decoding d = {.c = c, .function = {"", 0}, .file = {"", 0}};
	struct lines l = {.line = decode_line, .ctx = &d};
	int code;

	*c = (struct rep_code){0};
	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	code = check_file(file, err);
	if (!code)
		code = run(intel ? argv_intel : argv, &l, err);
	c->item = (struct rep_instruction *)(void *)c->items.data;
	c->n = c->items.size / sizeof(*c->item);
	return code;
}

void rep_code_release(struct rep_code *c)
{
	tp_buf_release(&c->items);
	tp_arena_clear(&c->texts);
	*c = (struct rep_code){0};
}
