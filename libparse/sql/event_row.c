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

/* Sets the result for columns whose meaning depends on the event's type, or whose values are in
 * other tables. */
static int result_looked_up(struct tp_event_cursor *c, sqlite3_context *ctx, int column, uint32_t i,
			    struct tp_err *err)
{
	const struct tp_block_decoder *b = c->block;
	const struct tp_event_desc *desc;
	bool stack2;
	int arg = column - TP_SQL_EVENT_arg0;

	switch (column) {
	case TP_SQL_EVENT_goroutine:
		return tp_sql_result_id(ctx, c->run, TP_COL_G, b->g[i], err);
	case TP_SQL_EVENT_m:
		return tp_sql_result_id(ctx, c->run, TP_COL_M, b->m[i], err);
	case TP_SQL_EVENT_p:
		return tp_sql_result_id(ctx, c->run, TP_COL_P, b->p[i], err);
	default:
		break;
	}
	if (!tp_event_type_name(b->type[i]))
		return 0;
	desc = &tp_event_descs[b->type[i]];
	stack2 = desc->str2 && !strcmp(desc->str2, "stack");
	switch (column) {
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

static int look_up(struct tp_event_cursor *c, sqlite3_context *ctx, int column)
{
	struct tp_err err;

	return result_looked_up(c, ctx, column, c->sel[c->at], &err)
		   ? tp_sql_fail(c->base.pVtab, &err)
		   : SQLITE_OK;
}

int tp_event_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct tp_event_cursor *c = (struct tp_event_cursor *)base;
	const struct tp_block_decoder *b = c->block;
	uint32_t i = c->count ? 0 : c->sel[c->at];
	uint8_t type;

	/* Without a struct tp_err here, which costs a check of the stack in each call. */
	switch (column) {
	case TP_SQL_EVENT_run:
		sqlite3_result_int64(ctx, c->run_id);
		return SQLITE_OK;
	case TP_SQL_EVENT_type:
	case TP_SQL_EVENT_kind:
		type = c->count ? c->counted_type : b->type[i];
		result_name(ctx, column == TP_SQL_EVENT_type ? tp_event_type_name(type)
							     : tp_event_kind_name(type));
		return SQLITE_OK;
	case TP_SQL_EVENT_seq:
		sqlite3_result_int64(ctx, c->part * TP_BLOCK_EVENTS + i);
		return SQLITE_OK;
	case TP_SQL_EVENT_ts_ns:
		sqlite3_result_int64(ctx, b->ts[i]);
		return SQLITE_OK;
	case TP_SQL_EVENT_from_state:
		tp_sql_result_state(ctx, b->from[i]);
		return SQLITE_OK;
	case TP_SQL_EVENT_to_state:
		tp_sql_result_state(ctx, b->to[i]);
		return SQLITE_OK;
	case TP_SQL_EVENT_stack:
		sqlite3_result_int64(ctx, b->stack[i]);
		return SQLITE_OK;
	case TP_SQL_EVENT_inferred:
		sqlite3_result_int(ctx, (b->flags[i] & TP_EVF_INFERRED) != 0);
		return SQLITE_OK;
	case TP_SQL_EVENT_lost:
		sqlite3_result_int(ctx, (b->flags[i] & TP_EVF_LOST) != 0);
		return SQLITE_OK;
	default:
		return look_up(c, ctx, column);
	}
}
