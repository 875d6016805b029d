#include "symbol/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/many.h"
#include "base/random.h"

static uint64_t hash(uint64_t a, uint64_t b)
{
	return tp_mix64(tp_mix64(0, a), b);
}

void *tp_memo_get(const struct tp_memo *m, uint64_t a, uint64_t b)
{
	uint64_t h = hash(a, b);

	for (struct tp_probe p = {0}; tp_table_next(&m->table, h, &p);)
		if (m->entry[p.row].a == a && m->entry[p.row].b == b)
			return m->entry[p.row].kept;
	return NULL;
}

int tp_memo_put(struct tp_memo *m, uint64_t a, uint64_t b, void *kept)
{
	if (tp_grow(&m->entry, &m->room, m->n, sizeof(*m->entry)) ||
	    tp_table_add(&m->table, hash(a, b), m->n))
		return TP_ENOMEM;
	m->entry[m->n++] = (struct tp_memo_entry){a, b, kept};
	return 0;
}

void tp_memo_release(struct tp_memo *m)
{
	free(m->entry);
	tp_table_release(&m->table);
	memset(m, 0, sizeof(*m));
}
