/* Finds the ends of requests, and walks all of them back through the segments of the run at the same time. A
 * walker (walker.h) follows one request. */
#include <stdlib.h>
#include <string.h>

#include "base/big.h"
#include "base/many.h"
#include "base/search.h"
#include "path/path.h"
#include "path/tally.h"
#include "path/walker.h"

static int fail(struct tp_err *err, int code)
{
	return tp_err_full(err, code, "the run has too many different stacks");
}

/* ---- where requests end ---- */

/* Places a walker on the goroutine's span at time t, or at the end of its last one before. Returns false if
 * it has no span before t. */
static bool stand(struct rep_walk *k, struct rep_walker *w, uint32_t goroutine, int64_t t)
{
	const struct rep_index *x = &k->index;
	uint32_t place = rep_index_before(x, goroutine, t);
	const struct tp_span *span;

	if (place == REP_INDEX_NONE)
		return false;
	span = rep_index_at(x, place);
	w->goroutine = w->request->goroutine = goroutine;
	w->place = place;
	w->t = t;
	w->standing = REP_ON_SPAN;
	w->moment = rep_index_ends(x, place) && span->end <= t ? 2 * x->order[place] + 2
							       : rep_index_moment(x, place) + 1;
	return true;
}

/* Places a walker for a goroutine that does not end in the trace: before the wait in which the trace leaves
 * it. */
static bool begin_living(struct rep_walk *k, struct rep_walker *w)
{
	int64_t end = w->request->to;
	const struct tp_span *span;

	if (!stand(k, w, w->request->goroutine, end))
		return false;
	span = rep_index_at(&k->index, w->place);
	if (span->state != TP_ST_WAITING || !span->open)
		return true;
	w->request->to = w->t = span->start;
	w->moment = rep_index_moment(&k->index, w->place);
	w->standing = REP_AT_START;
	return true;
}

/* Returns whether a goroutine is the program's own and not the runtime's. The entry function of the main
 * goroutine is main.main. */
static bool is_own(const struct rep_walk *k, uint32_t goroutine)
{
	struct tp_text name = tp_dict_text(k->v->dict, rep_view_entry(k->v, goroutine));

	return !tp_text_begins(name, "runtime.") && !tp_text_begins(name, "runtime/");
}

#define ACTIVE_LOOK 64 /* most spans searched for a goroutine's last activity */

/* Places a walker for a time range at the activity that ended last. Returns false if this segment has
 * none. */
static bool begin_range(struct rep_walk *k, struct rep_walker *w)
{
	const struct rep_index *x = &k->index;
	int64_t end = w->request->to, best = INT64_MIN, best_rank = 0;
	uint32_t found = TP_NONE;

	for (uint32_t g = 0; g < x->ngoroutines; g++) {
		uint32_t place = rep_index_before(x, g, end), n = 0;
		struct tp_text name;
		int64_t at, rank;

		if (place == REP_INDEX_NONE || !is_own(k, g))
			continue;
		while (n++ < ACTIVE_LOOK && place > x->first[g] &&
		       !rep_index_active(rep_index_at(x, place)->state))
			place--;
		if (!rep_index_active(rep_index_at(x, place)->state))
			continue;
		at = rep_index_at(x, place)->end < end ? rep_index_at(x, place)->end : end;
		/* Of several that end at the same time, main comes first, then the oldest. */
		name = tp_dict_text(k->v->dict, rep_view_entry(k->v, g));
		rank = name.size == 9 && tp_text_begins(name, "main.main")
			   ? INT64_MIN
			   : REP_COL(k->v, GOROUTINE, id)[g];
		if (found == TP_NONE || at > best || (at == best && rank < best_rank)) {
			found = g;
			best = at;
			best_rank = rank;
		}
	}
	if (found == TP_NONE)
		return false;
	w->request->to = best;
	w->request->name = rep_view_entry(k->v, found);
	return stand(k, w, found, best);
}

/* Places a walker at the end of its request. Returns false if that is not in this segment. */
static bool begin_request(struct rep_walk *k, struct rep_walker *w)
{
	struct rep_path_request *r = w->request;

	if (r->subject == REP_PATH_RANGE)
		return begin_range(k, w);
	if (r->subject == REP_PATH_GOROUTINE && r->no_end)
		return begin_living(k, w);
	/* If the end of a task is not in this segment, it may be the last event of the one before. */
	if (r->subject == REP_PATH_TASK && !r->no_end && k->index.cached.segment &&
	    r->to <= k->v->segments[k->index.cached.segment].from_ns)
		return false;
	return stand(k, w, r->goroutine, r->to);
}

