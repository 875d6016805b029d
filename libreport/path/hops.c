#include "path/hops.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/many.h"
#include "decode/event.h"

enum {
	LENGTH = REP_HOP_COLUMNS - 2, /* the numbers before are in the order of `members` */
	TO,
};

/* Members of 32 bits, of which TP_NONE is packed as TP_NULL: its bits would make all others as wide. */
static const size_t members[] = {
    offsetof(struct rep_path_hop, goroutine),	offsetof(struct rep_path_hop, reason),
    offsetof(struct rep_path_hop, stack),	offsetof(struct rep_path_hop, chain),
    offsetof(struct rep_path_hop, wakes),	offsetof(struct rep_path_hop, wakes_reason),
    offsetof(struct rep_path_hop, wakes_stack), offsetof(struct rep_path_hop, wake_stack),
    offsetof(struct rep_path_hop, holder),
};
#define MEMBERS TP_COUNT_OF(members)
#define KIND	MEMBERS
#define CREATES (MEMBERS + 1)

static int64_t number(const struct rep_path_hop *hop, size_t column)
{
	uint32_t x;

	switch (column) {
	case KIND:
		return hop->kind;
	case CREATES:
		return hop->creates;
	case LENGTH:
		return hop->to - hop->from;
	case TO:
		return hop->to;
	default:
		memcpy(&x, (const char *)hop + members[column], sizeof(x));
		return x == TP_NONE ? TP_NULL : (int64_t)x;
	}
}

static int pack(struct rep_path_hops *h)
{
	int64_t *value = tp_many(REP_PACKED_ROWS, sizeof(*value));
	int code = value ? 0 : TP_ENOMEM;

	for (size_t c = 0; !code && c < REP_HOP_COLUMNS; c++) {
		for (size_t i = 0; i < REP_PACKED_ROWS; i++)
			value[i] = number(&h->last[i], c);
		code = rep_packed_put(&h->col[c], value, REP_PACKED_ROWS);
	}
	free(value);
	if (!code)
		h->packed = h->n;
	return code;
}

int rep_path_hops_put(struct rep_path_hops *h, const struct rep_path_hop *hop)
{
	if (!h->last)
		h->last = tp_many(REP_PACKED_ROWS, sizeof(*h->last));
	/* The last hop may be extended, so full ones are packed when another one comes. */
	if (!h->last || (h->n - h->packed == REP_PACKED_ROWS && pack(h)))
		return TP_ENOMEM;
	h->last[h->n++ - h->packed] = *hop;
	return 0;
}

void rep_path_hops_extend(struct rep_path_hops *h, int64_t from)
{
	h->last[h->n - 1 - h->packed].from = from;
}

struct rep_path_hop rep_path_hops_at(const struct rep_path_hops *h, size_t i)
{
	struct rep_path_hop hop = {0};

	if (i >= h->packed)
		return h->last[i - h->packed];
	for (size_t c = 0; c < MEMBERS; c++) {
		int64_t value = rep_packed_at(&h->col[c], i);
		uint32_t x = value == TP_NULL ? TP_NONE : (uint32_t)value;

		memcpy((char *)&hop + members[c], &x, sizeof(x));
	}
	hop.kind = (uint8_t)rep_packed_at(&h->col[KIND], i);
	hop.creates = rep_packed_at(&h->col[CREATES], i) == 1;
	hop.to = rep_packed_at(&h->col[TO], i);
	hop.from = hop.to - rep_path_hops_ns(h, i);
	return hop;
}

int64_t rep_path_hops_ns(const struct rep_path_hops *h, size_t i)
{
	return i < h->packed ? rep_packed_at(&h->col[LENGTH], i)
			     : number(&h->last[i - h->packed], LENGTH);
}

void rep_path_hops_release(struct rep_path_hops *h)
{
	for (size_t c = 0; c < REP_HOP_COLUMNS; c++)
		rep_packed_release(&h->col[c]);
	free(h->last);
	memset(h, 0, sizeof(*h));
}
