/* The mutators for AFL++: the functions that it calls in a custom mutator (docs/custom_mutators.md
 * of AFL++), by way of those that libFuzzer calls. Built with one NAME_mutator.c into a library
 * that AFL_CUSTOM_MUTATOR_LIBRARY names. */
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

struct afl {
	struct dice dice;
	uint8_t *room;
};

/* What libFuzzer brings: bytes changed without knowing what they are. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max)
{
	static struct dice d = {1};
	size_t at = roll(&d, (uint32_t)size + 1), n = 1 + roll(&d, 8);

	switch (roll(&d, 4)) {
	case 0: /* longer */
		n = n < max - size ? n : max - size;
		memmove(data + at + n, data + at, size - at);
		for (size_t i = 0; i < n; i++)
			data[at + i] = (uint8_t)roll(&d, 256);
		return size + n;
	case 1: /* shorter */
		n = n < size - at ? n : size - at;
		if (n == size)
			break;
		memmove(data + at, data + at + n, size - at - n);
		return size - n;
	default:
		break;
	}
	if (at < size)
		data[at] = (uint8_t)like(&d, data[at]);
	return size;
}

void *afl_custom_init(void *afl, unsigned seed);
size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t size, uint8_t **out, uint8_t *other,
		       size_t other_size, size_t max);
void afl_custom_deinit(void *data);

void *afl_custom_init(void *afl, unsigned seed)
{
	struct afl *a = calloc(1, sizeof(*a));

	(void)afl;
	if (a)
		a->dice.state = seed;
	return a;
}

size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t size, uint8_t **out, uint8_t *other,
		       size_t other_size, size_t max)
{
	struct afl *a = data;
	uint8_t *grown = realloc(a->room, max + 1);

	*out = buf;
	if (!grown)
		return size;
	*out = a->room = grown;
	if (other && other_size && one_in(&a->dice, 8))
		return LLVMFuzzerCustomCrossOver(buf, size, other, other_size, a->room, max,
						 roll(&a->dice, UINT32_MAX));
	memcpy(a->room, buf, size < max ? size : max);
	return LLVMFuzzerCustomMutator(a->room, size < max ? size : max, max,
				       roll(&a->dice, UINT32_MAX));
}

void afl_custom_deinit(void *data)
{
	struct afl *a = data;

	free(a->room);
	free(a);
}
