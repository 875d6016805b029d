/* The longest spans as a table. */
#include <stdlib.h>
#include <string.h>

#include "path/ender.h"
#include "top/report.h"
#include "top/worst.h"

enum {
	COLUMN_DURATION,
	COLUMN_AT,
	COLUMN_GOROUTINE,
	COLUMN_ENTRY,
	COLUMN_STATE,
	COLUMN_REASON,
	COLUMN_WHERE,
	COLUMN_WAKER,
	COLUMN_WAKER_ENTRY,
	COLUMN_OPEN,
	COLUMN_STACK,
	COLUMN_WAKER_STACK,
	COLUMN_LOCATION,
	NCOLUMNS
};

static const struct rep_column columns[NCOLUMNS] = {
    [COLUMN_DURATION] = {.name = "dur_ns",
			 .doc = "how long it lasts",
			 .title = "LASTED",
			 .kind = REP_NS},
    [COLUMN_AT] = {.name = "at_ns",
		   .doc = "its start, since the run began",
		   .title = "AT",
		   .kind = REP_NS},
    [COLUMN_GOROUTINE] = {.name = "goroutine",
			  .doc = "the goroutine",
			  .title = "GOROUTINE",
			  .kind = REP_ID},
    [COLUMN_ENTRY] = {.name = "entry",
		      .doc = "its entry function",
		      .title = "ENTRY FUNCTION",
		      .kind = REP_TEXT,
		      .shorten = REP_SHORTEN_FUNCTION,
		      .least = 12},
    [COLUMN_REASON] = {.name = "reason",
		       .doc = "why it is in that state, as Go names it",
		       .title = "REASON",
		       .kind = REP_TEXT,
		       .least = 10},
    [COLUMN_WHERE] = {.name = "where",
		      .title = "WHERE",
		      .shorten = REP_SHORTEN_WHERE,
		      .kind = REP_TEXT,
		      .least = 12},
    [COLUMN_WAKER] = {.name = "waker",
		      .doc = "goroutine that woke it",
		      .title = "WOKEN BY",
		      .kind = REP_ID},
    [COLUMN_WAKER_ENTRY] = {.name = "waker_entry",
			    .doc = "that goroutine's entry function",
			    .title = "ITS ENTRY FUNCTION",
			    .kind = REP_TEXT,
			    .shorten = REP_SHORTEN_FUNCTION,
			    .least = 12,
			    .drop = 3},
    [COLUMN_STATE] = {.name = "state",
		      .doc = "the goroutine's state",
		      .title = "STATE",
		      .kind = REP_TEXT},
    [COLUMN_OPEN] = {.name = "open",
		     .doc = "it goes on after the end of the run",
		     .kind = REP_BOOL,
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

static int put(struct rep_texts *texts, struct rep_view *v, const struct rep_worst *w,
	       const struct tp_span *before, struct rep_output *out, struct tp_err *err)
{
	uint32_t waker = rep_path_waker(v, &w->span, before);
	bool woken = waker < v->nrows[TP_TABLE_GOROUTINE];
	const struct rep_value row[NCOLUMNS] = {
	    [COLUMN_DURATION] = rep_int(w->dur_ns),
	    [COLUMN_AT] = rep_int(w->at_ns),
	    [COLUMN_GOROUTINE] = rep_view_goid_value(v, w->span.goroutine),
	    [COLUMN_ENTRY] =
		rep_texts_string(texts, rep_view_entry(v, w->span.goroutine), "(unknown)"),
	    [COLUMN_REASON] = rep_texts_string(texts, w->span.reason, ""),
	    [COLUMN_WHERE] = rep_stack_where(texts, w->span.stack),
	    [COLUMN_WAKER] = rep_view_goid_value(v, waker),
	    [COLUMN_WAKER_ENTRY] =
		woken ? rep_texts_string(texts, rep_view_entry(v, waker), "(unknown)") : rep_null(),
	    [COLUMN_STATE] = rep_str(rep_state_name(w->span.state)),
	    [COLUMN_OPEN] = rep_int(w->span.open),
	    [COLUMN_STACK] = rep_stack_names(texts, w->span.stack),
	    [COLUMN_WAKER_STACK] = rep_stack_names(texts, w->span.waker_stack),
	    [COLUMN_LOCATION] = rep_stack_location(texts, w->span.stack),
	};

	return rep_output_row(out, row, err);
}

int rep_worst_print(struct rep_view *v, const struct rep_worst_options *opt, const char *name,
		    struct rep_output *out, struct tp_err *err)
{
	struct rep_column shown[NCOLUMNS];
	struct rep_texts texts = {
	    .dict = v->dict, .people = true, .own.names = rep_filter_own(v->filter)};
	struct rep_worst *worst = calloc(opt->n + 1, sizeof(*worst));
	struct tp_span *before = calloc(opt->n + 1, sizeof(*before));
	size_t n = 0;
	int code = worst && before ? rep_worst(v, opt, worst, &n, err) : tp_nomem(err);

	memcpy(shown, columns, sizeof(shown));
	/* What is the same in all rows need not be shown. */
	shown[COLUMN_STATE].raw_only = !(opt->states & (opt->states - 1));
	shown[COLUMN_GOROUTINE].raw_only = shown[COLUMN_ENTRY].raw_only = v->filter->by_id;
	if (!code)
		code = rep_worst_before(v, worst, n, before, opt->stop, err);
	if (!code)
		code = rep_output_begin(out, name, shown, NCOLUMNS, err);
	for (size_t i = 0; i < n && !code; i++) {
		code = put(&texts, v, &worst[i], &before[i], out, err);
		tp_arena_clear(&texts.arena);
	}
	if (!code)
		code = rep_output_end(out, err);
	code = rep_texts_end(&texts, code, err);
	free(worst);
	free(before);
	return code;
}
