/* Paths and wake-ups as tables. */
#include "path/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"
#include "top/report.h"

const struct rep_path_report_desc rep_path_reports[REP_NPATH_REPORTS + 1] = {
    [REP_PATH_SUMMARY] = {"summary", "what happened in a few sentences, hops, and totals", true},
    [REP_PATH_HOP_LIST] = {"hops", "the path of one request, hop by hop", false},
    [REP_PATH_TREE] = {"tree", "who waited for whom, as a tree", false},
    [REP_PATH_TOTALS] = {"totals", "where the time of the path went, by function and reason",
			 false},
    [REP_PATH_REQUESTS] = {"requests", "the requests, the slowest first", false},
    [REP_PATH_WAKERS] = {"wakers", "who wakes whom, how often, and how long until it runs", false},
    [REP_NPATH_REPORTS] = {NULL, NULL, false},
};

#define SUMMARY_HOPS   12
#define SUMMARY_TOTALS 8
#define TABLE_ROWS     40

struct page {
	const struct rep_path_page *ask;
	struct rep_view *v;
	const struct rep_path *path;
	struct rep_output *out;
	struct rep_job job; /* for the texts of stacks */
	struct rep_top_options top;
	bool ticks;
};

#define MAX_COLUMNS 24

/* A table whose times are ticks where the run has no clock. */
static int begin(struct page *p, const char *name, const struct rep_column *columns, size_t n,
		 struct rep_column *own, struct tp_err *err)
{
	memcpy(own, columns, n * sizeof(*own));
	for (size_t i = 0; i < n; i++)
		if (p->ticks && own[i].kind == REP_NS)
			own[i].kind = REP_COUNT;
	return rep_output_begin(p->out, name, own, n, err);
}

static int note_more(struct page *p, size_t shown, size_t n, const char *rows, struct tp_err *err)
{
	char text[120], a[TP_COUNT_SIZE], b[TP_COUNT_SIZE];

	if (shown >= n)
		return 0;
	snprintf(text, sizeof(text), "%s of %s %s; -n 0 shows all", tp_fmt_count(a, (int64_t)shown),
		 tp_fmt_count(b, (int64_t)n), rows);
	return rep_output_note(p->out, false, text, err);
}

static int end(struct page *p, size_t shown, size_t n, const char *rows, struct tp_err *err)
{
	int code = rep_output_end(p->out, err);

	tp_arena_clear(&p->job.texts);
	return code ? code : note_more(p, shown, n, rows, err);
}

/* How many rows of n to show. */
static size_t limit(const struct page *p, size_t n, size_t usual)
{
	int64_t rows = p->ask->rows;

	if (rows < 0)
		rows = rep_output_for_people(p->out) ? (int64_t)usual : 0;
	return rows && (uint64_t)rows < n ? (size_t)rows : n;
}

static struct rep_value text_of(struct tp_text t)
{
	return rep_text(t.text, t.size);
}

static struct rep_value string(const struct page *p, uint32_t id)
{
	return text_of(tp_dict_text(p->v->dict, id));
}

static struct rep_value id_of(const struct page *p, uint32_t goroutine)
{
	return rep_opt(rep_path_goroutine_id(p->v, goroutine));
}

static struct rep_value share(int64_t part, int64_t whole)
{
	return whole > 0 ? rep_float((double)part / (double)whole) : rep_null();
}

/* The frames of a stack that tell most; of none the entry function. */
static struct rep_value where(struct page *p, uint32_t entry, uint32_t stack)
{
	return stack ? rep_job_where(&p->job, stack) : text_of(rep_path_short(p->v->dict, entry));
}

/* "blocked (chan receive)": the kind, and the reason where it says more. */
static struct rep_value doing(struct page *p, unsigned kind, uint32_t reason)
{
	const char *name = rep_path_kinds[kind].name;
	struct tp_text t = tp_dict_text(p->v->dict, reason);
	size_t size = strlen(name) + t.size + 4;
	char *text;

