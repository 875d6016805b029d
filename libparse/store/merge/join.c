#include "store/merge/join.h"

#include <stdlib.h>

#include "base/many.h"
#include "order/v2/state.h"

static int damaged(struct tp_err *err)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE,
			  "what it says of its generations is damaged");
}

/* What an import of all generations would have made of it is not known then. */
static int mismatch(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "it does not begin as the part before it ends (%s)", what);
}

/* ---- the dictionary ---- */

static int map_strings(struct tp_dict *to, const struct tp_dict *dict, struct join_maps *maps)
{
	int code = 0;

	maps->nstr = tp_dict_strings(dict);
	maps->str = tp_many(maps->nstr, sizeof(*maps->str));
	for (uint32_t i = 0; maps->str && i < maps->nstr && !code; i++) {
		struct tp_text t = tp_dict_text(dict, i);

		code = tp_dict_string(to, t.text, t.size, &maps->str[i]);
	}
	return maps->str ? code : TP_ENOMEM;
}

static uint32_t at(const uint32_t *map, uint32_t n, uint32_t i)
{
	return i < n ? map[i] : 0;
}

static int map_functions(struct tp_dict *to, const struct tp_dict *dict,
			 const struct join_maps *maps, uint32_t *function)
{
	int code = 0;

	for (uint32_t i = 1; i < tp_dict_functions(dict) && !code; i++) {
		struct tp_function f = tp_dict_function_at(dict, i);

		f.name = at(maps->str, maps->nstr, f.name);
		f.system_name = at(maps->str, maps->nstr, f.system_name);
		f.file = at(maps->str, maps->nstr, f.file);
		code = tp_dict_function(to, &f, &function[i]);
	}
	return code;
}

static int map_locations(struct tp_dict *to, const struct tp_dict *dict, uint32_t *location)
{
	int code = 0;

	for (uint32_t i = 1; i < tp_dict_locations(dict) && !code; i++) {
		struct tp_location l = tp_dict_location_at(dict, i);

		code = tp_dict_location(to, &l, &location[i]);
	}
	return code;
}

static int map_frames(struct tp_dict *to, const struct tp_dict *dict, const uint32_t *function,
		      const uint32_t *location, uint32_t *frame)
{
	int code = 0;

	for (uint32_t i = 1; i < tp_dict_frames(dict) && !code; i++) {
		struct tp_frame f = tp_dict_frame_at(dict, i);

		f.function = at(function, tp_dict_functions(dict), f.function);
		f.location = at(location, tp_dict_locations(dict), f.location);
		code = tp_dict_frame(to, &f, &frame[i]);
	}
	return code;
}

/* A parent comes before its child. */
static int map_stacks(struct tp_dict *to, const struct tp_dict *dict, const uint32_t *frame,
		      struct join_maps *maps)
{
	int code = 0;

	maps->nstack = tp_dict_stacks(dict);
	maps->stack = calloc(maps->nstack, sizeof(*maps->stack));
	for (uint32_t i = 1; maps->stack && i < maps->nstack && !code; i++) {
		struct tp_stack_node n = tp_dict_stack_at(dict, i);

		code = tp_dict_stack(to, n.parent < i ? maps->stack[n.parent] : 0,
				     at(frame, tp_dict_frames(dict), n.frame), &maps->stack[i]);
	}
	return maps->stack ? code : TP_ENOMEM;
}

/* In the order in which the part has them, which is that of their first appearance in it; so those
 * that are new are in the order in which one reader of all would have met them. */
static int map_dict(struct tp_dict *to, const struct tp_dict *dict, struct join_maps *maps,
		    struct tp_err *err)
{
	uint32_t *function = calloc(tp_dict_functions(dict), sizeof(*function));
	uint32_t *location = calloc(tp_dict_locations(dict), sizeof(*location));
	uint32_t *frame = calloc(tp_dict_frames(dict), sizeof(*frame));
	int code = function && location && frame ? 0 : TP_ENOMEM;

	if (!code)
		code = map_strings(to, dict, maps);
	if (!code)
		code = map_functions(to, dict, maps, function);
	if (!code)
		code = map_locations(to, dict, location);
	if (!code)
		code = map_frames(to, dict, function, location, frame);
	if (!code)
		code = map_stacks(to, dict, frame, maps);
	free(function);
	free(location);
	free(frame);
	if (code == TP_ENOMEM)
		return tp_nomem(err);
	return code ? tp_err_set(err, code, TP_OFFSET_NONE, "the dictionary is full") : 0;
}

