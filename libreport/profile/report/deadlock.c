/* deadlock: goroutines that may be deadlocked, in groups, each with the evidence (deadlock.h).
 *
 *	2 of 3 goroutines may be deadlocked, in 1 group
 *
 *	1: goroutines 7 and 8 may wait for each other
 *
 *	   goroutine 7, sync.Mutex.Lock, 2m00s, created by main.inversion at bank.go:44
 *	   main.move at bank.go:33
 *	   goroutine 8 may hold the lock: main.move at bank.go:33 has the same address 0xc00002e2e0
 *
 * Goroutines of a group with the same stack, state and creator are one paragraph; the evidence is
 * that of the first. */
#include <inttypes.h>
#include <string.h>

#include "base/units.h"
#include "profile/deadlock.h"
#include "profile/report/reports.h"
#include "profile/writer/writer.h"

#define MAX_IDS 8 /* listed in a row */

struct report {
	struct rep_deadlocks d;
	struct tp_buf b;
};

/* Goroutines [from, to) of d.row. */
struct row {
	size_t from, to;
};

static const struct rep_deadlock_goroutine *at(const struct report *r, size_t row)
{
	return &r->d.g[r->d.row[row]];
}

static bool next_row(const struct report *r, struct row *row)
{
	row->from = row->to;
	if (row->from == r->d.nrows)
		return false;
	for (row->to++; row->to < r->d.nrows; row->to++)
		if (rep_deadlock_compare(at(r, row->from), at(r, row->to)) != 0)
			break;
	return true;
}

/* ---- texts, which may contain anything of the dump ---- */

static void put_text(struct report *r, uint32_t string)
{
	struct tp_text t = tp_dict_text(r->d.p->dict, string);

	tp_buf_put(&r->b, t.text, t.size);
}

/* "main.move at bank.go:33" */
static void put_place(struct report *r, uint32_t node)
{
	const struct tp_dict *dict = r->d.p->dict;
	uint32_t frame = tp_dict_stack_at(dict, node).frame;
	struct tp_frame f = tp_dict_frame_at(dict, frame);
	uint32_t file = tp_dict_function_at(dict, f.function).file;

	put_text(r, tp_dict_frame_name(dict, frame));
	if (file) {
		tp_buf_text(&r->b, " at ");
		put_text(r, file);
	}
	if (file && f.line)
		tp_buf_printf(&r->b, ":%" PRId64, f.line);
}

/* Puts the next item of a list of n, of which `shown` are named: "7, 8 and 9", "7, 8 and 3 more". */
static void put_id(struct report *r, size_t i, size_t n, int64_t id)
{
	size_t shown = n < MAX_IDS ? n : MAX_IDS;

	if (i >= shown)
		return;
	tp_buf_printf(&r->b, "%s%" PRId64, !i ? "" : i + 1 == n ? " and " : ", ", id);
	if (i + 1 == shown && shown < n)
		tp_buf_printf(&r->b, " and %zu more", n - shown);
}

static void put_goroutines(struct report *r, size_t n)
{
	tp_buf_text(&r->b, n == 1 ? "goroutine " : "goroutines ");
}

static void put_row_ids(struct report *r, const struct row *row)
{
	for (size_t i = row->from; i < row->to; i++)
		put_id(r, i - row->from, row->to - row->from, at(r, i)->id);
}

/* Returns whether an edge is evidence that the row names. */
static bool is_named(const struct report *r, const struct rep_deadlock_goroutine *g,
		     const struct rep_deadlock_edge *e)
{
	const struct rep_deadlock_goroutine *to = &r->d.g[e->to];

	return e->by == g->by && to->wait >= REP_WAIT_FOREVER &&
	       (e->by != REP_DEADLOCK_CREATOR || to->creator == g->id);
}

static const char *nobody(enum rep_deadlock_wait wait)
{
	switch (wait) {
	case REP_WAIT_LOCK:
	case REP_WAIT_RLOCK:
		return "no goroutine can be seen that may hold the lock";
	case REP_WAIT_GROUP:
		return "no goroutine can be seen that may call Done";
	case REP_WAIT_COND:
		return "no goroutine can be seen that may signal the condition";
	case REP_WAIT_SEND:
		return "no goroutine can be seen that may receive";
	case REP_WAIT_RECEIVE:
		return "no goroutine can be seen that may send, or close the channel";
	default:
		return "no goroutine can be seen that may serve one of its channels";
	}
}

static const char *service(enum rep_deadlock_wait wait)
{
	switch (wait) {
	case REP_WAIT_LOCK:
	case REP_WAIT_RLOCK:
		return "hold the lock";
	case REP_WAIT_GROUP:
		return "have to call Done";
	case REP_WAIT_COND:
		return "have to signal";
	case REP_WAIT_SEND:
		return "have to receive";
	default:
		return "have to send";
	}
}

