/* The implementation of tprof.h: the handle, and the functions that its files share.
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
	struct tprof_notice notice; /* the last returned; notice_text has its text */
	char notice_text[sizeof(((struct tp_loss *)NULL)->reason)];

	struct tp_dump dump;	/* the input … */
	struct tp_store *store; /* … unless this is not NULL */
	/* For a dump, as tp_trace_read fills it in; for a store, only losses and notices. */
	struct tp_trace trace;
	int64_t start_ns;	    /* trace clock at the start */
	const struct tp_dict *dict; /* NULL until it is known */
	struct tp_dict *stored_dict;
	struct tp_rows g_rows, m_rows,
	    p_rows; /* a store's ids; for API_GOROUTINES g_rows has all columns */
	struct api_ids ids;

	/* The current reading and its outcome: 1 if it goes on, 0 at its end, or the code in `err`. */
	enum api_reading reading;
	int more;
	struct tp_err err;

	/* Batches of events. */
	struct tp_pull *pull;
	struct tp_event_reader *reader;
	struct tp_event *stored;      /* room for one block of `reader` */
	const struct tp_event *batch; /* times are on the trace's clock */
	size_t at, n;
	int64_t last_ts;

	struct tprof_event event;
	struct tp_spans *machine;
	struct tp_span *spans; /* complete; [span_at, nspans) are still to be returned */
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

/* Ends the reading of a trace and frees its memory. */
void api_trace_end(struct tprof *t);

/* Takes ownership of the profile, even on failure. */
int api_profile_open(struct tprof *t, struct tp_profile *p, struct tp_err *err);
void api_profile_release(struct tprof *t);

/* Converts a time on the trace's clock to ns since the start. Wraps around if the times are damaged. */
static inline int64_t api_time(const struct tprof *t, int64_t ts)
{
	return (int64_t)((uint64_t)ts - (uint64_t)t->start_ns);
}

static inline const char *api_text(const struct tprof *t, uint32_t string)
{
	return string ? tp_dict_text(t->dict, string).text : "";
}

#endif
