#include "labelled.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

int labelled_first(struct labelled *l, const char *hash, const char *label)
{
	uint64_t of = tp_hash_bytes(0, hash, strlen(hash));
	uint64_t print = tp_hash_bytes(of, label, strcspn(label, "="));

	for (struct tp_probe p = {0}; tp_table_next(&l->table, print, &p);)
		if (l->print[p.row] == print)
			return 0;
	if (tp_grow(&l->print, &l->room, l->n, sizeof(*l->print)) ||
	    tp_table_add(&l->table, print, l->n))
		return TP_ENOMEM;
	l->print[l->n++] = print;
	return 1;
}

void labelled_release(struct labelled *l)
{
	free(l->print);
	tp_table_release(&l->table);
	*l = (struct labelled){0};
}
