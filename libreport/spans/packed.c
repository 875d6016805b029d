#include "spans/packed.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/many.h"

/* Finds how to pack the values: the least width that holds all differences from the smallest, and
 * one more for TP_NULL if there is one. */
static struct rep_packed_part fit(const int64_t *value)
{
	int64_t low = INT64_MAX, high = INT64_MIN;
	struct rep_packed_part p = {.null = UINT64_MAX};
	size_t nulls = 0;
	uint64_t most;

	for (size_t i = 0; i < REP_PACKED_ROWS; i++) {
		nulls += value[i] == TP_NULL;
		low = value[i] != TP_NULL && value[i] < low ? value[i] : low;
		high = value[i] > high ? value[i] : high;
	}
	if (nulls == REP_PACKED_ROWS) {
		p.null = 0; /* what every row has */
		return p;
	}
	p.base = low;
	most = (uint64_t)high - (uint64_t)low;
	while (p.width < 8 && (most > p.mask || (nulls && most == p.mask))) {
		p.width++;
		p.mask = UINT64_MAX >> (64 - 8 * p.width);
	}
	if (p.width == 8) {
		p.base = 0;
		p.null = (uint64_t)TP_NULL;
	} else if (nulls) {
		p.null = p.mask;
	}
	return p;
}

/* Packs REP_PACKED_ROWS values. */
static int pack(struct rep_packed *c, const int64_t *value)
{
	struct rep_packed_part p = fit(value);

	if (tp_grow(&c->part, &c->room, c->n, sizeof(*c->part)))
		return TP_ENOMEM;
	p.bytes = malloc((size_t)REP_PACKED_ROWS * p.width + sizeof(uint64_t));
	if (!p.bytes)
		return TP_ENOMEM;
	memset(p.bytes + (size_t)REP_PACKED_ROWS * p.width, 0, sizeof(uint64_t));
	for (size_t i = 0; p.width && i < REP_PACKED_ROWS; i++) {
		uint64_t x = value[i] == TP_NULL ? p.null : (uint64_t)value[i] - (uint64_t)p.base;

		/* The bytes beyond the width are those of the next row, which follows. */
		x = htole64(x & p.mask);
		memcpy(p.bytes + i * p.width, &x, sizeof(x));
	}
	c->part[c->n++] = p;
	return 0;
}

int rep_packed_put(struct rep_packed *c, const int64_t *value, size_t n)
{
	int code = 0;

	while (!code && n) {
		size_t some = REP_PACKED_ROWS - c->nrest;

		some = n < some ? n : some;
		if (some == REP_PACKED_ROWS) {
			code = pack(c, value);
		} else {
			if (!c->rest)
				c->rest = tp_many(REP_PACKED_ROWS, sizeof(*c->rest));
			if (!c->rest)
				return TP_ENOMEM;
			memcpy(c->rest + c->nrest, value, some * sizeof(*value));
			c->nrest += some;
			if (c->nrest == REP_PACKED_ROWS) {
				code = pack(c, c->rest);
				c->nrest = 0;
			}
		}
		value += some;
		n -= some;
	}
	return code;
}

void rep_packed_release(struct rep_packed *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->part[i].bytes);
	free(c->part);
	free(c->rest);
	memset(c, 0, sizeof(*c));
}
