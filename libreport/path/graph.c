#include "path/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "path/ender.h"
#include "spans/index.h"

/* ---- reading ---- */

/* The creation of a goroutine, after `number` spans of the segment. */
struct birth {
	int64_t start;
	uint32_t number, goroutine;
};

struct reading {
	struct rep_view *v;
	struct rep_graph *g;
	const struct rep_path_request *request;
	struct rep_index index;
	bool placed, begun;
	/* By goroutine: its node whose previous one is to be found, if the request depends on it; the same
	 * while it waits for a sync.WaitGroup; the place of the span that comes next. */
	uint32_t *at, *joins, *place;
	struct birth *birth; /* nbirths of the segment that are not read yet, by time */
	size_t nbirths, birth_room;
	uint8_t *group; /* by stack: 1 if it is in sync.WaitGroup.Wait, 2 if not */
};

static int add(struct reading *r, uint32_t goroutine, int64_t old, uint32_t what, uint32_t *out)
{
	struct rep_graph *g = r->g;
	uint32_t at = (uint32_t)g->n;

	if (g->n >= REP_GRAPH_NODES)
		return TP_ELIMIT;
	if (tp_grow_raw(&g->node, &g->room, g->n, sizeof(*g->node)))
		return TP_ENOMEM;
	g->node[g->n++] = (struct rep_graph_node){.old = old,
						  .prev = TP_NONE,
						  .cause = TP_NONE,
						  .goroutine = goroutine,
						  .what = what & REP_GRAPH_REST};
	if (r->at[goroutine] != TP_NONE)
		g->node[r->at[goroutine]].prev = at;
	r->at[goroutine] = at;
	*out = at;
	return 0;
}

/* Adds a node at the end of a stretch that takes time. */
static int add_stretch(struct reading *r, uint32_t goroutine, int64_t old, enum rep_path_kind kind,
		       uint32_t reason, uint32_t stack, uint32_t *out)
{
	uint32_t what;
	int code =
	    rep_keys_add(&r->g->keys, kind, reason, rep_view_entry(r->v, goroutine), stack, &what);

	return code ? code : add(r, goroutine, old, what, out);
}

static bool needed(const struct reading *r, uint32_t goroutine)
{
	return r->at[goroutine] != TP_NONE;
}

static bool in_wait_group(struct reading *r, uint32_t stack)
{
	static const char name[] = "sync.(*WaitGroup).Wait";
	const struct tp_dict *dict = r->v->dict;

	if (stack >= tp_dict_stacks(dict))
		return false;
	if (!r->group[stack]) {
		r->group[stack] = 2;
		for (uint32_t at = stack, n = 0; at && n < 4; n++) {
			struct tp_stack_node node = tp_dict_stack_at(dict, at);
			struct tp_text t = tp_dict_text(dict, tp_dict_frame_name(dict, node.frame));

			if (t.size == sizeof(name) - 1 && tp_text_begins(t, name))
				r->group[stack] = 1;
			at = node.parent < at ? node.parent : 0;
		}
	}
	return r->group[stack] == 1;
}

/* Adds the wake-up that ended the wait `span`. */
static int add_wake(struct reading *r, const struct tp_span *span)
{
	struct rep_graph *g = r->g;
	bool met = tp_text_begins(tp_dict_text(r->v->dict, span->reason), "chan ");
	uint32_t end = TP_NONE, act, came;
	int code = 0;

	if (!needed(r, span->goroutine) && !(met && needed(r, span->waker)))
		return 0;
	if (needed(r, span->goroutine)) {
		code = add(r, span->goroutine, span->end, REP_GRAPH_REST, &end);
		if (!code && in_wait_group(r, span->stack))
			r->joins[span->goroutine] = end;
	}
	if (!code)
		code = add_stretch(r, span->waker, span->end, REP_PATH_RUNNING, 0,
				   span->waker_stack, &act);
	if (!code && end != TP_NONE)
		g->node[end].cause = act;
	if (!code && met)
		code = add(r, span->goroutine, span->start, REP_GRAPH_REST, &came);
	if (!code && met) {
		g->node[act].cause = came;
		g->node[act].inferred = 1;
	}
	return code;
}

/* If the goroutine that created this one waits for it in sync.WaitGroup.Wait: adds that it had to end. */
static int add_join(struct reading *r, const struct tp_span *span)
{
	int64_t parent = REP_COL(r->v, GOROUTINE, parent)[span->goroutine];
	uint32_t joined, end;
	int code;

	if (REP_COL(r->v, GOROUTINE, ended_ns)[span->goroutine] != span->end || parent < 0 ||
	    (uint64_t)parent >= r->index.ngoroutines || !needed(r, (uint32_t)parent) ||
	    r->joins[parent] != r->at[parent])
		return 0;
	code = add(r, (uint32_t)parent, span->end, REP_GRAPH_REST, &joined);
	r->joins[parent] = r->at[parent];
	if (!code)
		code = add(r, span->goroutine, span->end, REP_GRAPH_REST, &end);
	if (!code)
		r->g->node[joined].cause = end;
	return code;
}

