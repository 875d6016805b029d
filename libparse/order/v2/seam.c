#include "order/v2/seam.h"

#include <stdlib.h>

#include "base/many.h"

static int by_g(const void *a, const void *b)
{
	const struct tp_seam_g *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_m(const void *a, const void *b)
{
	const struct tp_seam_m *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_p(const void *a, const void *b)
{
	const struct tp_seam_p *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static uint8_t flags(bool alive, bool busy, bool lost)
{
	return (uint8_t)((alive ? TP_SEAM_ALIVE : 0) | (busy ? TP_SEAM_BUSY : 0) |
			 (lost ? TP_SEAM_LOST : 0));
}

static int put_gs(const struct tp_v2_state *s, struct tp_seam *seam)
{
	size_t room = 0;

	if (!s->gs.used)
		return 0;
	seam->g = tp_many(s->gs.used, sizeof(*seam->g));
	if (!seam->g)
		return TP_ENOMEM;
	for (size_t i = 0; i <= s->gs.mask; i++) {
		const struct tp_v2_g *g = s->gs.slots[i].value;

		if (!g)
			continue;
		seam->g[seam->ng++] = (struct tp_seam_g){
		    g->id, g->index, g->alive ? g->status : 0,
		    flags(g->alive, g->assisting == s->ranges, g->alive && g->lost)};
		room += g->alive && g->stw ? g->stw->n : 0;
	}
	qsort(seam->g, seam->ng, sizeof(*seam->g), by_g);
	if (!room)
		return 0;
	seam->stw = tp_many(room, sizeof(*seam->stw));
	if (!seam->stw)
		return TP_ENOMEM;
	for (size_t i = 0; i < seam->ng; i++) {
		const struct tp_v2_g *g = tp_idmap_get(&s->gs, seam->g[i].id);

		for (uint32_t k = 0; g && g->alive && g->stw && k < g->stw->n; k++)
			seam->stw[seam->nstw++] = (struct tp_seam_stw){g->id, g->stw->name[k]};
	}
	return 0;
}

static int put_ms(const struct tp_v2_state *s, struct tp_seam *seam)
{
	if (!s->nms)
		return 0;
	seam->m = tp_many(s->nms, sizeof(*seam->m));
	if (!seam->m)
		return TP_ENOMEM;
	for (size_t i = 0; i < s->nms; i++) {
		const struct tp_v2_m *m = s->all_ms[i];

		seam->m[seam->nm] = (struct tp_seam_m){m->id, m->g->id, m->p->id, m->index,
						       flags(m->alive, false, m->lost)};
		if (m->g->alive)
			seam->m[seam->nm].flags |= TP_SEAM_BOUND;
		seam->nm++;
	}
	qsort(seam->m, seam->nm, sizeof(*seam->m), by_m);
	return 0;
}

static int put_ps(const struct tp_v2_state *s, struct tp_seam *seam)
{
	if (!s->ps.used)
		return 0;
	seam->p = tp_many(s->ps.used, sizeof(*seam->p));
	if (!seam->p)
		return TP_ENOMEM;
	for (size_t i = 0; i <= s->ps.mask; i++) {
		const struct tp_v2_p *p = s->ps.slots[i].value;

		if (p)
			seam->p[seam->np++] =
			    (struct tp_seam_p){p->id, p->index, p->alive ? p->status : 0,
					       flags(p->alive, p->sweeping == s->ranges, false)};
	}
	qsort(seam->p, seam->np, sizeof(*seam->p), by_p);
	return 0;
}

int tp_v2_seam(const struct tp_v2_state *s, int64_t last_ts, struct tp_seam *seam)
{
	int code = put_gs(s, seam);

	seam->last_ts = last_ts;
	seam->gc = (uint8_t)s->gc;
	seam->gc_seq = s->gc_seq;
	if (!code)
		code = put_ms(s, seam);
	return code ? code : put_ps(s, seam);
}
