/* Reads the output of objdump -d -w --no-show-raw-insn:
 *
 *	00000000006f9240 <main.main>:
 *	  6f9240:	lea    -0xf8(%rsp),%r12
 */
#include "profile/code/objdump.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/code/tool.h"

#define TOOL "objdump"

/* ---- scanning ---- */

static size_t skip_blanks(const char *s, size_t n, size_t at)
{
	while (at < n && (s[at] == ' ' || s[at] == '\t'))
		at++;
	return at;
}

/* Reads a hexadecimal number at *at, and moves *at to its end. Returns false if there is no number.
 */
static bool scan_hex(const char *s, size_t n, size_t *at, uint64_t *v)
{
	size_t i = *at, digits = 0;

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

/* ---- instructions ---- */

static int read_instruction(struct rep_code *c, const char *s, size_t n)
{
	struct rep_instruction i = {0};
	size_t at = skip_blanks(s, n, 0);
	char *copy;

	/* Lines of instructions are indented; headings are not. */
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
	struct tp_buf text = {0};
	const struct rep_sink sink = rep_sink_buf(&text);
	int code;

	*c = (struct rep_code){0};
	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	code = rep_tool_run(intel ? argv_intel : argv, NULL, &sink, err);
	if (code == TP_ENOENT)
		code = tp_err_set(
		    err, TP_EIO, TP_OFFSET_NONE,
		    "objdump, which disassembles, is not installed (Debian: apt-get install "
		    "binutils)");
	for (size_t at = 0, n; !code && at < text.size; at += n + 1) {
		const char *line = (const char *)text.data + at;
		const char *stop = memchr(line, '\n', text.size - at);

		n = stop ? (size_t)(stop - line) : text.size - at;
		if (read_instruction(c, line, n))
			code = tp_nomem(err);
	}
	tp_buf_release(&text);
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
