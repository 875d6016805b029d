#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "order/listing.h"

/* Decodes one code point of UTF-8 as Go does. Returns its length, or 0 if the bytes are invalid
 * (too long, a surrogate, beyond U+10FFFF, cut off). */
static unsigned decode(const uint8_t *p, size_t left, uint32_t *rune)
{
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned n = p[0] < 0x80   ? 1
		     : p[0] < 0xc2 ? 0
		     : p[0] < 0xe0 ? 2
		     : p[0] < 0xf0 ? 3
		     : p[0] < 0xf5 ? 4
				   : 0;

	if (!n || n > left)
		return 0;
	*rune = n == 1 ? p[0] : p[0] & (0x7fu >> n);
	for (unsigned i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*rune = *rune << 6 | (p[i] & 0x3fu);
	}
	if (*rune < least[n] || *rune > 0x10ffff || (*rune >= 0xd800 && *rune < 0xe000))
		return 0;
	return n;
}

static int escape(struct tp_buf *out, const uint8_t *p, unsigned n, uint32_t rune)
{
	static const char letters[] = "abtnvfr"; /* from \a = 7 on */
	char text[16];

	if (!n)
		snprintf(text, sizeof(text), "\\x%02x", p[0]);
	else if (rune >= 7 && rune <= 13)
		snprintf(text, sizeof(text), "\\%c", letters[rune - 7]);
	else if (rune < ' ' || rune == 0x7f)
		snprintf(text, sizeof(text), "\\x%02x", (unsigned)rune);
	else if (rune < 0x10000)
		snprintf(text, sizeof(text), "\\u%04x", (unsigned)rune);
	else
		snprintf(text, sizeof(text), "\\U%08x", (unsigned)rune);
	return tp_buf_put(out, text, strlen(text));
}

int tp_quote(struct tp_buf *out, const void *text, size_t size)
{
	const uint8_t *p = text, *end = p + size;
	int code = tp_buf_put(out, "\"", 1);

	while (p < end && !code) {
		uint32_t rune = 0;
		unsigned n = decode(p, (size_t)(end - p), &rune);

		if (n == 1 && (rune == '"' || rune == '\\')) {
			code = tp_buf_put(out, rune == '"' ? "\\\"" : "\\\\", 2);
		} else if (n && tp_is_print(rune)) {
			code = tp_buf_put(out, p, n);
		} else {
			code = escape(out, p, n, rune);
		}
		p += n ? n : 1;
	}
	return code ? code : tp_buf_put(out, "\"", 1);
}

int tp_escape(struct tp_buf *out, const void *text, size_t size)
{
	const uint8_t *p = text, *end = p + size, *from = p;

	while (p < end) {
		uint32_t rune = 0;
		unsigned n = decode(p, (size_t)(end - p), &rune);

		if (n == 1 ? rune >= ' ' && rune != 0x7f : n && tp_is_print(rune)) {
			p += n;
			continue;
		}
		if (tp_buf_put(out, from, (size_t)(p - from)))
			return TP_ENOMEM;
		for (from = p + (n ? n : 1); p < from; p++) {
			char hex[8];

			snprintf(hex, sizeof(hex), "\\x%02x", *p);
			if (tp_buf_put(out, hex, 4))
				return TP_ENOMEM;
		}
	}
	return tp_buf_put(out, from, (size_t)(end - from));
}