static void put_runtime(struct report *r, const struct rep_deadlock_goroutine *g)
{
	if (g->leaked)
		tp_buf_text(&r->b, "Go's collector found that nothing can wake it");
	else if (g->wait == REP_WAIT_FOREVER)
		tp_buf_text(&r->b, "nothing can wake a goroutine in this state");
	else
		tp_buf_printf(&r->b, "%s, and the runtime found all goroutines asleep",
			      nobody(g->wait));
}

/* "main.move at bank.go:33 has the same address 0xc00002e2e0" */
static void put_evidence(struct report *r, const struct rep_deadlock_edge *e)
{
	put_place(r, e->node);
	switch (e->by) {
	case REP_DEADLOCK_ADDRESS:
		tp_buf_printf(&r->b, " has the same address 0x%" PRIx64, e->address);
		break;
	case REP_DEADLOCK_FUNCTION:
		tp_buf_text(&r->b, " is behind the call that locks");
		break;
	default:
		tp_buf_text(&r->b, " is a method of the same type");
	}
}

static void put_why(struct report *r, const struct rep_deadlock_goroutine *g)
{
	const struct rep_deadlock_edge *edge = r->d.edge + g->edge, *first = NULL;
	size_t n = 0, i = 0;

	for (size_t k = 0; k < g->nedges; k++)
		if (is_named(r, g, &edge[k])) {
			first = first ? first : &edge[k];
			n++;
		}
	if (g->by == REP_DEADLOCK_RUNTIME) {
		put_runtime(r, g);
		return;
	}
	if (!first) {
		tp_buf_text(&r->b, nobody(g->wait));
		return;
	}
	if (&r->d.g[first->to] == g) {
		tp_buf_printf(&r->b, "it may %s itself: ", service(g->wait));
		put_evidence(r, first);
		return;
	}
	put_goroutines(r, n);
	for (size_t k = 0; k < g->nedges; k++)
		if (is_named(r, g, &edge[k]))
			put_id(r, i++, n, r->d.g[edge[k].to].id);
	if (g->by == REP_DEADLOCK_WRITER) {
		tp_buf_text(&r->b, " may come first, as new readers wait for writers");
	} else if (g->by == REP_DEADLOCK_CREATOR) {
		tp_buf_printf(&r->b, ", which it created, wait%s, too", n == 1 ? "s" : "");
	} else {
		tp_buf_printf(&r->b, " may %s: ", service(g->wait));
		put_evidence(r, first);
	}
}

/* "goroutines 7 and 8 may wait for each other, and 1 more for them" */
static const char *put_title(struct report *r, size_t from, size_t to)
{
	size_t circle = 0, itself = 0, i = 0, n = to - from;
	bool rest;

	for (size_t k = from; k < to; k++) {
		circle += at(r, k)->circle;
		itself += at(r, k)->itself;
	}
	if (circle < 2)
		circle = 0;
	itself = circle ? 0 : itself;
	rest = (circle || itself) && n > circle + itself;
	put_goroutines(r, circle ? circle : itself ? itself : n);
	for (size_t k = from; k < to; k++)
		if (circle ? at(r, k)->circle : !itself || at(r, k)->itself)
			put_id(r, i++, circle ? circle : itself ? itself : n, at(r, k)->id);
	tp_buf_text(&r->b, circle	? " may wait for each other"
			   : itself > 1 ? " may wait for locks that they hold themselves"
			   : itself	? " may wait for a lock that it holds itself"
					: " may wait for ever");
	if (rest)
		tp_buf_printf(&r->b, ", and %zu more for %s", n - circle - itself,
			      circle + itself == 1 ? "it" : "them");
	return circle ? "circle" : itself ? "itself" : "nobody";
}

/* ---- writing ---- */

static void flush(struct report *r, struct rep_writer *out, size_t indent)
{
	rep_writer_space(out, indent);
	rep_writer_text(out, (char *)r->b.data, r->b.size);
	rep_writer_put(out, "\n");
	rep_writer_fail(out, r->b.failed ? TP_ENOMEM : 0);
	r->b.size = 0;
}