/* ---- goroutines, Ms, Ps ---- */

#define FIND(list, n, with, found)                                                                 \
	do {                                                                                       \
		size_t low_ = 0, high_ = (n);                                                      \
                                                                                                   \
		while (low_ < high_) {                                                             \
			size_t middle_ = low_ + (high_ - low_) / 2;                                \
                                                                                                   \
			if ((list)[middle_].id < (with))                                           \
				low_ = middle_ + 1;                                                \
			else                                                                       \
				high_ = middle_;                                                   \
		}                                                                                  \
		(found) = low_ < (n) && (list)[low_].id == (with) ? &(list)[low_] : NULL;          \
	} while (0)

static const struct tp_seam_g *find_g(const struct tp_seam *s, uint64_t id)
{
	const struct tp_seam_g *g;

	FIND(s->g, s->ng, id, g);
	return g;
}

static const struct tp_seam_m *find_m(const struct tp_seam *s, uint64_t id)
{
	const struct tp_seam_m *m;

	FIND(s->m, s->nm, id, m);
	return m;
}

static const struct tp_seam_p *find_p(const struct tp_seam *s, uint64_t id)
{
	const struct tp_seam_p *p;

	FIND(s->p, s->np, id, p);
	return p;
}

static uint32_t *make_map(uint32_t n)
{
	uint32_t *map = tp_many(n ? n : 1, sizeof(*map));

	for (uint32_t i = 0; map && i < n; i++)
		map[i] = TP_NONE;
	return map;
}

/* Goroutines that are known are the same on both sides, dead ones too, as these have an index that
 * somebody may still name. */
static int map_gs(struct join *j, const struct tp_trace *part, struct join_maps *maps,
		  struct tp_err *err)
{
	const struct tp_seam *known = &j->known, *before = &part->cut->before;

	maps->ng = part->ng;
	maps->g = make_map(maps->ng);
	if (!maps->g)
		return tp_nomem(err);
	for (size_t i = 0; i < before->ng; i++) {
		const struct tp_seam_g *b = &before->g[i], *k = find_g(known, b->id);

		if (b->index >= part->ng || part->g_id[b->index] != b->id)
			return damaged(err);
		if (!k || k->status != b->status || k->flags != b->flags)
			return mismatch(err, "goroutines");
		maps->g[b->index] = k->index;
	}
	for (size_t i = 0; i < known->ng; i++)
		if (known->g[i].flags & TP_SEAM_ALIVE && !find_g(before, known->g[i].id))
			return mismatch(err, "goroutines");
	for (uint32_t i = 0; i < part->ng; i++) {
		if (maps->g[i] != TP_NONE)
			continue;
		/* Another life of a goroutine of before is new to both. */
		if (find_g(known, part->g_id[i]) && !find_g(before, part->g_id[i]))
			return mismatch(err, "goroutines");
		maps->g[i] = tp_trace_new_g(&j->trace, part->g_id[i]);
		if (maps->g[i] == TP_NONE)
			return tp_nomem(err);
	}
	return 0;
}

/* An M that was silent in the generation before is known to the whole alone: that makes no
 * difference as long as it has nothing and a system call is not what tells of it. */
static int map_ms(struct join *j, const struct tp_trace *part, struct join_maps *maps,
		  struct tp_err *err)
{
	const struct tp_seam *known = &j->known, *before = &part->cut->before;

	maps->nm = part->nm;
	maps->m = make_map(maps->nm);
	if (!maps->m)
		return tp_nomem(err);
	for (size_t i = 0; i < before->nm; i++) {
		const struct tp_seam_m *b = &before->m[i], *k = find_m(known, b->id);

		if (b->index >= part->nm || part->m_id[b->index] != b->id)
			return damaged(err);
		if (!k || k->g != b->g || k->p != b->p ||
		    (k->flags | TP_SEAM_ALIVE) != (b->flags | TP_SEAM_ALIVE) ||
		    (b->flags & ~k->flags & TP_SEAM_ALIVE))
			return mismatch(err, "threads");
	}
	for (size_t i = 0; i < known->nm; i++) {
		const struct tp_seam_m *k = &known->m[i];

		if ((k->g != UINT64_MAX || k->p != UINT64_MAX || k->flags & TP_SEAM_LOST) &&
		    !find_m(before, k->id))
			return mismatch(err, "threads");
	}
	for (size_t i = 0; i < part->cut->nheard; i++) {
		const struct tp_seam_m *k = find_m(known, part->cut->heard[i]);

		if (k && k->flags & TP_SEAM_ALIVE)
			return mismatch(err, "threads");
	}
	for (uint32_t i = 0; i < part->nm; i++) {
		const struct tp_seam_m *k = find_m(known, part->m_id[i]);

		maps->m[i] = k ? k->index : tp_trace_new_m(&j->trace, part->m_id[i]);
		if (maps->m[i] == TP_NONE)
			return tp_nomem(err);
	}
	return 0;
}

