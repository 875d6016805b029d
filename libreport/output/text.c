#include "output/text.h"

#include <ctype.h>
#include <string.h>

#include "base/err.h"

#define INVALID UINT32_MAX

/* Decodes one code point by the strict rules of RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF. Returns its number of bytes; an invalid byte has 1. */
static size_t decode(const unsigned char *s, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c = s[0];
	size_t len;

	*cp = INVALID;
	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if (c >= 0xf0 && c < 0xf8)
		len = 4, c &= 0x07;
	else if (c >= 0xe0)
		len = 3, c &= 0x0f;
	else
		len = 2, c &= 0x1f;
	if (s[0] < 0xc0 || s[0] >= 0xf8 || len > n)
		return 1;
	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 1;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 1;
	*cp = c;
	return len;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(uint32_t cp, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (cp < r[i].first)
			return false;
		if (cp <= r[i].last)
			return true;
	}
	return false;
}

/* Returns whether a terminal acts upon the character, or it can disguise text: C1 controls, soft
 * hyphen, zero-width and directional marks, line and paragraph separators, the byte order mark,
 * interlinear and tag characters, and the two that are not allowed in XML. */
static bool is_deceptive(uint32_t cp)
{
	static const struct range r[] = {
	    {0x80, 0x9f},     {0xad, 0xad},	{0x61c, 0x61c},	    {0x180e, 0x180e},
	    {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},   {0xfeff, 0xfeff},
	    {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f},
	};

	return cp >= 0x80 && in_ranges(cp, r, sizeof(r) / sizeof(r[0]));
}

/* Returns the cells of a character, by the combining and wide blocks that matter (Unicode's
 * EastAsianWidth W and F, emoji). */
static size_t cells(uint32_t cp)
{
	static const struct range none[] = {
	    {0x300, 0x36f},   {0x483, 0x489},	{0x591, 0x5bd},	    {0x610, 0x61a},
	    {0x64b, 0x65f},   {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},   {0x20d0, 0x20ff},
	    {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
	};
	static const struct range two[] = {
	    {0x1100, 0x115f},	{0x231a, 0x231b},   {0x2e80, 0x303e},	{0x3041, 0x33ff},
	    {0x3400, 0x4dbf},	{0x4e00, 0x9fff},   {0xa000, 0xa4cf},	{0xac00, 0xd7a3},
	    {0xf900, 0xfaff},	{0xfe30, 0xfe6f},   {0xff00, 0xff60},	{0xffe0, 0xffe6},
	    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
	};

	if (cp < 0x300)
		return 1;
	if (in_ranges(cp, none, sizeof(none) / sizeof(none[0])))
		return 0;
	return in_ranges(cp, two, sizeof(two) / sizeof(two[0])) ? 2 : 1;
}

/* Writes the escape of a code point or of an invalid byte. */
static int put_escape(struct tp_buf *out, uint32_t cp, unsigned char byte, enum rep_escape how)
{
	const char *slash = how == REP_ESCAPE_JSON ? "\\\\" : "\\";

	if (cp == INVALID)
		return tp_buf_printf(out, "%sx%02x", slash, byte);
	if (how == REP_ESCAPE_JSON)
		return cp < 0x10000
			   ? tp_buf_printf(out, "\\u%04x", cp)
			   : tp_buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((cp - 0x10000) >> 10),
					   0xdc00 + (cp & 0x3ff));
	if (cp == '\n' || cp == '\t' || cp == '\r')
		return tp_buf_text(out, cp == '\n' ? "\\n" : cp == '\t' ? "\\t" : "\\r");
	return tp_buf_printf(out, cp < 0x80 ? "\\x%02x" : cp < 0x10000 ? "\\u%04x" : "\\U%08x", cp);
}

/* Returns the entity for a character with a meaning in XML, NULL for others. */
static const char *entity(uint32_t cp)
{
	switch (cp) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

int rep_escape(struct tp_buf *out, const char *text, size_t size, enum rep_escape how)
{
	bool xml = how == REP_ESCAPE_XML;
	const unsigned char *s = (const unsigned char *)text;
	size_t from = 0; /* start of the part not yet copied */

	for (size_t i = 0, len; i < size; i += len) {
		bool escape, twice;
		uint32_t cp;

		if (s[i] >= 0x20 && s[i] < 0x7f && s[i] != '\\' && s[i] != '"' &&
		    !(xml && entity(s[i]))) {
			len = 1;
			continue;
		}
		len = decode(s + i, size - i, &cp);
		escape = cp == INVALID || cp < 0x20 || cp == 0x7f || is_deceptive(cp);
		if (how == REP_ESCAPE_CSV && (cp == '\n' || cp == '\t'))
			escape = false;
		twice = (cp == '\\' && (how == REP_ESCAPE_JSON || how == REP_ESCAPE_TSV)) ||
			(cp == '"' && (how == REP_ESCAPE_JSON || how == REP_ESCAPE_CSV)) ||
			(xml && entity(cp));
		if (!escape && !twice)
			continue;
		tp_buf_put(out, s + from, i - from);
		if (escape)
			put_escape(out, cp, s[i], how);
		else
			tp_buf_text(out, xml			 ? entity(cp)
					 : how == REP_ESCAPE_CSV ? "\"\""
					 : cp == '"'		 ? "\\\""
								 : "\\\\");
		from = i + len;
	}
	return tp_buf_put(out, s + from, size - from);
}

size_t rep_text_width(const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t width = 0;
	uint32_t cp;

	for (size_t i = 0; i < size;) {
		i += decode(s + i, size - i, &cp);
		width += cells(cp);
	}
	return width;
}

/* Returns how many bytes at the start of the text take at most `width` cells. */
static size_t head(const char *text, size_t size, size_t width)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t used = 0, i = 0;

	while (i < size) {
		uint32_t cp;
		size_t len = decode(s + i, size - i, &cp);

		used += cells(cp);
		if (used > width)
			break;
		i += len;
	}
	return i;
}

