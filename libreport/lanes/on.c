/* Who was on a P or M. */
#include "lanes/inside.h"
#include "lanes/segment.h"

static bool on(const struct rep_lane_segment *s, bool proc, uint32_t index, int64_t ns,
	       uint32_t *goroutine)
{
	const struct rep_lane_lists *spans = proc ? &s->on_p : &s->on_m;
	const struct rep_lane_list *list = spans->list;
	const uint32_t *order = spans->order;
	uint32_t n = spans->nlists, at = rep_lane_segment_find(list, n, index);
	uint32_t from, to;
	bool odd;

	if (at == n)
		return false;
	odd = s->odd || list[at].odd;
	from = list[at].first;
	to = list[at + 1].first;
	while (from < to && !odd) { /* behind the last that begins by then */
		uint32_t middle = from + (to - from) / 2;

		if (rep_lane_segment_start(s, order[middle]) <= ns)
			from = middle + 1;
		else
			to = middle;
	}
	to = odd ? list[at + 1].first : from;
	for (; to > list[at].first; to--) {
		uint32_t i = order[to - 1];

		if (rep_lane_segment_start(s, i) <= ns && rep_lane_segment_end(s, i) > ns) {
			*goroutine = rep_lane_segment_owner(s, i)->owner;
			return true;
		}
		if (!odd && rep_lane_segment_start(s, i) < ns)
			return false;
	}
	return false;
}

int rep_lanes_on(struct rep_lanes *l, const struct rep_lane *row, int64_t ns, uint32_t *goroutine,
		 struct tp_err *err)
{
	bool proc = row->kind == REP_LANE_PROC;

	*goroutine = TP_NONE;
	if (!proc && row->kind != REP_LANE_THREAD)
		return 0;
	for (size_t i = 0; i < l->ncrossing; i++) {
		const struct rep_lane_span *span = &l->crossing[i];
		uint8_t state = l->class_state[span->class];

		if ((proc ? span->p : span->m) == row->index && span->start <= ns &&
		    ns < span->end && state != TP_ST_WAITING && state != TP_ST_RUNNABLE) {
			*goroutine = span->goroutine;
			return 0;
		}
	}
	for (size_t i = 0; i < l->v.nsegments; i++) {
		const struct tp_segment *s = &l->v.segments[i];
		struct rep_lane_segment *drawn;
		int code;

		if (s->from_ns > ns || s->to_ns < ns)
			continue;
		code = rep_lane_segment_get(l, i, NULL, &drawn, err);
		if (code || on(drawn, proc, row->index, ns, goroutine))
			return code;
	}
	return 0;
}