/* A P that is gone (GOMAXPROCS) stays known to the whole, where it may not come anew. */
static int map_ps(struct join *j, const struct tp_trace *part, struct join_maps *maps,
		  struct tp_err *err)
{
	const struct tp_seam *known = &j->known, *before = &part->cut->before,
			     *after = &part->cut->after;

	maps->np = part->np;
	maps->p = make_map(maps->np);
	if (!maps->p)
		return tp_nomem(err);
	for (size_t i = 0; i < before->np; i++) {
		const struct tp_seam_p *b = &before->p[i], *k = find_p(known, b->id);

		if (b->index >= part->np || (uint64_t)part->p_id[b->index] != b->id)
			return damaged(err);
		if (!k ||
		    (b->flags & TP_SEAM_ALIVE && (k->status != b->status || k->flags != b->flags)))
			return mismatch(err, "procs");
	}
	for (size_t i = 0; i < after->np; i++) {
		const struct tp_seam_p *a = &after->p[i], *k = find_p(known, a->id),
				       *b = find_p(before, a->id);

		if (a->flags & TP_SEAM_ALIVE && k && k->flags & TP_SEAM_ALIVE &&
		    !(b && b->flags & TP_SEAM_ALIVE))
			return mismatch(err, "procs");
	}
	for (uint32_t i = 0; i < part->np; i++) {
		const struct tp_seam_p *k = find_p(known, (uint64_t)part->p_id[i]);

		maps->p[i] = k ? k->index : tp_trace_new_p(&j->trace, part->p_id[i]);
		if (maps->p[i] == TP_NONE)
			return tp_nomem(err);
	}
	return 0;
}

/* ---- what else is known ---- */

static int check_ranges(const struct join *j, const struct tp_cut *cut,
			const struct join_maps *maps, struct tp_err *err)
{
	const struct tp_seam *known = &j->known, *before = &cut->before;

	if (known->nstw != before->nstw)
		return mismatch(err, "stops of the world");
	for (size_t i = 0; i < before->nstw; i++)
		if (known->stw[i].g != before->stw[i].g ||
		    known->stw[i].name != at(maps->str, maps->nstr, before->stw[i].name))
			return mismatch(err, "stops of the world");
	if (before->gc != TP_V2_GC_UNKNOWN &&
	    (before->gc != known->gc || before->gc_seq != known->gc_seq))
		return mismatch(err, "mark phases");
	if (before->gc != TP_V2_GC_UNKNOWN || known->gc == TP_V2_GC_UNKNOWN)
		return 0;
	/* None was under way, as each generation tells, and the next to begin has the next number.
	 */
	if (known->gc == TP_V2_GC_ON ||
	    (cut->gc_begun && (!cut->gc_by_user || cut->gc_seq != known->gc_seq + 1)))
		return mismatch(err, "mark phases");
	return 0;
}

static int check_rest(const struct join *j, const struct tp_trace *part, struct tp_err *err)
{
	const struct tp_cut *cut = part->cut;

	if (part->version != j->trace.version)
		return damaged(err);
	if (j->broken)
		return mismatch(err, "which is damaged");
	if (cut->ns_per_tick != j->trace.ns_per_tick ||
	    (part->nlosses && cut->before.last_ts != j->known.last_ts))
		return mismatch(err, "times");
	return 0;
}

int join_begin(struct join *j, const struct tp_trace *part, const struct tp_dict *dict,
	       struct join_maps *maps, struct tp_err *err)
{
	const struct tp_seam *before = &part->cut->before;
	int code = 0;

	if (!j->begun) {
		j->trace.dict = tp_dict_new();
		if (!j->trace.dict)
			return tp_nomem(err);
		j->trace.version = part->version;
		j->trace.ns_per_tick = part->ns_per_tick;
		if (before->ng || before->nm || before->np || before->nstw)
			code = damaged(err);
	} else {
		code = check_rest(j, part, err);
	}
	j->begun = true;
	if (!code)
		code = map_dict(j->trace.dict, dict, maps, err);
	if (!code)
		code = map_gs(j, part, maps, err);
	if (!code)
		code = map_ms(j, part, maps, err);
	if (!code)
		code = map_ps(j, part, maps, err);
	return code ? code : check_ranges(j, part->cut, maps, err);
}