	if (!t.size || kind == REP_PATH_NETWORK || kind == REP_PATH_TIMER)
		return rep_str(name);
	text = tp_arena_alloc(&p->job.texts, size);
	if (!text)
		return rep_lack();
	/* A reason may hold a NUL, where it ends here. */
	return rep_text(text, (size_t)snprintf(text, size, "%s (%.*s)", name, (int)t.size, t.text));
}

/* ---- hops ---- */

static const struct rep_column hop_columns[] = {
    {.name = "at_ns", .title = "AT", .kind = REP_NS},
    {.name = "total_ns", .title = "TIME", .kind = REP_NS},
    {.name = "share", .title = "SHARE", .kind = REP_SHARE},
    {.name = "depth", .title = "DEPTH", .kind = REP_COUNT, .drop = 1},
    {.name = "goroutine", .title = "GOROUTINE", .kind = REP_ID},
    {.name = "kind", .raw_only = true},
    {.name = "reason", .raw_only = true},
    {.name = "doing", .title = "DOING", .table_only = true, .least = 10},
    {.name = "where", .title = "WHERE", .table_only = true, .least = 32},
    {.name = "wakes", .title = "WAKES", .kind = REP_ID, .drop_blank = true},
    {.name = "from_ns", .kind = REP_NS, .raw_only = true},
    {.name = "entry", .raw_only = true},
    {.name = "function", .raw_only = true},
    {.name = "location", .raw_only = true},
    {.name = "stack", .raw_only = true},
    {.name = "creates", .kind = REP_BOOL, .raw_only = true},
    {.name = "wakes_entry", .raw_only = true},
    {.name = "wakes_reason", .raw_only = true},
    {.name = "wakes_stack", .raw_only = true},
    {.name = "wake_stack", .raw_only = true},
    {.name = "had_p", .kind = REP_ID, .raw_only = true},
};
#define HOP_COLUMNS REP_COUNT_OF(hop_columns)
_Static_assert(HOP_COLUMNS <= MAX_COLUMNS, "rows of hops fit");

static int write_hop(struct page *p, const struct rep_path_hop *h, struct tp_err *err)
{
	const struct rep_path_request *r = p->ask->list->request;
	uint32_t entry = rep_view_entry(p->v, h->goroutine);
	bool wakes = h->wakes != TP_NONE;
	struct rep_value row[HOP_COLUMNS] = {
	    rep_int(h->from - rep_view_clip_start(p->v, r->from)),
	    rep_int(h->to - h->from),
	    share(h->to - h->from, p->path->total_ns),
	    rep_int(p->path->chain[h->chain].depth),
	    id_of(p, h->goroutine),
	    rep_str(rep_path_kinds[h->kind].name),
	    string(p, h->reason),
	    doing(p, h->kind, h->reason),
	    where(p, entry, h->stack),
	    id_of(p, h->wakes),
	    rep_int(h->from),
	    string(p, entry),
	    rep_job_function(&p->job, h->stack),
	    rep_job_location(&p->job, h->stack),
	    rep_job_stack(&p->job, h->stack),
	    wakes ? rep_int(h->creates) : rep_null(),
	    wakes ? string(p, rep_view_entry(p->v, h->wakes)) : rep_null(),
	    wakes ? string(p, h->wakes_reason) : rep_null(),
	    wakes ? rep_job_stack(&p->job, h->wakes_stack) : rep_null(),
	    wakes ? rep_job_stack(&p->job, h->wake_stack) : rep_null(),
	    id_of(p, h->holder),
	};

	return rep_output_row(p->out, row, err);
}

static int longest_first(const void *a, const void *b, void *ctx)
{
	const struct rep_path *path = ctx;
	const struct rep_path_hop *x = &path->hop[*(const size_t *)a];
	const struct rep_path_hop *y = &path->hop[*(const size_t *)b];
	int64_t lx = x->to - x->from, ly = y->to - y->from;

	if (lx != ly)
		return lx > ly ? -1 : 1;
	return *(const size_t *)a < *(const size_t *)b ? -1 : 1;
}