static void begin_tasks(struct rep_walk *k)
{
	for (size_t i = 0; i < k->index.ntasks; i++) {
		const struct rep_index_task *end = &k->index.task[i];
		struct rep_walker *w;
		uint32_t at, place;

		if (!rep_keys_find(&k->tasks, (uint32_t)end->task, (uint32_t)(end->task >> 32), 0,
				   0, &at) ||
		    end->goroutine == TP_NONE)
			continue;
		w = &k->walker[k->task_walker[at]];
		place = rep_index_actor(&k->index, end->goroutine, end->nth, end->moment);
		if (w->done || w->standing != REP_TO_BEGIN || end->ts != w->request->to ||
		    place == REP_INDEX_NONE)
			continue;
		w->goroutine = w->request->goroutine = end->goroutine;
		w->request->stack = end->stack;
		w->place = place;
		w->moment = end->moment;
		w->t = end->ts;
		w->standing = REP_ON_SPAN;
	}
}

/* Places a parked walker where it was going. Returns false if that is in an earlier segment or not in the
 * trace. */
static bool resume(struct rep_walk *k, struct rep_walker *w, int *code)
{
	if (w->standing == REP_ON_SPAN) /* a task whose end was among the events */
		return true;
	if (w->standing != REP_TO_BEGIN) {
		*code = rep_walker_resume(k, w);
		return !*code;
	}
	if (begin_request(k, w))
		return true;
	if (k->index.cached.segment) {
		rep_walker_park(k, w, k->index.cached.segment - 1, REP_TO_BEGIN);
		return false;
	}
	*code = rep_walker_unseen(k, w);
	return false;
}

static int run_segment(struct rep_walk *k, size_t segment, struct tp_err *err)
{
	uint32_t at = k->parked[segment];
	const struct rep_index_options everything = {
	    .crossing = true, .causes = true, .tasks = k->ends};
	int code = rep_index_read(&k->index, k->v, segment, &everything, err);

	if (code)
		return code;
	begin_tasks(k);
	while (at != TP_NONE && !code) {
		struct rep_walker *w = &k->walker[at];

		at = w->next;
		if (!w->done && resume(k, w, &code) && !code)
			code = rep_walker_go(k, w);
		if (code)
			fail(err, code);
	}
	return code;
}

/* Returns the last segment that begins at or before t. */
static size_t segment_of(const struct rep_view *v, int64_t t)
{
	size_t next = 1;

	TP_SEARCH(next, v->nsegments, i, v->segments[i].from_ns <= t);
	return next - 1;
}

static int begin(struct rep_walk *k, struct rep_path_request *requests, size_t n)
{
	int64_t low = k->v->from > 0 ? k->v->from : 0;

	k->walker = tp_big_zeroed(n + 1, sizeof(*k->walker));
	k->parked = tp_many(k->v->nsegments + 1, sizeof(*k->parked));
	if (!k->walker || !k->parked)
		return TP_ENOMEM;
	memset(k->parked, 0xff, (k->v->nsegments + 1) * sizeof(*k->parked));
	k->n = n;
	for (size_t i = n; i-- > 0;) {
		struct rep_walker *w = &k->walker[i];
		struct rep_path_request *r = &requests[i];
		uint64_t id = (uint64_t)r->id;
		uint32_t at;
		int code = 0;

		w->request = r;
		w->low = r->from > low ? r->from : low;
		w->last.goroutine = TP_NONE;
		rep_walker_park(k, w, segment_of(k->v, r->to), REP_TO_BEGIN);
		if (r->subject != REP_PATH_TASK || r->no_end)
			continue;
		code = rep_keys_add(&k->tasks, (uint32_t)id, (uint32_t)(id >> 32), 0, 0, &at);
		if (!code)
			code = tp_grow(&k->task_walker, &k->task_room, at, sizeof(*k->task_walker));
		if (code)
			return code;
		k->task_walker[at] = (uint32_t)i;
	}
	return 0;
}

int rep_path_walk(struct rep_view *v, struct rep_path_request *requests, size_t n, int64_t max_hops,
		  struct rep_path *path, struct tp_err *err)
{
	struct rep_walk k = {
	    .v = v,
	    .path = path,
	    .left = max_hops,
	    .steps = max_hops < INT64_MAX / 8 ? 8 * max_hops + 64 : INT64_MAX,
	    .keep = n == 1,
	};
	int code = rep_path_begin(path);

	for (size_t i = 0; i < n; i++)
		k.ends |= requests[i].subject == REP_PATH_TASK;
	if (!code && n >= TP_NONE)
		code = TP_ELIMIT;
	if (!code)
		code = begin(&k, requests, n);
	if (code)
		fail(err, code);
	else
		code = rep_view_load(v, TP_TABLE_GOROUTINE,
				     REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, id), err);
	for (size_t i = v->nsegments; i-- > 0 && !code;)
		if (k.parked[i] != TP_NONE)
			code = run_segment(&k, i, err);
	path->requests = n;
	if (!code) {
		rep_path_finish(path);
		rep_path_sort(requests, n);
	}
	for (size_t i = 0; i < k.n; i++)
		free(k.walker[i].frame);
	free(k.walker);
	free(k.parked);
	free(k.task_walker);
	rep_keys_release(&k.tasks);
	rep_index_release(&k.index);
	return code;
}