static enum rep_path_kind kind_of(unsigned state)
{
	switch (state) {
	case TP_ST_RUNNING:
		return REP_PATH_RUNNING;
	case TP_ST_RUNNABLE:
		return REP_PATH_RUNNABLE;
	case TP_ST_SYSCALL:
	case TP_ST_SYSCALL_BLOCKED:
		return REP_PATH_SYSCALL;
	case TP_ST_WAITING:
		return REP_PATH_UNFINISHED;
	default:
		return REP_PATH_LOST;
	}
}

/* Returns whether a goroutine is the runtime's own: the collector's, or the tracer's. What these do follows the
 * clock and all of the program, so waits that they end keep their length. */
static bool is_runtimes(const struct reading *r, int64_t goroutine)
{
	struct tp_text entry = tp_dict_text(r->v->dict, rep_view_entry(r->v, goroutine));

	return (tp_text_begins(entry, "runtime.") || tp_text_begins(entry, "runtime/trace.")) &&
	       !tp_text_begins(entry, "runtime.main") &&
	       !tp_text_begins(entry, "runtime.cgocallback");
}

static int add_span(struct reading *r, uint32_t number, uint32_t place)
{
	const struct rep_index *x = &r->index;
	const struct tp_span *s = &x->span[number];
	bool first = place == x->first[s->goroutine],
	     last = place + 1 == x->first[s->goroutine + 1];
	bool waited = s->state == TP_ST_WAITING;
	enum rep_path_kind kind = waited ? rep_path_ender_in(r->v, s) : kind_of(s->state);
	uint32_t stack = s->stack, node;
	int code = last ? add_join(r, s) : 0;

	if (code)
		return code;
	if (waited && kind == REP_PATH_RUNNING && is_runtimes(r, s->waker))
		kind = REP_PATH_COLLECTOR;
	if (waited && kind == REP_PATH_RUNNING &&
	    rep_index_actor(x, s->waker, x->waker_nth[number], 2 * number + 2) != REP_INDEX_NONE) {
		code = add_wake(r, s);
	} else if (needed(r, s->goroutine)) {
		if (waited && kind == REP_PATH_RUNNING)
			kind = REP_PATH_OUTSIDE;
		if (s->state == TP_ST_RUNNABLE)
			stack = first ? 0 : rep_index_at(x, place - 1)->stack;
		code = add_stretch(r, s->goroutine, s->end, kind, waited ? s->reason : 0, stack,
				   &node);
	}
	if (code || !needed(r, s->goroutine) || !first || s->mark ||
	    x->birth[s->goroutine].creator != TP_NONE)
		return code;
	/* The trace has no more of it. */
	code = add(r, s->goroutine, s->start, REP_GRAPH_REST, &node);
	r->at[s->goroutine] = TP_NONE;
	return code;
}

/* Adds the beginning of the request, once all that ends after it has been read. */
static int add_begin(struct reading *r)
{
	const struct rep_path_request *q = r->request;
	uint32_t goroutine = q->begins, at, what = REP_GRAPH_REST;

	r->begun = true;
	if (q->subject == REP_PATH_RANGE || q->no_begin || goroutine >= r->index.ngoroutines ||
	    (q->subject == REP_PATH_GOROUTINE && r->g->begin != TP_NONE))
		return 0;
	at = r->at[goroutine];
	if (at != TP_NONE && r->g->node[at].old < q->from)
		return 0;
	/* It is within the stretch that ends at the goroutine's next node. */
	if (at != TP_NONE)
		what = r->g->node[at].what;
	return add(r, goroutine, q->from, what, &r->g->begin);
}

/* Adds the creations after `number` spans. */
static int add_births(struct reading *r, uint32_t number)
{
	const struct rep_index *x = &r->index;
	int code = 0;

	for (; r->nbirths && r->birth[r->nbirths - 1].number >= number && !code; r->nbirths--) {
		const struct birth *b = &r->birth[r->nbirths - 1];
		const struct rep_index_birth *how = &x->birth[b->goroutine];
		uint32_t begin, act;

		if (b->number > number)
			continue;
		if (!r->begun && b->start < r->request->from)
			code = add_begin(r);
		if (code || !needed(r, b->goroutine))
			continue;
		code = add(r, b->goroutine, b->start, REP_GRAPH_REST, &begin);
		if (!code)
			code = add_stretch(r, how->creator, b->start, REP_PATH_RUNNING, 0,
					   how->stack, &act);
		if (code)
			break;
		r->g->node[begin].cause = act;
		r->at[b->goroutine] = TP_NONE;
		if (r->request->subject == REP_PATH_GOROUTINE && b->goroutine == r->request->begins)
			r->g->begin = begin;
	}
	return code;
}

