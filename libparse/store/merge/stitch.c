#include "store/merge/stitch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "order/pipe.h"
#include "order/v2/order.h"
#include "store/cut.h"
#include "store/merge/join.h"
#include "store/trace_row.h"
#include "timeline/timeline.h"

/* Kinds of events in the file format, and entries of a ledger: many more than any decoder makes of
 * one trace. */
#define MOST_WIRES     1024
#define MOST_OF_LEDGER 100000

/* What an event's second string is. */
enum { NO_STR2, STRING_STR2, STACK_STR2 };

struct stitch {
	const struct stitch_options *opt;
	struct tp_store_run *run;
	struct tp_timeline *timeline;
	struct tp_pipe *pipe;
	struct tp_sink sink;
	struct join join;
	struct join_maps maps; /* of the part at hand */
	/* Tasks that are active: of the state only maps and lists are used. */
	struct tp_v2_state s;
	uint8_t str2[TP_NEVENT_TYPES];
	struct tp_event *ev; /* n that wait for their batch to be full, and room for a block */
	size_t n;
	int64_t last_ts;
	bool begun;	      /* there was an event */
	bool late;	      /* the part begins behind a time that it did not know of */
	uint64_t done, total; /* events */
	char dump[33];
};

static int damaged(struct tp_err *err)
{
	return tp_err_set(err, TP_ESTORE, TP_OFFSET_NONE, "its events are damaged");
}

static int mismatch(struct tp_err *err, const char *what)
{
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "it does not fit the parts before it (%s)", what);
}

static int refused(const struct stitch *st, struct tp_err *err)
{
	return tp_v2_state_refusal(&st->s) == TP_ELIMIT
		   ? tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "too many tasks")
		   : tp_nomem(err);
}

/* ---- what an event says of those before the cut ---- */

/* As order/v2/annotation.c. */
static int mend_task(struct stitch *st, struct tp_event *ev, struct tp_err *err)
{
	struct tp_v2_task *task = tp_v2_task_find(&st->s, ev->arg[0]);

	if (ev->type == TP_EV_TASK_BEGIN) {
		if (task)
			return mismatch(err, "tasks");
		return tp_v2_task_start(&st->s, ev->arg[0], ev->arg[1], ev->str) ? refused(st, err)
										 : 0;
	}
	if (task) {
		ev->arg[1] = task->parent;
		ev->str = task->name;
		tp_v2_task_end(&st->s, ev->arg[0]);
	}
	return 0;
}

/* ---- events ---- */

static bool number(uint32_t *of, const uint32_t *map, uint32_t n)
{
	if (*of == TP_NONE)
		return true;
	if (*of >= n)
		return false;
	*of = map[*of];
	return true;
}

static int renumber(struct stitch *st, struct tp_event *ev)
{
	const struct join_maps *maps = &st->maps;
	char subject;
	bool good;

	if (ev->type >= TP_NEVENT_TYPES || !tp_event_descs[ev->type].wire ||
	    ev->from >= TP_NSTATES || ev->to >= TP_NSTATES)
		return TP_ESTORE;
	subject = tp_event_descs[ev->type].subject;
	good = number(&ev->g, maps->g, maps->ng) && number(&ev->m, maps->m, maps->nm) &&
	       number(&ev->p, maps->p, maps->np) && number(&ev->str, maps->str, maps->nstr) &&
	       number(&ev->stack, maps->stack, maps->nstack);
	if (subject == 'G')
		good &= number(&ev->subject, maps->g, maps->ng);
	else if (subject == 'P')
		good &= number(&ev->subject, maps->p, maps->np);
	else
		good &= ev->subject == TP_NONE;
	if (st->str2[ev->type] == STRING_STR2)
		good &= number(&ev->str2, maps->str, maps->nstr);
	else if (st->str2[ev->type] == STACK_STR2)
		good &= number(&ev->str2, maps->stack, maps->nstack);
	else
		good &= !ev->str2;
	return good ? 0 : TP_ESTORE;
}