static int in_order(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return x < y ? -1 : x > y;
}

/* The longest hops, in the order of time. */
static int write_hops(struct page *p, size_t usual, struct tp_err *err)
{
	struct rep_column own[HOP_COLUMNS];
	size_t n = p->path->nhop, shown = limit(p, n, usual);
	size_t *pick = tp_many(n + 1, sizeof(*pick));
	int code;

	if (!pick)
		return rep_job_fail(err, TP_ENOMEM);
	for (size_t i = 0; i < n; i++)
		pick[i] = i;
	if (shown < n) {
		qsort_r(pick, n, sizeof(*pick), longest_first, (void *)(uintptr_t)p->path);
		qsort(pick, shown, sizeof(*pick), in_order);
	}
	if (p->ask->stacks && rep_output_for_people(p->out)) {
		code = 0;
		for (size_t i = 0; i < shown && !code; i++)
			code = rep_path_list_hop(p->out, p->ask, &p->path->hop[pick[i]], err);
		free(pick);
		return code ? code : note_more(p, shown, n, "hops, the longest", err);
	}
	code = begin(p, "hops", hop_columns, HOP_COLUMNS, own, err);
	for (size_t i = 0; i < shown && !code; i++) {
		code = write_hop(p, &p->path->hop[pick[i]], err);
		tp_arena_clear(&p->job.texts);
	}
	free(pick);
	return code ? code : end(p, shown, n, "hops, the longest", err);
}

/* ---- totals ---- */

static const struct rep_column total_columns[] = {
    {.name = "total_ns", .title = "TIME", .kind = REP_NS},
    {.name = "share", .title = "SHARE", .kind = REP_SHARE},
    {.name = "count", .title = "COUNT", .kind = REP_COUNT},
    {.name = "max_ns", .title = "MAX", .kind = REP_NS, .drop = 1},
    {.name = "entry",
     .title = "GOROUTINES OF",
     .least = 14,
     .drop = 2,
     .shorten = REP_SHORTEN_LEFT},
    {.name = "goroutine", .kind = REP_ID, .raw_only = true},
    {.name = "kind", .raw_only = true},
    {.name = "reason", .raw_only = true},
    {.name = "doing", .title = "DOING", .table_only = true, .least = 10},
    {.name = "where", .title = "WHERE", .table_only = true, .least = 32},
    {.name = "function", .raw_only = true},
    {.name = "location", .raw_only = true},
    {.name = "stack", .raw_only = true},
};
#define TOTAL_COLUMNS REP_COUNT_OF(total_columns)

static int write_totals(struct page *p, size_t usual, struct tp_err *err)
{
	struct rep_column own[TOTAL_COLUMNS];
	size_t n, shown;
	struct rep_path_total *total = rep_path_totals(p->v, p->path, &n);
	int code;

	if (!total)
		return rep_job_fail(err, TP_ENOMEM);
	shown = limit(p, n, usual);
	code = begin(p, "totals", total_columns, TOTAL_COLUMNS, own, err);
	for (size_t i = 0; i < shown && !code; i++) {
		const struct rep_path_total *t = &total[i];
		struct rep_value row[TOTAL_COLUMNS] = {
		    rep_int(t->total_ns),
		    share(t->total_ns, p->path->total_ns),
		    rep_int(t->count),
		    rep_int(t->max_ns),
		    string(p, t->entry),
		    id_of(p, t->goroutine),
		    rep_str(rep_path_kinds[t->kind].name),
		    string(p, t->reason),
		    doing(p, t->kind, t->reason),
		    where(p, t->entry, t->stack),
		    rep_job_function(&p->job, t->stack),
		    rep_job_location(&p->job, t->stack),
		    rep_job_stack(&p->job, t->stack),
		};

		code = rep_output_row(p->out, row, err);
		tp_arena_clear(&p->job.texts);
	}
	free(total);
	return code ? code : end(p, shown, n, "totals", err);
}

