/* Columns of long tables, packed: the numbers of a few thousand rows take as many bytes each as
 * their differences need. Times, ids and indexes of neighbouring rows are alike, so a number takes
 * about two bytes, where it would take eight. */
#ifndef REP_SPANS_PACKED_H
#define REP_SPANS_PACKED_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "store/tables.h"

#define REP_PACKED_ROWS 4096 /* of a part */

struct rep_packed_part {
	uint8_t *bytes; /* `width` of each row, little-endian, and 8 to read beyond the last */
	int64_t base;	/* is added to a number */
	uint64_t mask;	/* of `width` bytes */
	uint64_t null;	/* the number that stands for TP_NULL */
	unsigned width;
};

/* Zero-initialised is valid and empty. */
struct rep_packed {
	struct rep_packed_part *part; /* n of REP_PACKED_ROWS rows each */
	size_t n, room;
	int64_t *rest; /* the rows behind them */
	size_t nrest;
};

/* Appends n values. Returns 0 or TP_ENOMEM. */
int rep_packed_put(struct rep_packed *c, const int64_t *value, size_t n);
void rep_packed_release(struct rep_packed *c);

static inline size_t rep_packed_rows(const struct rep_packed *c)
{
	return c->n * REP_PACKED_ROWS + c->nrest;
}

/* Returns the value of a row, which must exist. */
static inline int64_t rep_packed_at(const struct rep_packed *c, size_t row)
{
	const struct rep_packed_part *p;
	uint64_t x;

	if (row / REP_PACKED_ROWS == c->n)
		return c->rest[row % REP_PACKED_ROWS];
	p = &c->part[row / REP_PACKED_ROWS];
	memcpy(&x, p->bytes + row % REP_PACKED_ROWS * p->width, sizeof(x));
	x = le64toh(x) & p->mask;
	return x == p->null ? TP_NULL : (int64_t)((uint64_t)p->base + x);
}

#endif