static int mend(struct stitch *st, struct tp_event *ev, size_t n, int64_t start_ns,
		struct tp_err *err)
{
	for (; n--; ev++) {
		int code = 0;

		if (renumber(st, ev))
			return damaged(err);
		ev->ts = (int64_t)((uint64_t)ev->ts + (uint64_t)start_ns);
		if (st->late)
			ev->ts = tp_v2_time_after(st->last_ts, ev->ts);
		else if (st->begun && ev->ts < st->last_ts)
			return damaged(err);
		st->begun = true;
		st->last_ts = ev->ts;
		if (ev->type == TP_EV_TASK_BEGIN || ev->type == TP_EV_TASK_END)
			code = mend_task(st, ev, err);
		if (code)
			return code;
	}
	return 0;
}

/* Batches are as large as a decoder's, across blocks and parts: the timeline makes something of
 * where they end. */
static int hand_on(struct stitch *st, bool all, struct tp_err *err)
{
	struct tp_trace *t = &st->join.trace;
	size_t done = 0;
	int code = 0;

	if (!t->started && st->n) {
		t->started = true;
		t->first_ts = st->ev->ts;
	}
	while (!code && (st->n - done >= TP_V2_BATCH || (all && done < st->n))) {
		size_t some = st->n - done < TP_V2_BATCH ? st->n - done : TP_V2_BATCH;

		code = st->sink.events(st->sink.ctx, st->ev + done, some, err);
		done += some;
		t->last_ts = st->ev[done - 1].ts;
	}
	t->events += done;
	st->n -= done;
	memmove(st->ev, st->ev + done, st->n * sizeof(*st->ev));
	return code;
}

/* What a part says of itself has to be possible, as it comes from a store that anybody may have
 * made; of its events, add_events counts them. */
static bool is_credible(const struct tp_trace *part)
{
	const struct tp_cut *cut = part->cut;

	return part->inferred <= part->events &&
	       part->generations <= (uint64_t)cut->last - cut->first + 1 &&
	       part->nwires <= MOST_WIRES && part->nlosses <= MOST_OF_LEDGER &&
	       part->nnotices <= MOST_OF_LEDGER;
}

static int add_events(struct stitch *st, struct tp_store *store, int64_t run,
		      const struct tp_trace *part, struct tp_err *err)
{
	const struct tp_seam *known = &st->join.known, *before = &part->cut->before;
	struct tp_event_reader *reader = NULL;
	uint64_t left = part->events;
	size_t n;
	int code = tp_events_open(&reader, store, run, NULL, err);

	st->late = part->cut->first > 1 && before->last_ts != known->last_ts;
	st->last_ts = known->last_ts;
	while (!code && (code = tp_events_read(reader, st->ev + st->n, &n, err)) == 1) {
		code = n <= left ? mend(st, st->ev + st->n, n, part->first_ts, err) : damaged(err);
		st->n += n;
		if (!code)
			code = hand_on(st, false, err);
		left -= n;
		st->done += n;
		if (!code && st->opt->progress &&
		    st->opt->progress(st->opt->ctx, st->done, st->total))
			code = tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "stopped");
	}
	if (!code && left)
		code = damaged(err);
	tp_events_close(reader);
	return code;
}

/* ---- parts ---- */

static int add_part(struct stitch *st, size_t i, struct tp_trace *part, struct tp_err *err)
{
	struct tp_dict *dict = NULL;
	struct tp_store *store;
	int64_t run;
	int code = st->opt->part(st->opt->ctx, i, &store, &run, err);

	if (code)
		return code;
	code = tp_store_load_cut(store, run, part, err);
	if (code < 0)
		return code;
	if (!code || !is_credible(part))
		return damaged(err);
	code = tp_dict_load(store, run, &dict, err);
	if (!code && !i)
		tp_hash_text(part->cut->dump, st->dump);
	if (!code)
		code = join_begin(&st->join, part, dict, &st->maps, err);
	tp_dict_free(dict);
	if (!code)
		code = add_events(st, store, run, part, err);
	if (!code)
		code = join_end(&st->join, part, &st->maps, st->last_ts, err);
	if (code)
		tp_err_prefix(err, "%s: run %lld (generations %u to %u)", tp_store_path(store),
			      (long long)run, part->cut->first, part->cut->last);
	return code;
}