/* ---- requests ---- */

static const struct rep_column request_columns[] = {
    {.name = "id", .title = "ID", .kind = REP_ID},
    {.name = "name", .title = "NAME", .least = 16, .shorten = REP_SHORTEN_LEFT},
    {.name = "total_ns", .title = "TIME", .kind = REP_NS},
    {.name = "from_ns", .title = "FROM", .kind = REP_NS},
    {.name = "to_ns", .title = "TO", .kind = REP_NS},
    {.name = "goroutine", .title = "ENDS ON", .kind = REP_ID},
    {.name = "entry", .title = "OF", .drop = 1, .shorten = REP_SHORTEN_LEFT},
    {.name = "complete", .kind = REP_BOOL, .raw_only = true},
};
#define REQUEST_COLUMNS REP_COUNT_OF(request_columns)

static int write_requests(struct page *p, size_t usual, struct tp_err *err)
{
	const struct rep_path_requests *list = p->ask->list;
	struct rep_column own[REQUEST_COLUMNS];
	size_t shown = limit(p, list->n, usual);
	int code = begin(p, "requests", request_columns, REQUEST_COLUMNS, own, err);

	for (size_t i = 0; i < shown && !code; i++) {
		const struct rep_path_request *r = &list->request[i];
		bool row_number = list->subject == REP_PATH_REGION;
		struct rep_value row[REQUEST_COLUMNS] = {
		    row_number ? rep_null() : rep_opt(r->id),
		    string(p, r->name),
		    rep_int(r->to - r->from),
		    rep_int(r->from),
		    rep_int(r->to),
		    id_of(p, r->goroutine),
		    string(p, rep_view_entry(p->v, r->goroutine)),
		    rep_int(!r->no_begin && !r->no_end),
		};

		code = rep_output_row(p->out, row, err);
	}
	return code ? code : end(p, shown, list->n, "requests, the slowest", err);
}

/* ---- the tree ---- */

static const struct rep_column tree_columns[] = {
    {.name = "share", .title = "SHARE", .kind = REP_SHARE},
    {.name = "total_ns", .title = "TIME", .kind = REP_NS},
    {.name = "count", .title = "COUNT", .kind = REP_COUNT, .drop = 1},
    {.name = "depth", .kind = REP_COUNT, .raw_only = true},
    {.name = "what", .title = "WHAT", .table_only = true},
    {.name = "kind", .raw_only = true},
    {.name = "reason", .raw_only = true},
    {.name = "entry", .raw_only = true},
    {.name = "goroutine", .kind = REP_ID, .raw_only = true},
    {.name = "function", .raw_only = true},
    {.name = "stack", .raw_only = true},
    {.name = "ended_by", .raw_only = true},
    {.name = "ended_by_goroutine", .kind = REP_ID, .raw_only = true},
};
#define TREE_COLUMNS REP_COUNT_OF(tree_columns)
#define TREE_SHARE   0.005 /* of what people see, the least */

/* Parts of a chain: a wait, or a sum of hops. */
struct branch {
	uint32_t chain; /* the part's parent */
	uint32_t wait;	/* its own chain; 0: it is sum[sum] */
	uint32_t sum;
	int64_t ns;
};

static int by_chain(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;

	if (x->chain != y->chain)
		return x->chain < y->chain ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->wait != y->wait)
		return x->wait < y->wait ? -1 : 1;
	return x->sum < y->sum ? -1 : x->sum > y->sum;
}

struct tree {
	struct branch *branch;
	size_t n;
	size_t *first; /* by chain; nchains + 1 of them */
	size_t at[REP_PATH_DEPTH + 2];
};

