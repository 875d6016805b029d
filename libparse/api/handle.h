/* Inside tprof.h: a handle, and what its files need of each other.
 *
 *   open.c     opening and closing, errors, info, notices, import
 *   stored.c   what SQL knows of a run: its row, its losses and notices
 *   trace.c    batches of events and, made of these, events, spans and goroutines
 *   profile.c  samples, and frames of stacks, also of traces
 *
 * Functions here take struct tp_err; open.c's api_give makes a struct tprof_err of it. */
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
	struct tprof_notice notice; /* that was returned last, with its text */
	char notice_text[sizeof(((struct tp_loss *)NULL)->reason)];

	/* Where it comes from: a dump, or a store. */
	struct tp_dump dump;
	struct tp_store *store;
	/* Of a dump what tp_trace_read fills. Of a store only losses and notices. */
	struct tp_trace trace;
	int64_t start_ns;	    /* trace clock at the start */
	const struct tp_dict *dict; /* NULL before there is one */
	struct tp_dict *stored_dict;
	struct tp_rows g_rows, m_rows, p_rows; /* of a store: ids; of API_GOROUTINES: all columns */
	struct api_ids ids;

	/* What is being read, and how that ended: 1 it has not, 0, or a code with `err`. */
	enum api_reading reading;
	int more;
	struct tp_err err;

	/* Batches of events. */
	struct tp_pull *pull;
	struct tp_event_reader *reader;
	struct tp_event *stored;      /* room for a block, of the reader's */
	const struct tp_event *batch; /* times are on the trace's clock */
	size_t at, n;
	int64_t last_ts;

	struct tprof_event event;
	struct tp_spans *machine;
	struct tp_span *spans; /* completed and not handed out: [span_at, nspans) */
	size_t span_at, nspans, span_room;
	struct tprof_span span;
	size_t g_at, g_room;
	struct tprof_goroutine goroutine;
	struct tprof_frame frame;

	struct tp_profile *profile;
	struct tprof_sample_type *types;
	struct tprof_label *labels;
	size_t sample_at;
	struct tprof_sample sample;
};

/* An error if the handle has nothing of the kind, or if something else is being read. */
int api_refuse(const struct tprof *t, enum api_reading reading, struct tprof_err *err);
/* How the reading that goes on has come out: returns `more` and, where that is an error, gives it. */
int api_give(struct tprof *t, int more, struct tprof_err *err);

/* Reads the row of the run t->opt.run (0: the newest), its losses and its notices. */
int api_stored_open(struct tprof *t, struct tp_err *err);

/* Frees what belongs to a reading of a trace. */
void api_trace_end(struct tprof *t);

/* Takes over the profile. */
int api_profile_open(struct tprof *t, struct tp_profile *p, struct tp_err *err);
void api_profile_release(struct tprof *t);

/* Times wrap around where a clock is damaged. */
static inline int64_t api_time(const struct tprof *t, int64_t ts)
{
	return (int64_t)((uint64_t)ts - (uint64_t)t->start_ns);
}

static inline const char *api_text(const struct tprof *t, uint32_t string)
{
	return string ? tp_dict_text(t->dict, string).text : "";
}

#endif
