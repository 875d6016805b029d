/* Segments that have been read: which are kept. */
#include <stdlib.h>
#include <string.h>

#include "lanes/slab.h"

/* Forgets what was drawn longest ago. What this draw has needed is kept before what it needs last:
 * of a range that is too long for memory, a part is there when it is drawn again. */
static void make_room(struct rep_lanes *l, const struct rep_slab *keep)
{
	while (l->slab_bytes > l->slab_most) {
		size_t old = l->v.nsegments;

		for (size_t i = 0; i < l->v.nsegments; i++) {
			if (!l->slab[i] || l->slab[i] == keep)
				continue;
			if (old == l->v.nsegments || l->slab[i]->used <= l->slab[old]->used)
				old = i;
		}
		if (old == l->v.nsegments)
			return;
		l->slab_bytes -= l->slab[old]->bytes;
		rep_slab_free(l->slab[old]);
		l->slab[old] = NULL;
	}
}

struct rep_slab *rep_slab_peek(struct rep_lanes *l, size_t segment)
{
	struct rep_slab *s = segment < l->v.nsegments ? l->slab[segment] : NULL;

	if (s)
		s->used = l->used;
	return s;
}

int rep_slab_get(struct rep_lanes *l, size_t segment, const atomic_bool *stop,
		 struct rep_slab **slab, struct tp_err *err)
{
	int code;

	if (stop && atomic_load(stop))
		return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	*slab = rep_slab_peek(l, segment);
	if (*slab)
		return 0;
	if (segment >= l->v.nsegments)
		return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "there is no segment %zu",
				  segment);
	code = rep_slab_read(l, segment, stop, slab, err);
	if (code)
		return code;
	l->slab[segment] = *slab;
	l->slab_bytes += (*slab)->bytes;
	make_room(l, *slab);
	return 0;
}

static int64_t distance(const struct tp_segment *s, int64_t from, int64_t to)
{
	if (s->to_ns < from)
		return tp_minus(from, s->to_ns);
	return s->from_ns > to ? tp_minus(s->from_ns, to) : 0;
}

int rep_lanes_ahead(struct rep_lanes *l, int64_t from, int64_t to, const atomic_bool *stop,
		    struct tp_err *err)
{
	const struct rep_view *v = &l->v;
	size_t most = 0;
	int code = 0;

	/* Not more than fit beside each other: none is forgotten for another. */
	while (!code && l->slab_bytes + most < l->slab_most) {
		size_t next = v->nsegments;
		struct rep_slab *slab;

		for (size_t i = 0; i < v->nsegments; i++) {
			if (l->slab[i])
				most = l->slab[i]->bytes > most ? l->slab[i]->bytes : most;
			else if (next == v->nsegments || distance(&v->segments[i], from, to) <
							     distance(&v->segments[next], from, to))
				next = i;
		}
		if (next == v->nsegments || l->slab_bytes + most >= l->slab_most)
			break;
		code = rep_slab_get(l, next, stop, &slab, err);
	}
	return code;
}

void rep_slabs_release(struct rep_lanes *l)
{
	for (size_t i = 0; l->slab && i < l->v.nsegments; i++)
		rep_slab_free(l->slab[i]);
	free(l->slab);
	l->slab = NULL;
}

uint32_t rep_slab_find(const struct rep_slab_list *list, uint32_t n, uint32_t owner)
{
	uint32_t from = 0, to = n;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (list[middle].owner < owner)
			from = middle + 1;
		else
			to = middle;
	}
	return from < n && list[from].owner == owner ? from : n;
}

const struct rep_slab_list *rep_slab_owner(const struct rep_slab *s, uint32_t i)
{
	uint32_t from = 0, to = s->nlists;

	while (from + 1 < to) {
		uint32_t middle = from + (to - from) / 2;

		if (s->list[middle].first <= i)
			from = middle;
		else
			to = middle;
	}
	return &s->list[from];
}