static int tree_init(struct tree *t, const struct rep_path *path)
{
	size_t n = path->nchains - 1 + path->nsums, i = 0;

	t->branch = tp_many(n + 1, sizeof(*t->branch));
	t->first = tp_many(path->nchains + 1, sizeof(*t->first));
	if (!t->branch || !t->first)
		return TP_ENOMEM;
	for (uint32_t c = 1; c < path->nchains; c++)
		t->branch[t->n++] =
		    (struct branch){path->chain[c].parent, c, 0, path->chain[c].total_ns};
	for (uint32_t s = 0; s < path->nsums; s++)
		t->branch[t->n++] =
		    (struct branch){path->sum[s].chain, 0, s, path->sum[s].total_ns};
	qsort(t->branch, t->n, sizeof(*t->branch), by_chain);
	for (uint32_t c = 0; c <= path->nchains; c++) {
		while (i < t->n && t->branch[i].chain < c)
			i++;
		t->first[c] = i;
	}
	return 0;
}

/* "  waited: chan receive in main.pool.get, for 11 main.report" */
static struct rep_value branch_text(struct page *p, const struct branch *b, unsigned depth)
{
	const struct rep_path_sum *s = &p->path->sum[b->sum];
	const struct rep_path_chain *c = &p->path->chain[b->wait];
	struct tp_text reason = tp_dict_text(p->v->dict, b->wait ? c->reason : s->reason);
	struct tp_text place = b->wait ? rep_path_function(p->v->dict, c->waiter_entry, c->stack)
				       : rep_path_function(p->v->dict, s->entry, s->stack);
	struct tp_text who = rep_path_short(p->v->dict, c->waker_entry);
	int64_t id = rep_path_goroutine_id(p->v, c->waker);
	size_t room = reason.size + place.size + who.size + 2 * (size_t)depth + 100;
	char *text = tp_arena_alloc(&p->job.texts, room);
	int n;

	if (!text)
		return rep_lack();
	n = snprintf(text, room, "%*s%s", (int)depth, "",
		     b->wait ? "waits" : rep_path_kinds[s->kind].name);
	if (reason.size && (b->wait || (s->kind != REP_PATH_NETWORK && s->kind != REP_PATH_TIMER)))
		n += snprintf(text + n, room - (size_t)n, " (%.*s)", (int)reason.size, reason.text);
	n += snprintf(text + n, room - (size_t)n, " %s %.*s",
		      !b->wait && s->kind == REP_PATH_RUNNING ? "up to" : "in", (int)place.size,
		      place.text);
	if (b->wait && id != TP_NULL)
		n += snprintf(text + n, room - (size_t)n, ", for %lld", (long long)id);
	else if (b->wait)
		n += snprintf(text + n, room - (size_t)n, ", for");
	if (b->wait)
		n += snprintf(text + n, room - (size_t)n, " %.*s", (int)who.size, who.text);
	return rep_text(text, (size_t)n);
}

static int write_branch(struct page *p, const struct branch *b, unsigned depth, struct tp_err *err)
{
	const struct rep_path_sum *s = &p->path->sum[b->sum];
	const struct rep_path_chain *c = &p->path->chain[b->wait];
	uint32_t stack = b->wait ? c->stack : s->stack;
	struct rep_value row[TREE_COLUMNS] = {
	    share(b->ns, p->path->total_ns),
	    rep_int(b->ns),
	    rep_int(b->wait ? c->count : s->count),
	    rep_int(depth),
	    branch_text(p, b, depth),
	    rep_str(b->wait ? "waits" : rep_path_kinds[s->kind].name),
	    string(p, b->wait ? c->reason : s->reason),
	    string(p, b->wait ? c->waiter_entry : s->entry),
	    id_of(p, b->wait ? c->waiter : s->goroutine),
	    rep_job_function(&p->job, stack),
	    rep_job_stack(&p->job, stack),
	    b->wait ? string(p, c->waker_entry) : rep_null(),
	    b->wait ? id_of(p, c->waker) : rep_null(),
	};
	int code = rep_output_row(p->out, row, err);

	tp_arena_clear(&p->job.texts);
	return code;
}

