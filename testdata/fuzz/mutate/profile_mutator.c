#include <string.h>

#include "mutate.h"

/* Messages may follow each other: that merges them. */
static size_t cross(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize, uint8_t *out,
		    size_t max)
{
	asize = asize < max ? asize : max;
	bsize = bsize < max - asize ? bsize : max - asize;
	memcpy(out, a, asize);
	memcpy(out + asize, b, bsize);
	return asize + bsize;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return size && *data == '{' ? mutate_text(data, size, max, seed)
				    : mutate_proto(data, size, max, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize,
				 uint8_t *out, size_t max, unsigned seed)
{
	struct dice d = {seed};

	return one_in(&d, 2) ? cross(a, asize, b, bsize, out, max)
			     : cross(b, bsize, a, asize, out, max);
}
