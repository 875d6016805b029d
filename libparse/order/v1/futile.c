/* Futile wake-ups: a goroutine is woken, finds that another was faster, and blocks again. Go 1.5
 * and some later versions mark that with FutileWakeup; Go's reader removes the wake-up, the starts
 * and preemptions since, the mark and the block. A wake-up is known to be futile only at its end,
 * so a dry run of the whole merge first marks the events to leave out, one bit each by ordinal.
 */
#include "base/many.h"
#include "order/v1/state.h"

#include <stdlib.h>
#include <string.h>

struct node {
	uint64_t ordinal;
	uint32_t next; /* previous event of the same goroutine, or the next free node */
};

struct wakeup {
	uint32_t last; /* NO_NODE: none */
	bool futile;
};

struct tp_v1_futile {
	struct tp_ids g_of;
	struct wakeup *wakeups; /* by g_of */
	uint32_t n;
	size_t room;
	struct node *nodes;
	uint32_t nnodes, free;
	size_t nodes_room;
};

static struct wakeup *wakeup_of(struct tp_v1_futile *f, uint64_t id)
{
	uint32_t n = tp_ids_get(&f->g_of, id);

	if (n != TP_NO_ID)
		return &f->wakeups[n];
	if (tp_grow(&f->wakeups, &f->room, f->n, sizeof(*f->wakeups)))
		return NULL;
	if (tp_ids_put(&f->g_of, id, f->n))
		return NULL;
	f->wakeups[f->n] = (struct wakeup){.last = NO_NODE};
	return &f->wakeups[f->n++];
}

static int add(struct tp_v1_futile *f, struct wakeup *w, uint64_t ordinal)
{
	uint32_t n = f->free;

	if (n != NO_NODE) {
		f->free = f->nodes[n].next;
	} else {
		if (f->nnodes == NO_NODE ||
		    tp_grow_raw(&f->nodes, &f->nodes_room, f->nnodes, sizeof(*f->nodes)))
			return TP_ENOMEM;
		n = f->nnodes++;
	}
	f->nodes[n] = (struct node){.ordinal = ordinal, .next = w->last};
	w->last = n;
	return 0;
}

static int mark(struct tp_v1_order *o, uint64_t ordinal)
{
	if (ordinal / 8 > SIZE_MAX / 4 ||
	    tp_grow(&o->futile, &o->futile_room, (size_t)(ordinal / 8), 1))
		return TP_ENOMEM;
	o->futile[ordinal / 8] |= (uint8_t)(1u << (ordinal % 8));
	return 0;
}

/* Frees the events of a wake-up; marks them first if it was futile. */
static int settle(struct tp_v1_order *o, struct tp_v1_futile *f, struct wakeup *w)
{
	int code = 0;

	while (w->last != NO_NODE) {
		struct node *node = &f->nodes[w->last];
		uint32_t next = node->next;

		if (w->futile && !code)
			code = mark(o, node->ordinal);
		node->next = f->free;
		f->free = w->last;
		w->last = next;
	}
	w->futile = false;
	return code;
}

/* Records the lane's event, which is about to be merged (Go 1.19: removeFutile). */
int tp_v1_futile_note(struct tp_v1_order *o, const struct tp_v1_lane *l)
{
	struct tp_v1_futile *f = o->noting;
	const uint64_t *a = l->ev.v + o->lead;
	struct wakeup *w;
	int code = 0;

	switch (l->ev.type) {
	case TP_V1_GO_UNBLOCK:
	case TP_V1_GO_UNBLOCK_LOCAL:
		w = wakeup_of(f, a[0]);
		if (!w)
			return TP_ENOMEM;
		{
			bool futile = w->futile; /* Go replaces only the list */

			w->futile = false;
			settle(o, f, w);
			w->futile = futile;
		}
		return add(f, w, o->ordinal);
	case TP_V1_GO_START:
	case TP_V1_GO_START_LOCAL:
		w = wakeup_of(f, a[0]);
		return w ? add(f, w, o->ordinal) : TP_ENOMEM;
	case TP_V1_GO_PREEMPT:
	case TP_V1_FUTILE_WAKEUP:
		w = wakeup_of(f, l->g ? l->g->id : 0);
		if (!w)
			return TP_ENOMEM;
		w->futile |= l->ev.type == TP_V1_FUTILE_WAKEUP;
		return add(f, w, o->ordinal);
	case TP_V1_GO_BLOCK:
	case TP_V1_GO_BLOCK_SEND:
	case TP_V1_GO_BLOCK_RECV:
	case TP_V1_GO_BLOCK_SELECT:
	case TP_V1_GO_BLOCK_SYNC:
	case TP_V1_GO_BLOCK_COND:
		w = wakeup_of(f, l->g ? l->g->id : 0);
		if (!w)
			return TP_ENOMEM;
		if (w->futile)
			code = mark(o, o->ordinal);
		return code ? code : settle(o, f, w);
	default:
		return 0;
	}
}

int tp_v1_futile_find(struct tp_v1_order *o)
{
	struct tp_v1_futile f = {.free = NO_NODE};
	int code;

	o->noting = &f;
	o->quiet = true;
	code = tp_v1_run(o);
	o->quiet = false;
	o->noting = NULL;
	tp_ids_release(&f.g_of);
	free(f.wakeups);
	free(f.nodes);
	return code;
}
