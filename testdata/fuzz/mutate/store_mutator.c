/* Damage to stores (harness/damage.h): changes of all kinds, with numbers that are near what is
 * there or where something tends to break. */
#include <string.h>

#include "mutate.h"

static void put_value(struct writer *w, struct dice *d)
{
	uint64_t v = like(d, roll(d, 20));
	uint8_t how = (uint8_t)roll(d, 6);

	put_bytes(w, &how, 1);
	if (how == 0) {
		put_bytes(w, &v, 2);
	} else if (how < 3) {
		put_bytes(w, &v, 8);
	} else if (how < 5) {
		static const char *const texts[] = {"event", "string",	  "trace", "profile",
						    "stack", "goroutine", "",	   "go 1.26"};
		const char *text = texts[roll(d, 8)];

		put_bytes(w, (uint8_t[]){(uint8_t)strlen(text)}, 1);
		put_bytes(w, text, strlen(text));
	}
}

static void put_bytes_of(struct writer *w, struct dice *d)
{
	uint8_t n = (uint8_t)roll(d, one_in(d, 4) ? 40 : 4), b;

	put_bytes(w, &n, 1);
	for (; n; n--) {
		b = (uint8_t)(one_in(d, 2)   ? roll(d, 16)
			      : one_in(d, 2) ? 255 - roll(d, 8)
					     : roll(d, 256));
		put_bytes(w, &b, 1);
	}
}

static void put_change(struct writer *w, struct dice *d)
{
	static const uint8_t kinds[] = {0, 0, 0, 0, 0, 1, 2, 2, 3, 3, 4, 5, 5, 6, 7};
	uint8_t kind = kinds[roll(d, sizeof(kinds))];
	uint8_t b[5];

	for (size_t i = 0; i < sizeof(b); i++)
		b[i] = (uint8_t)roll(d, 256);
	/* Bounds of parts and lists of pools' entries, of which there are few. */
	if (kind <= 1 && one_in(d, 2))
		b[0] = (uint8_t)(192 + roll(d, 64));
	put_bytes(w, &kind, 1);
	switch (kind) {
	case 0:
		b[2] = (uint8_t)roll(d, one_in(d, 2) ? 16 : 256);
		b[3] = (uint8_t)(one_in(d, 2) ? 0 : roll(d, 8));
		/* A number of the column becomes larger. */
		if (one_in(d, 2)) {
			b[2] = (uint8_t)roll(d, 256);
			b[4] = (uint8_t)(192 + roll(d, 64));
		}
		put_bytes(w, b, 5);
		put_bytes_of(w, d);
		break;
	case 1:
		b[1] = (uint8_t)roll(d, 64);
		put_bytes(w, b, 2);
		put_bytes_of(w, d);
		break;
	case 2:
		put_bytes(w, b, 2);
		put_value(w, d);
		break;
	case 3:
		put_bytes(w, b, 3);
		put_value(w, d);
		break;
	case 4:
		put_bytes(w, b, 3);
		break;
	case 5:
		put_bytes(w, b, 3);
		put_bytes_of(w, d);
		break;
	case 6:
		put_bytes(w, b, 2);
		break;
	default:
		put_bytes(w, b, 1);
		break;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct dice d = {seed};
	struct writer w = {data + size, data + max};

	if ((size > 16 && !memcmp(data, "SQLite format 3", 16)) || !one_in(&d, 3))
		return LLVMFuzzerMutate(data, size, max);
	if (!size || size + 16 > max || one_in(&d, 4)) {
		/* As it is, merged afterwards, merged before (harness/damage.h). */
		data[0] = (uint8_t)(one_in(&d, 3)   ? roll(&d, 4)
				    : one_in(&d, 3) ? 128 + roll(&d, 4)
						    : 64 + roll(&d, 64));
		w.at = data + 1;
	}
	for (unsigned n = 1 + roll(&d, 3); n; n--)
		put_change(&w, &d);
	return (size_t)(w.at - data);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
				 uint8_t *out, size_t max, unsigned seed)
{
	struct writer w = {out, out + max};

	(void)seed;
	put_bytes(&w, a, asize);
	if (bsize > 1)
		put_bytes(&w, b + 1, bsize - 1);
	return (size_t)(w.at - out);
}
