#include "task/spent.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"

int rep_spent_put(void *ctx, const struct rep_stretch *s, struct tp_err *err)
{
	struct rep_spent *t = ctx;
	uint32_t label = s->worker == TP_NONE ? TP_NONE : t->workers->worker[s->worker].label;
	bool bare = s->state == TP_ST_RUNNING || s->worker == TP_NONE;
	uint32_t what, at;
	int code = rep_keys_add(&t->what, label, s->state, bare ? 0 : s->reason,
				bare ? 0 : s->stack, &what);

	if (!code)
		code = rep_keys_add(&t->at, s->item, what, 0, 0, &at);
	if (!code)
		code = tp_grow(&t->cell, &t->room, at, sizeof(*t->cell));
	if (code)
		return tp_err_full(err, code, "too many different things happen here");
	t->cell[at].item = s->item;
	t->cell[at].what = what;
	tp_sum(&t->cell[at].ns, tp_minus(s->to, s->from));
	return 0;
}

void rep_spent_release(struct rep_spent *t)
{
	rep_keys_release(&t->what);
	rep_keys_release(&t->at);
	free(t->cell);
	memset(t, 0, sizeof(*t));
}