static int write_tree(struct page *p, struct tp_err *err)
{
	struct rep_column own[TREE_COLUMNS];
	struct tree t = {0};
	uint32_t chain = 0;
	size_t depth = 0, shown = 0, small = 0, most;
	int64_t least = 0;
	int code = tree_init(&t, p->path);

	if (code)
		rep_job_fail(err, code);
	else
		code = begin(p, "tree", tree_columns, TREE_COLUMNS, own, err);
	most = limit(p, t.n, TABLE_ROWS);
	if (rep_output_for_people(p->out) && p->ask->rows)
		least = (int64_t)((double)p->path->total_ns * TREE_SHARE);
	if (!code)
		t.at[0] = t.first[0];
	while (!code) {
		const struct branch *b = &t.branch[t.at[depth]];

		if (t.at[depth] == t.first[chain + 1]) {
			if (!depth--)
				break;
			chain = p->path->chain[chain].parent;
			continue;
		}
		t.at[depth]++;
		if (b->ns < least || shown >= most) {
			small++;
			continue;
		}
		code = write_branch(p, b, (unsigned)depth, err);
		shown++;
		if (!code && b->wait) {
			chain = b->wait;
			t.at[++depth] = t.first[chain];
		}
	}
	free(t.branch);
	free(t.first);
	return code ? code : end(p, shown, small ? t.n : shown, "branches, the widest", err);
}

/* ---- everything ---- */

static int show(struct page *p, enum rep_path_report report, struct tp_err *err)
{
	int code;

	switch (report) {
	case REP_PATH_HOP_LIST:
		return write_hops(p, TABLE_ROWS, err);
	case REP_PATH_TREE:
		return write_tree(p, err);
	case REP_PATH_TOTALS:
		return write_totals(p, TABLE_ROWS, err);
	case REP_PATH_REQUESTS:
		return write_requests(p, TABLE_ROWS, err);
	default:
		break;
	}
	code = rep_path_verdict(p->out, p->ask, err);
	if (!code)
		code = rep_output_note(p->out, false, "", err);
	if (!code)
		code = p->ask->list->n == 1 ? write_hops(p, SUMMARY_HOPS, err)
					    : write_requests(p, SUMMARY_TOTALS, err);
	if (!code)
		code = rep_output_note(p->out, false, "", err);
	return code ? code : write_totals(p, SUMMARY_TOTALS, err);
}

int rep_path_show(struct rep_output *out, const struct rep_path_page *page,
		  enum rep_path_report report, struct tp_err *err)
{
	struct page p = {
	    .ask = page,
	    .v = page->v,
	    .path = page->path,
	    .out = out,
	    .job = {.dict = page->v->dict},
	    .ticks = page->v->run->row.ticks,
	};
	int code;

	p.top.tables = rep_output_for_people(out);
	p.job.opt = &p.top;
	code = show(&p, report, err);
	tp_arena_clear(&p.job.texts);
	return code;
}

/* ---- who wakes whom ---- */