static void print_row(struct report *r, struct rep_writer *out, const struct row *row)
{
	const struct rep_deadlock_goroutine *g = at(r, row->from);
	int64_t longest = 0;
	char text[TP_UNITS_SIZE];

	for (size_t i = row->from; i < row->to; i++)
		longest = at(r, i)->wait_ns > longest ? at(r, i)->wait_ns : longest;
	rep_writer_put(out, "\n");
	put_goroutines(r, row->to - row->from);
	put_row_ids(r, row);
	tp_buf_text(&r->b, ", ");
	put_text(r, g->state);
	if (longest)
		tp_buf_printf(&r->b, ", %s", tp_fmt_ns(text, longest));
	if (g->created_by) {
		tp_buf_text(&r->b, ", created by ");
		put_text(r, g->created_by);
		if (g->created_at) {
			tp_buf_text(&r->b, " at ");
			put_text(r, g->created_at);
		}
	}
	flush(r, out, 3);
	if (g->site) {
		put_place(r, g->site);
		flush(r, out, 3);
	}
	put_why(r, g);
	flush(r, out, 3);
}

static void print_groups(struct report *r, struct rep_writer *out, int64_t most)
{
	struct row row = {0};
	uint32_t group = 0;

	while (!rep_writer_failed(out) && next_row(r, &row)) {
		size_t end = row.to;

		if (most > 0 && at(r, row.from)->group > most)
			break;
		if (at(r, row.from)->group != group) {
			group = at(r, row.from)->group;
			while (end < r->d.nrows && at(r, end)->group == group)
				end++;
			tp_buf_printf(&r->b, "%" PRIu32 ": ", group);
			put_title(r, row.from, end);
			rep_writer_put(out, "\n");
			flush(r, out, 0);
		}
		print_row(r, out, &row);
	}
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	struct report r = {0};
	struct rep_writer out;
	int64_t most = v->opt.node_count;
	int code = rep_deadlocks_find(&r.d, v->profile, err);

	(void)arg;
	if (code) {
		rep_deadlocks_release(&r.d);
		return code;
	}
	rep_writer_init(&out, sink);
	for (size_t i = 0; i < v->profile->ncomments; i++) {
		put_text(&r, v->profile->comments[i]);
		flush(&r, &out, 0);
	}
	if (v->profile->ncomments)
		rep_writer_put(&out, "\n");
	if (r.d.nrows)
		rep_writer_printf(
		    &out, "%zu of %zu goroutine%s may be deadlocked, in %zu group%s\n", r.d.nrows,
		    r.d.n, r.d.n == 1 ? "" : "s", r.d.ngroups, r.d.ngroups == 1 ? "" : "s");
	else
		rep_writer_printf(&out, "no suspicion of a deadlock in %zu goroutine%s\n", r.d.n,
				  r.d.n == 1 ? "" : "s");
	print_groups(&r, &out, most);
	if (r.d.nrows || r.d.early)
		rep_writer_put(&out, "\n");
	if (most > 0 && (uint64_t)most < r.d.ngroups)
		rep_writer_printf(&out, "%zu more; -n 0 shows all\n", r.d.ngroups - (size_t)most);
	if (r.d.early)
		rep_writer_printf(&out,
				  "%zu more wait%s for less than a minute, and no goroutine can be "
				  "seen to serve %s; a later dump says more\n",
				  r.d.early, r.d.early == 1 ? "s" : "",
				  r.d.early == 1 ? "it" : "them");
	if (r.d.nrows)
		rep_writer_put(&out, "This is suspicion: a stack does not say who holds a lock.\n");
	tp_buf_release(&r.b);
	rep_deadlocks_release(&r.d);
	return rep_writer_finish(&out, err);
}

enum {
	COLUMN_GROUP,
	COLUMN_KIND,
	COLUMN_COUNT,
	COLUMN_IDS,
	COLUMN_STATE,
	COLUMN_WAIT,
	COLUMN_SITE,
	COLUMN_BY,
	COLUMN_AT,
	COLUMN_EVIDENCE,
	COLUMN_WHY,
	NCOLUMNS
};

static const struct rep_column columns[NCOLUMNS] = {
    [COLUMN_GROUP] = {.name = "group",
		      .doc = "number of the group, the worst first",
		      .title = "GROUP",
		      .kind = REP_ID},
    [COLUMN_KIND] = {.name = "suspicion",
		     .doc =
			 "circle (they wait for each other), itself (for a lock that it holds) or "
			 "nobody (is seen to serve them)",
		     .title = "SUSPICION",
		     .kind = REP_TEXT},
    [COLUMN_COUNT] = {.name = "goroutines",
		      .doc = "goroutines with this stack and state",
		      .title = "COUNT",
		      .kind = REP_COUNT},
    [COLUMN_IDS] = {.name = "ids",
		    .doc = "the first eight of them",
		    .title = "GOROUTINES",
		    .kind = REP_TEXT},
    [COLUMN_STATE] = {.name = "state",
		      .doc = "what they wait for, as the dump says",
		      .title = "STATE",
		      .kind = REP_TEXT},
    [COLUMN_WAIT] = {.name = "wait_ns",
		     .doc = "how long the longest has waited, in whole minutes",
		     .title = "WAIT",
		     .kind = REP_NS},
    [COLUMN_SITE] = {.name = "where",
		     .doc = "function that waits, its file and line",
		     .title = "WHERE",
		     .kind = REP_TEXT},
    [COLUMN_BY] = {.name = "created_by",
		   .doc = "function that created them",
		   .title = "CREATED BY",
		   .kind = REP_TEXT,
		   .raw_only = true},
    [COLUMN_AT] = {.name = "created_at",
		   .doc = "its file and line",
		   .kind = REP_TEXT,
		   .raw_only = true},
    [COLUMN_EVIDENCE] = {.name = "evidence",
			 .doc = "the best there is: runtime, writer, address, function, receiver, "
				"creator or nobody",
			 .title = "EVIDENCE",
			 .kind = REP_TEXT},
    [COLUMN_WHY] = {.name = "why", .doc = "the same in words", .title = "WHY", .kind = REP_TEXT},
};

