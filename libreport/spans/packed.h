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
	struct rep_packed_part *part;
	size_t n, room;
};

/* Appends n values, at most REP_PACKED_ROWS. Only the last part may have fewer. Returns 0 or
 * TP_ENOMEM. */
int rep_packed_put(struct rep_packed *c, const int64_t *value, size_t n);
void rep_packed_release(struct rep_packed *c);

/* Returns the value of a row, which must exist. */
static inline int64_t rep_packed_at(const struct rep_packed *c, size_t row)
{
	const struct rep_packed_part *p = &c->part[row / REP_PACKED_ROWS];
	uint64_t x;

	memcpy(&x, p->bytes + row % REP_PACKED_ROWS * p->width, sizeof(x));
	x = le64toh(x) & p->mask;
	return x == p->null ? TP_NULL : (int64_t)((uint64_t)p->base + x);
}

#endif