/* Returns where the end of the text that takes at most `width` of its `total` cells begins. */
static size_t tail(const char *text, size_t size, size_t total, size_t width)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t i = 0;

	while (i < size && total > width) {
		uint32_t cp;

		i += decode(s + i, size - i, &cp);
		total -= cells(cp);
	}
	return i;
}

/* Returns where the bracket opened at `from` is closed; size if it is not closed. */
static size_t closing(const char *text, size_t from, size_t size)
{
	size_t depth = 0;

	for (size_t i = from; i < size; i++) {
		if (text[i] == '[')
			depth++;
		else if (text[i] == ']' && !--depth)
			return i;
	}
	return size;
}

/* Shortens type arguments: "slices.SortFunc[…]". */
static int leave_arguments_out(struct tp_buf *out, const char *text, size_t size, const char *dots,
			       size_t dots_width)
{
	size_t from = 0; /* start of the part not yet copied */

	for (size_t i = 0, end; i < size; i = end + 1) {
		const char *open = memchr(text + i, '[', size - i);

		i = open ? (size_t)(open - text) : size;
		end = closing(text, i, size);
		if (end == size)
			break;
		/* "[sync]" is a whole name. */
		if (!i || (!isalnum((unsigned char)text[i - 1]) && text[i - 1] != '_') ||
		    rep_text_width(text + i + 1, end - i - 1) <= dots_width)
			continue;
		tp_buf_put(out, text + from, i + 1 - from);
		tp_buf_text(out, dots);
		from = end;
	}
	return tp_buf_put(out, text + from, size - from);
}

static int cut(struct tp_buf *out, const char *text, size_t size, size_t width,
	       enum rep_shorten how, bool ascii)
{
	size_t total = rep_text_width(text, size), left = 0, right = 0, begin;
	const char *dots = ascii ? "..." : "…";
	size_t dots_width = ascii ? 3 : 1;

	if (how == REP_SHORTEN_FUNCTION)
		how = REP_SHORTEN_LEFT;
	if (total <= width)
		return tp_buf_put(out, text, size);
	if (width <= dots_width) { /* no room for both: the part of the text that fits */
		begin = how == REP_SHORTEN_LEFT ? tail(text, size, total, width) : 0;
		size = how == REP_SHORTEN_LEFT ? size : head(text, size, width);
		return tp_buf_put(out, text + begin, size - begin);
	}
	width -= dots_width;
	if (how == REP_SHORTEN_RIGHT)
		left = width;
	else if (how == REP_SHORTEN_LEFT)
		right = width;
	else
		left = width / 3, right = width - left;
	begin = right ? tail(text, size, total, right) : size;
	tp_buf_put(out, text, left ? head(text, size, left) : 0);
	tp_buf_text(out, dots);
	return tp_buf_put(out, text + begin, size - begin);
}

#define WHERE_LEAST 8 /* cells of what is in front of the gap */

/* Cuts a text around the gap that begins at `gap`. */
static int cut_where(struct tp_buf *out, const char *text, size_t size, size_t gap, size_t width,
		     bool ascii)
{
	size_t from = gap + strlen(REP_WHERE_GAP), front = rep_text_width(text, gap), room, needed;
	const char *next = memmem(text + from, size - from, " < ", 3);
	size_t end = next ? (size_t)(next - text) : size;

	room = width - strlen(REP_WHERE_GAP);
	needed = rep_text_width(text + from, end - from);
	/* The mark of what is cut stands behind that function. */
	if (front + needed + (ascii ? 3 : 1) <= room)
		return cut(out, text, size, width, REP_SHORTEN_RIGHT, ascii);
	if (front > WHERE_LEAST)
		front = needed < room && room - needed > WHERE_LEAST ? room - needed : WHERE_LEAST;
	cut(out, text, gap, front, REP_SHORTEN_LEFT, ascii);
	tp_buf_text(out, REP_WHERE_GAP);
	return cut(out, text + from, end - from, room - front, REP_SHORTEN_LEFT, ascii);
}

int rep_shorten(struct tp_buf *out, const char *text, size_t size, size_t width,
		enum rep_shorten how, bool ascii)
{
	struct tp_buf brief = {0};
	int code;

	if (how == REP_SHORTEN_WHERE || how == REP_SHORTEN_FUNCTION) {
		const char *gap = memmem(text, size, REP_WHERE_GAP, strlen(REP_WHERE_GAP));

		if (gap && width >= 3 * WHERE_LEAST && rep_text_width(text, size) > width)
			return cut_where(out, text, size, (size_t)(gap - text), width, ascii);
		if (how == REP_SHORTEN_WHERE)
			how = REP_SHORTEN_RIGHT;
	}
	if (how != REP_SHORTEN_FUNCTION || !size || !memchr(text, '[', size) ||
	    rep_text_width(text, size) <= width)
		return cut(out, text, size, width, how, ascii);
	code = leave_arguments_out(&brief, text, size, ascii ? "..." : "…", ascii ? 3 : 1);
	if (!code)
		code = cut(out, (const char *)brief.data, brief.size, width, how, ascii);
	tp_buf_release(&brief);
	return code;
}
