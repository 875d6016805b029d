/* The texts that are read, of objdump -t -w:
 *
 *	00000000006f9240 l     F .text	00000000000007f8              main.main
 *	ADDRESS          FLAGS   SECTION	SIZE [.hidden] NAME
 *
 * and of objdump -d -w --no-show-raw-insn:
 *
 *	00000000006f9240 <main.main>:
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

static int hear(void *ctx, const char *data, size_t size, struct tp_err *err)
{
	struct lines *l = ctx;
	const char *stop;

	while ((stop = memchr(data, '\n', size))) {
		size_t n = (size_t)(stop - data);

		/* A NUL behind it: regular expressions want one. */
		if (tp_buf_put(&l->rest, data, n) || tp_buf_put(&l->rest, "", 1) ||
		    l->line(l->ctx, (char *)l->rest.data, l->rest.size - 1))
			return tp_nomem(err);
		l->rest.size = 0;
		data += n + 1;
		size -= n + 1;
	}
	return tp_buf_put(&l->rest, data, size) ? tp_nomem(err) : 0;
}

static int run(const char *const *argv, struct lines *l, struct tp_err *err)
{
	int code = rep_tool_run(argv, NULL, hear, l, err);

	if (code == TP_ENOENT)
		code = tp_err_set(
		    err, TP_EIO, TP_OFFSET_NONE,
		    "objdump, which disassembles, is not installed (Debian: apt-get install "
		    "binutils)");
	tp_buf_release(&l->rest);
	return code;
}

/* Whoever reads a pipe waits for ever. */
int rep_object_check(const char *file, struct tp_err *err)
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

/* ---- symbols ---- */

struct reading {
	struct rep_object *o;
	rep_symbol_fn wanted;
	void *ctx;
};

/* The flags are seven characters; an F among them makes it a function. */
static int read_symbol(void *ctx, const char *s, size_t n)
{
	struct reading *r = ctx;
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

int rep_object_read(struct rep_object *o, const char *file, rep_symbol_fn wanted, void *ctx,
		    struct tp_err *err)
{
	const char *const argv[] = {TOOL, "-t", "-w", "--", file, NULL};
	struct reading r = {.o = o, .wanted = wanted, .ctx = ctx};
	struct lines l = {.line = read_symbol, .ctx = &r};
	int code = rep_object_check(file, err);

	*o = (struct rep_object){0};
	if (!code)
		code = run(argv, &l, err);
	o->symbol = (struct rep_symbol *)(void *)o->symbols.data;
	o->nsymbols = o->symbols.size / sizeof(*o->symbol);
	return code;
}

void rep_object_release(struct rep_object *o)
{
	tp_buf_release(&o->symbols);
	tp_arena_clear(&o->names);
	*o = (struct rep_object){0};
}

/* ---- instructions ---- */

static int read_instruction(void *ctx, const char *s, size_t n)
{
	struct rep_code *c = ctx;
	struct rep_instruction i = {0};
	size_t at = skip_blanks(s, n, 0);
	char *copy;

	/* Headings begin at the margin. */
	if (!at || !scan_hex(s, n, &at, &i.address) || at == n || s[at] != ':')
		return 0;
	at = skip_blanks(s, n, at + 1);
	while (n > at && (s[n - 1] == ' ' || s[n - 1] == '\t'))
		n--;
	copy = tp_arena_strndup(&c->texts, s + at, n - at);
	if (!copy)
		return TP_ENOMEM;
	for (char *p = copy; (p = strchr(p, '\t')); p++)
		*p = ' ';
	i.text = (struct tp_text){copy, (uint32_t)(n - at)};
	return tp_buf_put(&c->items, &i, sizeof(i));
}

int rep_code_read(struct rep_code *c, const char *file, uint64_t start, uint64_t end, bool intel,
		  struct tp_err *err)
{
	char from[48], to[48];
	/* clang-format off */
	const char *const argv[] = {
		TOOL, "-d", "-w", "--no-show-raw-insn", from, to, "--", file, NULL};
	const char *const argv_intel[] = {
		TOOL, "-d", "-w", "--no-show-raw-insn", "-M", "intel", from, to, "--", file, NULL};
	/* clang-format on */
	struct lines l = {.line = read_instruction, .ctx = c};
	int code;

	*c = (struct rep_code){0};
	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	code = rep_object_check(file, err);
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