static int add_parts(struct stitch *st, size_t n, int64_t *file_time_ns, struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < n && !code; i++) {
		struct tp_trace part = {0};

		code = add_part(st, i, &part, err);
		if (!code)
			*file_time_ns = part.cut->file_time_ns;
		tp_trace_release(&part);
		join_maps_release(&st->maps);
	}
	return code;
}

/* ---- the run ---- */

static int feed_timeline(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct stitch *st = ctx;

	return tp_timeline_feed(st->timeline, ev, n, err);
}

static int put_events(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	struct stitch *st = ctx;

	return tp_store_put_events(st->run, ev, n, err);
}

static int feed_both(void *ctx, const struct tp_event *ev, size_t n, struct tp_err *err)
{
	int code = feed_timeline(ctx, ev, n, err);

	return code ? code : put_events(ctx, ev, n, err);
}

static int begin(struct stitch *st, bool occupancy, struct tp_err *err)
{
	const struct tp_sink consumers[] = {{.events = feed_timeline, .ctx = st},
					    {.events = put_events, .ctx = st}};
	int code = tp_store_begin(&st->run, st->opt->path, &st->opt->store, err);

	if (code)
		return code;
	st->timeline = tp_timeline_new(st->run);
	st->ev = tp_many(TP_V2_BATCH + TP_BLOCK_EVENTS, sizeof(*st->ev));
	if (!st->ev || !st->timeline || (occupancy && tp_timeline_with_occupancy(st->timeline)))
		return tp_nomem(err);
	st->sink = (struct tp_sink){.events = feed_both, .ctx = st};
	/* Where there is no memory for a pipe, this thread does it all. */
	if (st->opt->threads > 0 &&
	    !tp_pipe_new(&st->pipe, consumers, 2, (size_t)st->opt->threads, err))
		st->sink = tp_pipe_sink(st->pipe);
	tp_v2_state_init(&st->s, &st->join.trace, 1);
	for (unsigned i = 0; i < TP_NEVENT_TYPES; i++) {
		const char *str2 = tp_event_descs[i].str2;

		st->str2[i] = !str2 ? NO_STR2 : !strcmp(str2, "stack") ? STACK_STR2 : STRING_STR2;
	}
	return 0;
}

static int finish(struct stitch *st, int64_t file_time_ns, struct stitched *made,
		  struct tp_err *err)
{
	struct tp_trace *t = &st->join.trace;
	struct tp_store_run *run = st->run;
	struct tp_run row = {.name = "", .source = "", .hash = st->dump};
	char format[32];
	int code = tp_timeline_finish(st->timeline, t, err);

	if (!code && tp_trace_file_time(t, file_time_ns))
		code = tp_nomem(err);
	if (!code)
		code = tp_store_put_trace(run, t, err);
	if (code)
		return code;
	snprintf(format, sizeof(format), "go 1.%d", t->version);
	row.format = format;
	tp_trace_row(&row, t);
	*made = (struct stitched){.wall_ns = row.wall_ns, .generations = row.generations};
	st->run = NULL; /* commit frees it, also when it fails */
	return tp_store_commit(run, &row, err);
}

int tp_stitch(size_t n, bool occupancy, const struct stitch_options *opt, struct stitched *made,
	      struct tp_err *err)
{
	struct stitch st = {.opt = opt, .total = opt->events};
	int64_t file_time_ns = 0;
	int code = begin(&st, occupancy, err), piped;

	if (!code)
		code = add_parts(&st, n, &file_time_ns, err);
	if (!code)
		code = hand_on(&st, true, err);
	piped = st.pipe ? tp_pipe_finish(st.pipe, code ? NULL : err) : 0;
	code = code ? code : piped;
	if (!code)
		code = finish(&st, file_time_ns, made, err);
	tp_pipe_free(st.pipe);
	tp_timeline_free(st.timeline);
	if (st.run)
		tp_store_abort(st.run);
	tp_v2_state_release(&st.s);
	free(st.ev);
	join_release(&st.join);
	return code;
}