/* A text within r->b: its value is made when all are written, as the buffer may move. */
struct piece {
	size_t from, to;
};

static struct rep_value value_of(const struct report *r, struct piece p)
{
	return p.to > p.from ? rep_text((char *)r->b.data + p.from, p.to - p.from) : rep_null();
}

static struct piece end_piece(const struct report *r, struct piece *last)
{
	*last = (struct piece){last->to, r->b.size};
	return *last;
}

static int put_row(struct report *r, const struct row *row, const char *kind,
		   struct rep_output *out, struct tp_err *err)
{
	const struct rep_deadlock_goroutine *g = at(r, row->from);
	struct piece last = {0}, piece[NCOLUMNS] = {{0}};
	struct rep_value value[NCOLUMNS];
	int64_t longest = 0;

	r->b.size = 0;
	for (size_t i = row->from; i < row->to && i < row->from + MAX_IDS; i++)
		tp_buf_printf(&r->b, "%s%" PRId64, i == row->from ? "" : " ", at(r, i)->id);
	piece[COLUMN_IDS] = end_piece(r, &last);
	put_text(r, g->state);
	piece[COLUMN_STATE] = end_piece(r, &last);
	if (g->site)
		put_place(r, g->site);
	piece[COLUMN_SITE] = end_piece(r, &last);
	put_text(r, g->created_by);
	piece[COLUMN_BY] = end_piece(r, &last);
	put_text(r, g->created_at);
	piece[COLUMN_AT] = end_piece(r, &last);
	put_why(r, g);
	piece[COLUMN_WHY] = end_piece(r, &last);
	if (r->b.failed)
		return tp_nomem(err);
	for (size_t i = row->from; i < row->to; i++)
		longest = at(r, i)->wait_ns > longest ? at(r, i)->wait_ns : longest;
	for (int c = 0; c < NCOLUMNS; c++)
		value[c] = value_of(r, piece[c]);
	value[COLUMN_GROUP] = rep_int(g->group);
	value[COLUMN_KIND] = rep_str(kind);
	value[COLUMN_COUNT] = rep_int((int64_t)(row->to - row->from));
	value[COLUMN_WAIT] = longest ? rep_int(longest) : rep_null();
	value[COLUMN_EVIDENCE] = rep_str(rep_deadlock_by[g->by]);
	return rep_output_row(out, value, err);
}

static int table(struct rep_profile_view *v, const char *arg, struct rep_output *out,
		 struct tp_err *err)
{
	struct report r = {0};
	struct row row = {0};
	uint32_t group = 0;
	int64_t most = v->opt.node_count;
	const char *kind = "";
	int code = rep_deadlocks_find(&r.d, v->profile, err);

	(void)arg;
	if (!code)
		code = rep_output_begin(out, "deadlock", columns, NCOLUMNS, err);
	while (!code && next_row(&r, &row)) {
		size_t end = row.to;

		if (most > 0 && at(&r, row.from)->group > most)
			break;
		while (at(&r, row.from)->group != group && end < r.d.nrows &&
		       at(&r, end)->group == at(&r, row.from)->group)
			end++;
		r.b.size = 0;
		if (at(&r, row.from)->group != group)
			kind = put_title(&r, row.from, end);
		group = at(&r, row.from)->group;
		code = put_row(&r, &row, kind, out, err);
	}
	if (!code)
		code = rep_output_end(out, err);
	tp_buf_release(&r.b);
	rep_deadlocks_release(&r.d);
	return code;
}

const struct rep_profile_report rep_profile_report_deadlock = {
    .name = "deadlock",
    .doc = "Goroutines that may be deadlocked, and the evidence for it",
    .traits = {.all_nodes = true, .whole_stacks = true},
    .print = print,
    .table = table,
};
