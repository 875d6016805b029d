/* CPU samples. */
#include "timeline/parts.h"

int tp_sample_event(struct tp_timeline *t, const struct tp_event *ev, struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(CPU_SAMPLE, ts_ns)] = tp_time_value(t, ev->ts);
	v[TP_COL(CPU_SAMPLE, goroutine)] = tp_index_value(ev->g);
	v[TP_COL(CPU_SAMPLE, m)] = tp_index_value(ev->m);
	v[TP_COL(CPU_SAMPLE, p)] = tp_index_value(ev->p);
	v[TP_COL(CPU_SAMPLE, stack)] = ev->stack;
	return tp_timeline_put(t, TP_TABLE_CPU_SAMPLE, v, err);
}
