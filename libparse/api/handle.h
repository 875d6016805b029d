/* What is behind tprof.h: the handle, and the functions that its files share.
 *
 *   open.c     opens and closes; errors, info, notices, import
 *   stored.c   reads a run's row, losses and notices from a store
 *   trace.c    reads batches of events, and makes events, spans and goroutines of them
 *   profile.c  samples and their labels; frames of stacks, also of traces
 *
 * These functions take a struct tp_err; api_give (open.c) makes a struct tprof_err of it. */
#ifndef TP_API_HANDLE_H
#define TP_API_HANDLE_H

#include "dump.h"
#include "order/pull.h"
#include "store/store.h"
#include "timeline/span.h"
#include "tprof.h"

enum api_reading { API_NOTHING, API_EVENTS, API_SPANS, API_GOROUTINES, API_SAMPLES };

/* The ids of a trace, by index. */
struct api_ids {
	const uint64_t *g, *m;
	const int64_t *p;
	size_t ng, nm, np;
};

struct tprof {
	struct tprof_options opt;
	char *path;
	char format[32]; /* of info */
	struct tprof_info info;
	struct tprof_notice notice; /* the last that was returned, and its text */
	char notice_text[sizeof(((struct tp_loss *)NULL)->reason)];

	struct tp_dump dump;	/* that is read … */
	struct tp_store *store; /* … unless this is not NULL */
	/* For a dump, what tp_trace_read fills in; for a store, losses and notices only. */
	struct tp_trace trace;
	int64_t start_ns;	    /* trace clock at the start */
	const struct tp_dict *dict; /* NULL before there is one */
	struct tp_dict *stored_dict;
	struct tp_rows g_rows, m_rows,
	    p_rows; /* of a store: ids; g_rows for API_GOROUTINES: all columns */
	struct api_ids ids;

	/* What is being read, and how that ended: 1 if it has not, 0, or a code, which `err` has, too. */
	enum api_reading reading;
	int more;
	struct tp_err err;

	/* Batches of events. */
	struct tp_pull *pull;
	struct tp_event_reader *reader;
	struct tp_event *stored;      /* room for a block of the reader's */
	const struct tp_event *batch; /* times are on the trace's clock */
	size_t at, n;
	int64_t last_ts;

	struct tprof_event event;
	struct tp_spans *machine;
	struct tp_span *spans; /* complete; [span_at, nspans) were not returned yet */
	size_t span_at, nspans, span_room;
	struct tprof_span span;
	size_t g_at, g_room;
	struct tprof_goroutine goroutine;
	struct tprof_frame frame;

	struct tp_profile *profile;
	struct tprof_sample_type *types;
	size_t sample_at; /* samples returned so far */
	struct tprof_sample sample;
	struct tprof_label label;
};

/* Returns an error if the run is of another kind, or if something else is being read. */
int api_refuse(const struct tprof *t, enum api_reading reading, struct tprof_err *err);
/* Returns `more`, the outcome of the current reading; if it is an error, fills in *err from t->err. */
int api_give(struct tprof *t, int more, struct tprof_err *err);

/* Reads the row of the run t->opt.run (0: the newest), its losses and its notices. */
int api_stored_open(struct tprof *t, struct tp_err *err);

/* Ends the reading of a trace and frees what belongs to it. */
void api_trace_end(struct tprof *t);

/* Takes ownership of the profile, also when it fails. */
int api_profile_open(struct tprof *t, struct tp_profile *p, struct tp_err *err);
void api_profile_release(struct tprof *t);

/* Returns a time of the trace's clock as one since the start. It wraps around where the clock is damaged. */
static inline int64_t api_time(const struct tprof *t, int64_t ts)
{
	return (int64_t)((uint64_t)ts - (uint64_t)t->start_ns);
}

static inline const char *api_text(const struct tprof *t, uint32_t string)
{
	return string ? tp_dict_text(t->dict, string).text : "";
}

#endif