/* ---- the end of a part ---- */

/* In the numbers of the whole. */
static int renumber(struct tp_seam *s, const struct join_maps *maps)
{
	for (size_t i = 0; i < s->ng; i++) {
		if (s->g[i].index >= maps->ng)
			return TP_ESTORE;
		s->g[i].index = maps->g[s->g[i].index];
	}
	for (size_t i = 0; i < s->nm; i++) {
		if (s->m[i].index >= maps->nm)
			return TP_ESTORE;
		s->m[i].index = maps->m[s->m[i].index];
	}
	for (size_t i = 0; i < s->np; i++) {
		if (s->p[i].index >= maps->np)
			return TP_ESTORE;
		s->p[i].index = maps->p[s->p[i].index];
	}
	for (size_t i = 0; i < s->nstw; i++)
		s->stw[i].name = at(maps->str, maps->nstr, s->stw[i].name);
	return 0;
}

/* Ms and Ps that the part has not met stay known: two lists in order of id into one. */
#define KEEP(list, n, type)                                                                        \
	do {                                                                                       \
		size_t i_ = 0, k_ = 0, to_ = 0;                                                    \
		type *all_ = tp_many((uint64_t)known->n + after->n + 1, sizeof(*all_));            \
                                                                                                   \
		if (!all_)                                                                         \
			return TP_ENOMEM;                                                          \
		while (i_ < after->n || k_ < known->n) {                                           \
			if (k_ == known->n ||                                                      \
			    (i_ < after->n && after->list[i_].id <= known->list[k_].id)) {         \
				k_ += k_ < known->n && after->list[i_].id == known->list[k_].id;   \
				all_[to_++] = after->list[i_++];                                   \
			} else {                                                                   \
				all_[to_++] = known->list[k_++];                                   \
			}                                                                          \
		}                                                                                  \
		free(after->list);                                                                 \
		after->list = all_;                                                                \
		after->n = to_;                                                                    \
	} while (0)

static int keep_silent(const struct tp_seam *known, struct tp_seam *after)
{
	KEEP(m, nm, struct tp_seam_m);
	KEEP(p, np, struct tp_seam_p);
	return 0;
}

static int add_ledger(struct tp_trace *to, const struct tp_trace *part)
{
	int code = 0;

	for (size_t i = 0; i < part->nclocks && !code; i++)
		code = tp_trace_add_clock(to, &part->clocks[i]);
	for (size_t i = 0; i < part->nlosses && !code; i++)
		code = tp_trace_add_loss(to, &part->losses[i]);
	for (size_t i = 0; i < part->nnotices && !code; i++)
		code = tp_trace_add_notice(to, part->notices[i].severity, part->notices[i].offset,
					   "%s", part->notices[i].text);
	for (size_t i = 0; i < part->nwires && !code; i++)
		code = tp_trace_count_wire(to, part->wires[i].name, part->wires[i].events,
					   part->wires[i].with_stack, part->wires[i].bytes);
	to->inferred += part->inferred;
	to->generations += part->generations;
	return code;
}

int join_end(struct join *j, struct tp_trace *part, const struct join_maps *maps, int64_t last_ts,
	     struct tp_err *err)
{
	struct tp_cut *cut = part->cut;
	struct tp_seam *known = &j->known, *after = &cut->after;
	int code = add_ledger(&j->trace, part);

	if (code)
		return tp_nomem(err);
	if (renumber(after, maps))
		return damaged(err);
	if (keep_silent(known, after))
		return tp_nomem(err);
	if (after->gc == TP_V2_GC_UNKNOWN && !cut->gc_forgotten) {
		after->gc = known->gc;
		after->gc_seq = known->gc_seq;
	}
	/* Times are those of the whole. */
	after->last_ts = part->started ? last_ts : known->last_ts;
	tp_seam_release(known);
	*known = *after;
	*after = (struct tp_seam){0};
	j->broken = cut->broken;
	return 0;
}

void join_maps_release(struct join_maps *maps)
{
	free(maps->g);
	free(maps->m);
	free(maps->p);
	free(maps->str);
	free(maps->stack);
	*maps = (struct join_maps){0};
}

void join_release(struct join *j)
{
	tp_seam_release(&j->known);
	tp_trace_release(&j->trace);
	*j = (struct join){0};
}