static int by_birth(const void *a, const void *b)
{
	const struct birth *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->goroutine < y->goroutine ? -1 : x->goroutine > y->goroutine;
}

static int list_births(struct reading *r)
{
	const struct rep_index *x = &r->index;

	r->nbirths = 0;
	for (uint32_t g = 0; g < x->ngoroutines; g++) {
		r->place[g] = x->first[g + 1];
		if (x->birth[g].creator == TP_NONE || x->first[g] == x->first[g + 1])
			continue;
		if (tp_grow_raw(&r->birth, &r->birth_room, r->nbirths, sizeof(*r->birth)))
			return TP_ENOMEM;
		r->birth[r->nbirths++] = (struct birth){x->span[x->order[x->first[g]]].start,
							(x->birth[g].moment - 1) / 2, g};
	}
	if (r->nbirths)
		qsort(r->birth, r->nbirths, sizeof(*r->birth), by_birth);
	return 0;
}

/* Adds the request's end, if it is in this segment. *n becomes the number of spans that end before it. */
static int add_end(struct reading *r, uint32_t *n)
{
	const struct rep_path_request *q = r->request;
	const struct rep_index *x = &r->index;
	uint32_t place = rep_index_before(x, q->goroutine, q->to), node;
	const struct tp_span *s;

	if (place == REP_INDEX_NONE)
		return 0;
	s = rep_index_at(x, place);
	r->placed = true;
	if (rep_index_ends(x, place) && s->end <= q->to) {
		*n = x->order[place] + 1;
		return add(r, q->goroutine, s->end, REP_GRAPH_REST, &node);
	}
	while (*n > 0 && x->span[*n - 1].end > q->to)
		--*n;
	return add_stretch(r, q->goroutine, q->to, kind_of(s->state), 0, q->stack, &node);
}

/* Returns whether the graph ends at a span. */
static bool is_over(const struct reading *r, const struct tp_span *s)
{
	if (!r->begun)
		return false;
	return r->request->subject == REP_PATH_RANGE ? s->end <= r->g->since
						     : r->g->n >= REP_GRAPH_LEAD;
}

/* Reads a segment backwards. *done becomes true if the graph ends in it. */
static int read_segment(struct reading *r, size_t segment, bool *done, struct tp_err *err)
{
	const struct rep_index_options everything = {.crossing = true, .causes = true};
	struct rep_index *x = &r->index;
	uint32_t n;
	int code = rep_index_read(x, r->v, segment, &everything, err);

	if (code)
		return code;
	n = x->ended;
	code = list_births(r);
	if (!code && !r->placed)
		code = add_end(r, &n);
	for (uint32_t i = x->n; i-- > n;)
		r->place[x->span[i].goroutine]--;
	if (!code && r->placed && n == x->ended)
		code = add_births(r, n);
	for (uint32_t i = n; r->placed && i-- > 0 && !code;) {
		const struct tp_span *s = &x->span[i];

		if (!r->begun && s->end <= r->request->from)
			code = add_begin(r);
		*done = is_over(r, s);
		if (*done) {
			r->g->since = s->end;
			break;
		}
		if (!code)
			code = add_span(r, i, --r->place[s->goroutine]);
		if (!code)
			code = add_births(r, i);
	}
	return code ? tp_err_full(err, code,
				  "too much leads to the end of this request to replay it; pick a "
				  "shorter one, or a time range")
		    : 0;
}

/* Ends the chains of goroutines where the graph does. What takes no time of its own stays where it was. */
static int end_chains(struct reading *r)
{
	int code = 0;

	if (!r->begun)
		code = add_begin(r);
	for (uint32_t g = 0; g < r->index.ngoroutines && !code; g++) {
		uint32_t node;

		if (needed(r, g) && r->g->node[r->at[g]].what != REP_GRAPH_REST &&
		    r->g->node[r->at[g]].old > r->g->since)
			code = add(r, g, r->g->since, REP_GRAPH_REST, &node);
	}
	return code;
}

static int begin(struct reading *r, struct tp_err *err)
{
	size_t n = r->v->nrows[TP_TABLE_GOROUTINE];

	r->at = tp_many(n + 1, sizeof(*r->at));
	r->joins = tp_many(n + 1, sizeof(*r->joins));
	r->place = calloc(n + 1, sizeof(*r->place));
	r->group = calloc((size_t)tp_dict_stacks(r->v->dict) + 1, 1);
	if (!r->at || !r->joins || !r->place || !r->group)
		return tp_nomem(err);
	memset(r->at, 0xff, (n + 1) * sizeof(*r->at));
	memset(r->joins, 0xff, (n + 1) * sizeof(*r->joins));
	return 0;
}

