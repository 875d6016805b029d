/* The columns of the table `event`. */
#include "sql/event.h"

#include <string.h>

#include "store/describe.h"

/* Returns the names that Go's reader gives to ranges (Event.Range) and metrics (Event.Metric, both
 * in internal/trace/event.go), which the trace format does not name. */
static const char *fixed_text(uint8_t type)
{
	switch (type) {
	case TP_EV_GC_ACTIVE:
	case TP_EV_GC_BEGIN:
	case TP_EV_GC_END:
		return "GC concurrent mark phase";
	case TP_EV_GC_SWEEP_ACTIVE:
	case TP_EV_GC_SWEEP_BEGIN:
	case TP_EV_GC_SWEEP_END:
		return "GC incremental sweep";
	case TP_EV_MARK_ASSIST_ACTIVE:
	case TP_EV_MARK_ASSIST_BEGIN:
	case TP_EV_MARK_ASSIST_END:
		return "GC mark assist";
	case TP_EV_PROCS_CHANGE:
		return "/sched/gomaxprocs:threads";
	case TP_EV_HEAP_ALLOC:
		return "/memory/classes/heap/objects:bytes";
	case TP_EV_HEAP_GOAL:
		return "/gc/heap/goal:bytes";
	default:
		return NULL;
	}
}

static void result_name(sqlite3_context *ctx, const char *name)
{
	if (name)
		sqlite3_result_text(ctx, name, -1, SQLITE_STATIC);
}

/* Sets the result for columns whose meaning depends on the event's type. */
static int result_by_type(struct tp_event_cursor *c, sqlite3_context *ctx, int column, uint32_t i,
			  struct tp_err *err)
{
	const struct tp_block_decoder *b = c->block;
	const struct tp_event_desc *desc;
	bool stack2;
	int arg = column - TP_SQL_EVENT_arg0;

	if (!tp_event_type_name(b->type[i]))
		return 0;
	desc = &tp_event_descs[b->type[i]];
	stack2 = desc->str2 && !strcmp(desc->str2, "stack");
	switch (column) {
	case TP_SQL_EVENT_type:
		result_name(ctx, desc->wire);
		return 0;
	case TP_SQL_EVENT_kind:
		result_name(ctx, tp_kind_names[desc->kind]);
		return 0;
	case TP_SQL_EVENT_subject_kind:
		if (desc->subject && b->subject[i] != TP_NONE)
			result_name(ctx, desc->subject == 'G' ? "G" : "P");
		return 0;
	case TP_SQL_EVENT_subject:
		if (!desc->subject)
			return 0;
		return tp_sql_result_id(ctx, c->run, desc->subject == 'G' ? TP_COL_G : TP_COL_P,
					b->subject[i], err);
	case TP_SQL_EVENT_text:
		if (desc->str)
			return tp_sql_result_text(ctx, c->run, b->str[i], err);
		result_name(ctx, fixed_text(b->type[i]));
		return 0;
	case TP_SQL_EVENT_text2:
		if (!desc->str2 || stack2)
			return 0;
		return tp_sql_result_text(ctx, c->run, b->str2[i], err);
	case TP_SQL_EVENT_stack2:
		if (stack2)
			sqlite3_result_int64(ctx, b->str2[i]);
		return 0;
	default: /* arg0, arg1, arg2 */
		if (desc->arg[arg])
			sqlite3_result_int64(ctx, (sqlite3_int64)b->arg[arg][i]);
		return 0;
	}
}

int tp_event_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct tp_event_cursor *c = (struct tp_event_cursor *)base;
	const struct tp_block_decoder *b = c->block;
	struct tp_err err;
	uint32_t i;
	int code = 0;

	if (c->count) {
		if (column == TP_SQL_EVENT_run)
			sqlite3_result_int64(ctx, c->run_id);
		else
			result_name(ctx, column == TP_SQL_EVENT_type
					     ? tp_event_type_name(c->counted_type)
					     : tp_event_kind_name(c->counted_type));
		return SQLITE_OK;
	}
	i = c->sel[c->at];
	switch (column) {
	case TP_SQL_EVENT_run:
		sqlite3_result_int64(ctx, c->run_id);
		break;
	case TP_SQL_EVENT_seq:
		sqlite3_result_int64(ctx, c->part * TP_BLOCK_EVENTS + i);
		break;
	case TP_SQL_EVENT_ts_ns:
		sqlite3_result_int64(ctx, b->ts[i]);
		break;
	case TP_SQL_EVENT_goroutine:
		code = tp_sql_result_id(ctx, c->run, TP_COL_G, b->g[i], &err);
		break;
	case TP_SQL_EVENT_m:
		code = tp_sql_result_id(ctx, c->run, TP_COL_M, b->m[i], &err);
		break;
	case TP_SQL_EVENT_p:
		code = tp_sql_result_id(ctx, c->run, TP_COL_P, b->p[i], &err);
		break;
	case TP_SQL_EVENT_from_state:
		tp_sql_result_state(ctx, b->from[i]);
		break;
	case TP_SQL_EVENT_to_state:
		tp_sql_result_state(ctx, b->to[i]);
		break;
	case TP_SQL_EVENT_stack:
		sqlite3_result_int64(ctx, b->stack[i]);
		break;
	case TP_SQL_EVENT_inferred:
		sqlite3_result_int(ctx, (b->flags[i] & TP_EVF_INFERRED) != 0);
		break;
	case TP_SQL_EVENT_lost:
		sqlite3_result_int(ctx, (b->flags[i] & TP_EVF_LOST) != 0);
		break;
	default:
		code = result_by_type(c, ctx, column, i, &err);
	}
	return code ? tp_sql_fail(base->pVtab, &err) : SQLITE_OK;
}
