/* Call frame information: entries, numbers and expressions. Private to cfi*.c. */
#ifndef RECORD_CORE_CFI_H
#define RECORD_CORE_CFI_H

#include <string.h>

#include "tprof-record/core/stack/machine.h"
#include "tprof-record/core/stack/unwind.h"

/* The entry for a piece of code: the instructions of its CIE, and its own. All their bytes are readable. */
struct rec_cfi_entry {
	uint64_t start;
	uint64_t code_align;
	int64_t data_align;
	bool signal; /* of a signal's return trampoline */
	const uint8_t *initial, *initial_limit, *code, *limit;
};

/* Finds the mapped file that contains `pc`. */
bool rec_cfi_find_image(uint64_t pc, struct rec_image *image);
/* Finds the entry of the code at `pc`. */
bool rec_cfi_find_entry(const struct rec_image *image, uint64_t pc, struct rec_cfi_entry *e);

/* Evaluates an expression in a frame; its stack begins with `first`. */
bool rec_cfi_evaluate(const uint8_t *p, const uint8_t *limit, const struct rec_frame *frame,
		      struct rec_reach *reach, uint64_t first, uint64_t *result);

/* ---- numbers; if the bytes end too early, they return 0 and set *p to the limit ---- */

static inline uint64_t rec_get_uleb(const uint8_t **p, const uint8_t *limit)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (*p < limit) {
		uint8_t b = *(*p)++;

		if (shift < 64)
			value |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (!(b & 0x80))
			break;
	}
	return value;
}

static inline int64_t rec_get_sleb(const uint8_t **p, const uint8_t *limit)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t b = 0;

	while (*p < limit) {
		b = *(*p)++;
		if (shift < 64)
			value |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		if (!(b & 0x80))
			break;
	}
	if (shift < 64 && (b & 0x40))
		value |= ~(uint64_t)0 << shift;
	return (int64_t)value;
}

static inline uint64_t rec_get_bytes(const uint8_t **p, const uint8_t *limit, size_t n)
{
	uint64_t value = 0;

	if ((size_t)(limit - *p) < n) {
		*p = limit;
		return 0;
	}
	memcpy(&value, *p, n);
	*p += n;
	return value;
}

static inline int64_t rec_get_signed(const uint8_t **p, const uint8_t *limit, size_t n)
{
	uint64_t value = rec_get_bytes(p, limit, n);

	return n < 8 ? (int64_t)(value << (64 - 8 * n)) >> (64 - 8 * n) : (int64_t)value;
}

#endif