static int finish(struct rep_graph *g, struct tp_err *err)
{
	g->nwhats = g->keys.n;
	g->what = calloc(g->nwhats + 1, sizeof(*g->what));
	g->factor = tp_many(g->nwhats + 1, sizeof(*g->factor));
	if (!g->what || !g->factor)
		return tp_nomem(err);
	for (size_t i = 0; i < g->nwhats; i++) {
		const uint32_t *part = g->keys.key[i].part;

		g->factor[i] = 1;
		g->what[i] = (struct rep_path_sum){
		    .kind = (uint8_t)part[0],
		    .reason = part[1],
		    .entry = part[2],
		    .stack = part[3],
		};
	}
	return 0;
}

int rep_graph_read(struct rep_graph *g, struct rep_view *v, const struct rep_path_request *request,
		   struct tp_err *err)
{
	struct reading r = {.v = v, .g = g, .request = request};
	bool done = false;
	int code = rep_view_load(v, TP_TABLE_GOROUTINE,
				 REP_BIT(GOROUTINE, name) | REP_BIT(GOROUTINE, parent) |
				     REP_BIT(GOROUTINE, ended_ns),
				 err);

	*g = (struct rep_graph){.begin = TP_NONE, .from = request->from};
	if (request->subject == REP_PATH_RANGE)
		g->since = request->from;
	if (!code)
		code = begin(&r, err);
	for (size_t i = v->nsegments; i-- > 0 && !code && !done;)
		if (v->segments[i].from_ns <= request->to)
			code = read_segment(&r, i, &done, err);
	if (!code && r.placed) {
		code = end_chains(&r);
		if (code == TP_ELIMIT)
			tp_err_set(err, code, TP_OFFSET_NONE,
				   "too much leads to the end of this request to replay it");
		else if (code)
			tp_nomem(err);
	}
	if (!code)
		code = finish(g, err);
	rep_index_release(&r.index);
	free(r.at);
	free(r.joins);
	free(r.place);
	free(r.birth);
	free(r.group);
	return code;
}

void rep_graph_release(struct rep_graph *g)
{
	free(g->node);
	free(g->what);
	free(g->factor);
	rep_keys_release(&g->keys);
	memset(g, 0, sizeof(*g));
}

/* ---- replaying ---- */

/* Returns how long the stretch before a node takes. */
static int64_t length(const struct rep_graph *g, const struct rep_graph_node *node)
{
	int64_t ns = tp_minus(node->old, g->node[node->prev].old);

	if (node->what == REP_GRAPH_REST || ns <= 0)
		return 0;
	return g->factor[node->what] < 1 ? (int64_t)((double)ns * g->factor[node->what]) : ns;
}

static uint32_t cause_of(const struct rep_graph_node *node, bool inferred)
{
	return node->inferred && !inferred ? TP_NONE : node->cause;
}

static int64_t begin_of(const struct rep_graph *g)
{
	return g->begin == TP_NONE ? g->from : g->node[g->begin].now;
}

int64_t rep_graph_replay(struct rep_graph *g, bool inferred)
{
	int64_t begin;

	for (size_t i = g->n; i-- > 0;) {
		struct rep_graph_node *node = &g->node[i];
		uint32_t cause = cause_of(node, inferred);
		int64_t now = node->old;

		if (node->prev != TP_NONE)
			now = tp_plus(g->node[node->prev].now, length(g, node));
		if (cause != TP_NONE && (node->prev == TP_NONE || g->node[cause].now > now))
			now = g->node[cause].now;
		node->now = now;
	}
	begin = begin_of(g);
	return g->n && g->node[0].now > begin ? tp_minus(g->node[0].now, begin) : 0;
}

int64_t rep_graph_path(const struct rep_graph *g, bool inferred, int64_t *ns)
{
	int64_t begin = begin_of(g);
	uint32_t at = g->n ? 0 : TP_NONE;

	while (at != TP_NONE && g->node[at].now > begin) {
		const struct rep_graph_node *node = &g->node[at];
		uint32_t cause = cause_of(node, inferred), prev = node->prev;
		int64_t took = prev == TP_NONE ? 0 : length(g, node);

		if (prev != TP_NONE && node->what != REP_GRAPH_REST &&
		    tp_plus(g->node[prev].now, took) == node->now) {
			int64_t most = tp_minus(node->now, begin);

			tp_sum(&ns[node->what], took < most ? took : most);
			at = prev;
		} else if (cause != TP_NONE && g->node[cause].now == node->now) {
			at = cause;
		} else if (prev == TP_NONE) {
			return tp_minus(node->now, begin);
		} else {
			at = prev;
		}
	}
	return 0;
}
