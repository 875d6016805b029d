/* Spans of a goroutine as a table. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "life/inside.h"
#include "path/ender.h"
#include "stack.h"

enum {
	COLUMN_AT,
	COLUMN_START,
	COLUMN_DURATION,
	COLUMN_STATE,
	COLUMN_REASON,
	COLUMN_WHERE,
	COLUMN_WAKER,
	COLUMN_WAKER_ENTRY,
	COLUMN_P,
	COLUMN_M,
	COLUMN_OPEN,
	COLUMN_GOROUTINE,
	COLUMN_END,
	COLUMN_STACK,
	COLUMN_WAKER_STACK,
	COLUMN_LOCATION,
	NCOLUMNS
};

static const struct rep_column columns[NCOLUMNS] = {
    [COLUMN_AT] = {.name = "at", .title = "AT", .kind = REP_TEXT, .right = true, .by = "start_ns"},
    [COLUMN_START] = {.name = "start_ns",
		      .doc = "its start, since the run began",
		      .kind = REP_NS,
		      .raw_only = true},
    [COLUMN_DURATION] = {.name = "dur_ns",
			 .doc = "how long it lasts",
			 .title = "LASTED",
			 .kind = REP_NS},
    [COLUMN_STATE] = {.name = "state",
		      .doc = "the goroutine's state",
		      .title = "STATE",
		      .kind = REP_TEXT},
    [COLUMN_REASON] = {.name = "reason",
		       .doc = "why it is in that state, as Go names it",
		       .title = "REASON",
		       .kind = REP_TEXT},
    [COLUMN_WHERE] = {.name = "where",
		      .title = "WHERE",
		      .shorten = REP_SHORTEN_WHERE,
		      .kind = REP_TEXT,
		      .least = 20},
    [COLUMN_WAKER] = {.name = "waker",
		      .doc = "goroutine that woke it",
		      .title = "WOKEN BY",
		      .kind = REP_ID},
    [COLUMN_WAKER_ENTRY] = {.name = "waker_entry",
			    .doc = "that goroutine's entry function",
			    .title = "ITS ENTRY FUNCTION",
			    .kind = REP_TEXT,
			    .shorten = REP_SHORTEN_FUNCTION,
			    .least = 14,
			    .drop = 3},
    [COLUMN_P] = {.name = "p", .doc = "the P it is on", .title = "P", .kind = REP_ID, .drop = 1},
    [COLUMN_M] =
	{.name = "m", .doc = "the thread it is on", .title = "M", .kind = REP_ID, .drop = 2},
    [COLUMN_OPEN] = {.name = "open",
		     .doc = "it goes on after the end of the run",
		     .kind = REP_BOOL,
		     .raw_only = true},
    [COLUMN_GOROUTINE] = {.name = "goroutine",
			  .doc = "the goroutine",
			  .kind = REP_ID,
			  .raw_only = true},
    [COLUMN_END] = {.name = "end_ns",
		    .doc = "its end, since the run began",
		    .kind = REP_NS,
		    .raw_only = true},
    [COLUMN_STACK] = {.name = "stack",
		      .doc = "where it is, leaf first",
		      .kind = REP_TEXT,
		      .raw_only = true},
    [COLUMN_WAKER_STACK] = {.name = "waker_stack",
			    .doc = "where it was woken, leaf first",
			    .kind = REP_TEXT,
			    .raw_only = true},
    [COLUMN_LOCATION] = {.name = "location",
			 .doc = "file and line of its innermost function",
			 .kind = REP_TEXT,
			 .raw_only = true},
};

static struct rep_value id_of(const struct rep_view *v, enum tp_table_id table, uint32_t index)
{
	const int64_t *id = table == TP_TABLE_PROC ? REP_COL(v, PROC, id) : REP_COL(v, THREAD, id);

	return index < v->nrows[table] && id ? rep_opt(id[index]) : rep_null();
}

/* Formats "3.000000128s", because consecutive spans may differ only in nanoseconds. */
static struct rep_value exactly(const struct rep_view *v, int64_t ns, char text[40])
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	if (v->run->row.ticks)
		snprintf(text, 40, "%" PRId64, ns);
	else
		snprintf(text, 40, "%s%" PRIu64 ".%09" PRIu64 "s", ns < 0 ? "-" : "",
			 size / 1000000000, size % 1000000000);
	return rep_str(text);
}

static int put(struct rep_texts *texts, const struct rep_view *v, const struct tp_span *s,
	       const struct tp_span *before, struct rep_output *out, struct tp_err *err)
{
	uint32_t waker = rep_path_waker(v, s, before);
	bool woken = waker < v->nrows[TP_TABLE_GOROUTINE];
	/* The trace has no stack for a running goroutine. */
	bool has_stack = s->stack && s->state != TP_ST_RUNNING;
	char at[40];
	const struct rep_value row[NCOLUMNS] = {
	    [COLUMN_AT] = exactly(v, s->start, at),
	    [COLUMN_START] = rep_int(s->start),
	    [COLUMN_DURATION] = rep_int((int64_t)((uint64_t)s->end - (uint64_t)s->start)),
	    [COLUMN_STATE] = rep_str(rep_state_name(s->state)),
	    [COLUMN_REASON] = rep_texts_string(texts, s->reason, ""),
	    [COLUMN_WHERE] = has_stack ? rep_stack_where(texts, s->stack) : rep_str(""),
	    [COLUMN_WAKER] = rep_view_goid_value(v, waker),
	    [COLUMN_WAKER_ENTRY] =
		woken ? rep_texts_string(texts, rep_view_entry(v, waker), "(unknown)") : rep_null(),
	    [COLUMN_P] = id_of(v, TP_TABLE_PROC, s->p),
	    [COLUMN_M] = id_of(v, TP_TABLE_THREAD, s->m),
	    [COLUMN_OPEN] = rep_int(s->open),
	    [COLUMN_GOROUTINE] = rep_view_goid_value(v, s->goroutine),
	    [COLUMN_END] = rep_int(s->end),
	    [COLUMN_STACK] = rep_stack_names(texts, s->stack),
	    [COLUMN_WAKER_STACK] = rep_stack_names(texts, s->waker_stack),
	    [COLUMN_LOCATION] = rep_stack_location(texts, s->stack),
	};

	return rep_output_row(out, row, err);
}

int rep_life_print(struct rep_life *life, int64_t first, size_t n, const atomic_bool *stop,
		   struct rep_output *out, struct tp_err *err)
{
	struct rep_view *v = &life->view;
	struct rep_texts texts = {
	    .dict = v->dict, .people = true, .own.names = rep_filter_own(v->filter)};
	struct tp_span *span;
	/* The span before the first one has its waker. */
	size_t got = 0, more = first > 0;
	int code = rep_view_load(v, TP_TABLE_PROC, REP_BIT(PROC, id), err);

	if (!code)
		code = rep_view_load(v, TP_TABLE_THREAD, REP_BIT(THREAD, id), err);
	if (code)
		return code;
	span = calloc(n + 2, sizeof(*span));
	code = span ? rep_life_spans(life, first - (int64_t)more, n + more, span, &got, stop, err)
		    : tp_nomem(err);
	if (!code)
		code = rep_output_begin(out, "spans", columns, NCOLUMNS, err);
	for (size_t i = more; i < got && !code; i++) {
		code = put(&texts, v, &span[i], i ? &span[i - 1] : NULL, out, err);
		tp_arena_clear(&texts.arena);
	}
	if (!code)
		code = rep_output_end(out, err);
	code = rep_texts_end(&texts, code, err);
	free(span);
	return code;
}
