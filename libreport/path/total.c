#include <stdlib.h>

#include "base/many.h"
#include "base/sum.h"
#include "path/path.h"
#include "path/wake.h"

static int by_time(const void *a, const void *b)
{
	const struct rep_path_sum *x = a, *y = b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static int add(const struct rep_view *v, const struct rep_path_sum *s, struct rep_keys *whats,
	       struct rep_keys *keys, struct rep_path_sum **total, size_t *room)
{
	uint32_t what, at;
	size_t known = keys->n;
	struct rep_path_sum *t;
	int code = rep_keys_add(whats, s->kind, s->reason, 0, 0, &what);

	if (!code)
		code = rep_keys_add(keys, s->entry, rep_path_site(v->dict, s->stack), what,
				    s->stack != 0, &at);
	if (!code)
		code = tp_grow(total, room, at, sizeof(**total));
	if (code)
		return code;
	t = &(*total)[at];
	if (at == known)
		*t = (struct rep_path_sum){.entry = s->entry,
					   .goroutine = s->goroutine,
					   .stack = s->stack,
					   .reason = s->reason,
					   .kind = s->kind};
	if (t->goroutine != s->goroutine)
		t->goroutine = TP_NONE;
	tp_sum(&t->count, s->count);
	tp_sum(&t->total_ns, s->total_ns);
	if (s->max_ns > t->max_ns)
		t->max_ns = s->max_ns;
	return 0;
}

struct rep_path_sum *rep_path_totals(const struct rep_view *v, const struct rep_path *path,
				     size_t *n)
{
	struct rep_keys whats = {0}, keys = {0};
	struct rep_path_sum *total = calloc(1, sizeof(*total));
	size_t room = 1;
	int code = total ? 0 : TP_ENOMEM;

	for (size_t i = 0; i < path->nsums && !code; i++)
		code = add(v, &path->sum[i], &whats, &keys, &total, &room);
	*n = keys.n;
	if (code) {
		free(total);
		total = NULL;
	} else {
		qsort(total, *n, sizeof(*total), by_time);
	}
	rep_keys_release(&whats);
	rep_keys_release(&keys);
	return total;
}