static const struct rep_column wake_columns[] = {
    {.name = "count", .title = "COUNT", .kind = REP_COUNT},
    {.name = "waited_ns", .title = "WAITED", .kind = REP_NS},
    {.name = "p50_ns", .title = "P50", .kind = REP_NS, .drop = 2},
    {.name = "p90_ns", .kind = REP_NS, .raw_only = true},
    {.name = "p99_ns", .title = "P99", .kind = REP_NS},
    {.name = "max_ns", .title = "MAX", .kind = REP_NS, .drop = 1},
    {.name = "worst_at_ns", .title = "WORST AT", .kind = REP_NS, .drop = 3},
    {.name = "waker", .title = "WAKER", .table_only = true, .shorten = REP_SHORTEN_LEFT},
    {.name = "woken", .title = "WAKES", .table_only = true, .shorten = REP_SHORTEN_LEFT},
    {.name = "reason", .title = "FROM"},
    {.name = "ran", .kind = REP_COUNT, .raw_only = true},
    {.name = "latency_ns", .kind = REP_NS, .raw_only = true},
    {.name = "exact", .kind = REP_BOOL, .raw_only = true},
    {.name = "waker_kind", .raw_only = true},
    {.name = "waker_entry", .raw_only = true},
    {.name = "waker_function", .raw_only = true},
    {.name = "waker_stack", .raw_only = true},
    {.name = "woken_entry", .raw_only = true},
    {.name = "woken_function", .raw_only = true},
    {.name = "woken_stack", .raw_only = true},
};
#define WAKE_COLUMNS REP_COUNT_OF(wake_columns)

static struct rep_value percentile(const struct rep_wake *w, int which)
{
	int64_t ns = w->latency.ns[which];

	if (!w->latency.known)
		return rep_null();
	return rep_int(ns > w->max_ns ? w->max_ns : ns);
}

static int write_wake(struct page *p, const struct rep_wake *w, bool exact, bool stacks,
		      struct tp_err *err)
{
	bool goroutine = !w->outside;
	struct rep_value outside = rep_str(rep_path_kinds[w->outside].name);
	struct rep_value row[WAKE_COLUMNS] = {
	    rep_int(w->count),
	    rep_int(w->waited_ns),
	    percentile(w, REP_P50),
	    percentile(w, REP_P90),
	    percentile(w, REP_P99),
	    w->ran ? rep_int(w->max_ns) : rep_null(),
	    w->ran ? rep_int(w->worst_ns) : rep_null(),
	    !goroutine ? outside
	    : stacks   ? where(p, w->waker_entry, w->waker_stack)
		       : text_of(rep_path_function(p->v->dict, w->waker_entry, w->waker_stack)),
	    stacks ? where(p, w->entry, w->stack)
		   : text_of(rep_path_function(p->v->dict, w->entry, w->stack)),
	    string(p, w->reason),
	    rep_int(w->ran),
	    rep_int(w->latency_ns),
	    rep_int(exact),
	    goroutine ? rep_str("goroutine") : outside,
	    goroutine ? string(p, w->waker_entry) : rep_null(),
	    rep_job_function(&p->job, w->waker_stack),
	    rep_job_stack(&p->job, w->waker_stack),
	    string(p, w->entry),
	    rep_job_function(&p->job, w->stack),
	    rep_job_stack(&p->job, w->stack),
	};
	int code = rep_output_row(p->out, row, err);

	tp_arena_clear(&p->job.texts);
	return code;
}

int rep_wakes_show(struct rep_output *out, struct rep_view *v, const struct rep_wakes *wakes,
		   int64_t rows, bool stacks, struct tp_err *err)
{
	const struct rep_path_page ask = {.v = v, .rows = rows};
	struct page p = {
	    .ask = &ask,
	    .v = v,
	    .out = out,
	    .job = {.dict = v->dict},
	    .ticks = v->run->row.ticks,
	};
	struct rep_column own[WAKE_COLUMNS];
	size_t shown;
	int code;

	p.top.tables = rep_output_for_people(out);
	p.job.opt = &p.top;
	shown = limit(&p, wakes->n, TABLE_ROWS / 2);
	code = begin(&p, "wakers", wake_columns, WAKE_COLUMNS, own, err);
	for (size_t i = 0; i < shown && !code; i++)
		code = write_wake(&p, &wakes->wake[i], wakes->exact, stacks, err);
	if (!code)
		code = end(&p, shown, wakes->n, "pairs, the most frequent", err);
	if (!code && !wakes->exact)
		code = rep_output_note(out, false, REP_NOTE_WITHIN, err);
	tp_arena_clear(&p.job.texts);
	return code;
}
