/* Binary CPU profiles: 0, 3, kind, period, 0; then stacks (count, depth, addresses), 0, 1, 0; words
 * of 4 or 8 bytes in either order. */
#include <string.h>

#include "mutate.h"

#define WORDS 4000

struct layout {
	unsigned bytes;
	bool big;
};

static uint64_t get(const uint8_t *p, struct layout l)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < l.bytes; i++)
		v |= (uint64_t)p[l.big ? l.bytes - 1 - i : i] << 8 * i;
	return v;
}

static void put(struct writer *w, uint64_t v, struct layout l)
{
	uint8_t b[8];

	for (unsigned i = 0; i < l.bytes; i++)
		b[l.big ? l.bytes - 1 - i : i] = (uint8_t)(v >> 8 * i);
	put_bytes(w, b, l.bytes);
}

static bool find_layout(const uint8_t *data, size_t size, struct layout *l)
{
	for (unsigned i = 0; i < 4; i++) {
		*l = (struct layout){i & 1 ? 4 : 8, i & 2};
		if (size >= 5 * l->bytes && !get(data, *l) && get(data + l->bytes, *l) == 3)
			return true;
	}
	return false;
}

bool is_words(const uint8_t *data, size_t size)
{
	struct layout l;

	return find_layout(data, size, &l);
}

struct list {
	uint64_t word[WORDS];
	size_t n;
};

/* n words, like some that are there, at a place. */
static void insert(struct list *x, size_t at, const uint64_t *words, size_t n)
{
	if (x->n + n > WORDS)
		return;
	memmove(x->word + at + n, x->word + at, (x->n - at) * sizeof(x->word[0]));
	memcpy(x->word + at, words, n * sizeof(x->word[0]));
	x->n += n;
}

/* Where a stack begins, behind the header: one of those there are, or behind the last. */
static size_t stack_at(const struct list *x, struct dice *d)
{
	size_t at = 5, found = 5, seen = 0;

	while (at + 2 < x->n && x->word[at + 1] < x->n - at - 2) {
		if (!x->word[at] && x->word[at + 1] == 1 && !x->word[at + 2])
			break;
		if (one_in(d, (uint32_t)++seen))
			found = at;
		at += 2 + (size_t)x->word[at + 1];
	}
	return one_in(d, 4) ? at : found;
}

static void change(struct list *x, struct dice *d)
{
	size_t at = stack_at(x, d), n;
	uint64_t stack[40] = {0};

	at = at < x->n ? at : x->n;
	n = x->n - at >= 2 && x->word[at + 1] < x->n - at - 1 ? (size_t)x->word[at + 1] + 2 : 0;
	switch (roll(d, 6)) {
	case 0:
	case 1:
		at = roll(d, (uint32_t)x->n);
		x->word[at] =
		    one_in(d, 3) ? like(d, x->word[at]) : x->word[roll(d, (uint32_t)x->n)];
		break;
	case 2: /* a stack that is new, of what others have */
		stack[0] = roll(d, 4);
		stack[1] = roll(d, one_in(d, 4) ? 38 : 5);
		for (size_t i = 0; i < stack[1]; i++)
			stack[2 + i] = one_in(d, 4) ? 0x401000 + roll(d, 64)
						    : x->word[roll(d, (uint32_t)x->n)];
		insert(x, at, stack, (size_t)stack[1] + 2);
		break;
	case 3: /* one more like this, or many */
		if (n && n <= 40) {
			memcpy(stack, x->word + at, n * sizeof(stack[0]));
			for (uint32_t times = 1 + roll(d, one_in(d, 4) ? 60 : 2); times; times--)
				insert(x, at, stack, n);
		}
		break;
	case 4:
		memmove(x->word + at, x->word + at + n, (x->n - at - n) * sizeof(x->word[0]));
		x->n -= n;
		break;
	default:
		if (x->n > 3)
			x->word[2 + roll(d, 2)] = roll(d, 3) * roll(d, 10000);
		break;
	}
}

size_t mutate_words(const uint8_t *data, size_t size, struct writer *out, struct dice *d)
{
	static struct list x; /* large, and used by one thread */
	struct layout l;
	size_t at;

	find_layout(data, size, &l);
	x.n = 0;
	for (at = 0; at + l.bytes <= size && x.n < WORDS; at += l.bytes) {
		x.word[x.n++] = get(data + at, l);
		if (x.n > 7 && !x.word[x.n - 1] && x.word[x.n - 2] == 1 && !x.word[x.n - 3]) {
			at += l.bytes;
			break;
		}
	}
	for (uint32_t n = 1 + roll(d, 3); n && x.n; n--)
		change(&x, d);
	if (one_in(d, 10))
		l = (struct layout){one_in(d, 2) ? 4 : 8, one_in(d, 2)};
	for (size_t i = 0; i < x.n; i++)
		put(out, x.word[i], l);
	return at;
}
