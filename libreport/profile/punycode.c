#include "profile/punycode.h"

#include <string.h>

enum { LONGEST = REP_PUNYCODE_ROOM / 4 }; /* characters */

static int digit_of(char c)
{
	if (c >= 'a' && c <= 'z')
		return c - 'a';
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	return c >= '0' && c <= '9' ? c - '0' + 26 : -1;
}

/* Inserts the characters that RFC 3492 (with "_" for "-") encodes behind the last underscore. Returns how many
 * characters there are then, or 0 if the text is wrong. */
static size_t unpack(struct tp_text id, uint32_t c[LONGEST])
{
	size_t n = 0, i = 0, at = 0, bias = 72;
	uint32_t value = 128;

	for (size_t k = id.size; k--;) {
		if (id.text[k] != '_')
			continue;
		if (k > LONGEST)
			return 0;
		for (; n < k; n++)
			c[n] = (uint8_t)id.text[n];
		at = k + 1;
		break;
	}
	while (at < id.size) {
		size_t begin = i, weight = 1, delta, steps = 0;

		for (size_t k = 36;; k += 36) {
			size_t low = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
			int digit = at < id.size ? digit_of(id.text[at++]) : -1;

			if (digit < 0 || weight > UINT32_MAX)
				return 0;
			i += (size_t)digit * weight;
			if ((size_t)digit < low)
				break;
			weight *= 36 - low;
		}
		if (n == LONGEST)
			return 0;
		n++;
		delta = (i - begin) / (begin ? 2 : 700);
		delta += delta / n;
		for (; delta > 35 * 26 / 2; steps += 36)
			delta /= 35;
		bias = steps + 36 * delta / (delta + 38);
		if (i / n > 0x10ffff - value)
			return 0;
		value += (uint32_t)(i / n);
		i %= n;
		memmove(c + i + 1, c + i, (n - 1 - i) * sizeof(*c));
		c[i++] = value;
	}
	return n;
}

size_t rep_punycode(struct tp_text id, char text[REP_PUNYCODE_ROOM])
{
	uint32_t c[LONGEST];
	size_t n = unpack(id, c), size = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned more = c[i] < 0x80 ? 0 : c[i] < 0x800 ? 1 : c[i] < 0x10000 ? 2 : 3;

		/* Control characters, and halves of pairs. */
		if (c[i] < 0x20 || (c[i] >= 0x7f && c[i] < 0xa0) ||
		    (c[i] >= 0xd800 && c[i] < 0xe000))
			return 0;
		text[size++] = (char)(more ? 0xff00u >> (more + 1) | c[i] >> 6 * more : c[i]);
		while (more--)
			text[size++] = (char)(0x80 | (c[i] >> 6 * more & 0x3f));
	}
	return size;
}
