/* Writes reports on paths as tables. tree.c and wakers.c write theirs. */
#include "path/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/units.h"
#include "dist.h"
#include "path/table.h"

const struct rep_path_report_desc rep_path_reports[REP_NPATH_REPORTS + 1] = {
    [REP_PATH_SUMMARY] = {"summary", "what happened in a few sentences, hops, and totals", true},
    [REP_PATH_HOP_LIST] = {"hops", "the path of one request, hop by hop", false},
    [REP_PATH_TREE] = {"tree", "who waited for whom, as a tree", false},
    [REP_PATH_TOTALS] = {"totals", "where the time of the path went, by function and reason",
			 false},
    [REP_PATH_REQUESTS] = {"requests", "the requests, the slowest first", false},
    [REP_PATH_WAKERS] = {"wakers", "who wakes whom, how often, and how long until it runs", false},
    [REP_PATH_BLAME] = {"blame", "what makes slow requests slow, always or by chance", false},
    [REP_PATH_WHAT_IF] = {"what-if", "how much shorter one request would be", false},
    [REP_NPATH_REPORTS] = {NULL, NULL, false},
};

#define SUMMARY_HOPS   12
#define SUMMARY_TOTALS 8

struct rep_value rep_table_doing(struct rep_path_table *p, unsigned kind, uint32_t reason)
{
	const char *name = rep_path_kinds[kind].name;
	struct tp_text t = tp_dict_text(p->v->dict, reason);
	size_t size = strlen(name) + t.size + 4;
	char *text;

	if (!t.size || kind == REP_PATH_NETWORK || kind == REP_PATH_TIMER)
		return rep_str(name);
	text = tp_arena_alloc(&p->texts.arena, size);
	if (!text)
		return rep_lack();
	/* A reason may contain a NUL, which ends it here. */
	return rep_text(text, (size_t)snprintf(text, size, "%s (%.*s)", name, (int)t.size, t.text));
}

/* ---- hops ---- */

static const struct rep_column hop_columns[] = {
    {.name = "at_ns", .doc = "its start, since the request began", .title = "AT", .kind = REP_NS},
    {.name = "total_ns", .doc = "how long it lasts", .title = "TIME", .kind = REP_NS},
    {.name = "share", .doc = "of the path's length", .title = "SHARE", .kind = REP_SHARE},
    {.name = "depth",
     .doc = "how many waits it lies within; 0: on the goroutine of the request",
     .title = "DEPTH",
     .kind = REP_COUNT,
     .drop = 2},
    {.name = "goroutine", .doc = "the goroutine", .title = "GOROUTINE", .kind = REP_ID},
    {.name = "kind",
     .doc = "what the goroutine does: running, runnable, a wait, a cause from outside",
     .raw_only = true},
    {.name = "reason", .doc = "what a wait is for, as Go names it", .raw_only = true},
    {.name = "doing",
     .doc = "kind and reason, with --json-head",
     .title = "DOING",
     .table_only = true,
     .least = 10},
    {.name = "where",
     .doc = "the function, and behind << the first of the user's own code",
     .title = "WHERE",
     .shorten = REP_SHORTEN_WHERE,
     .least = 32},
    {.name = "place",
     .doc = "task and region, with --json-head",
     .title = "TASK/REGION",
     .table_only = true,
     .drop_blank = true,
     .drop = 1,
     .least = 11},
    {.name = "wakes",
     .doc = "the goroutine that it wakes or creates at its end",
     .title = "WAKES",
     .kind = REP_ID,
     .drop_blank = true},
    {.name = "from_ns", .doc = "its start, since the run began", .kind = REP_NS, .raw_only = true},
    {.name = "entry", .doc = "the goroutine's entry function", .raw_only = true},
    {.name = "function", .doc = "innermost function outside the runtime", .raw_only = true},
    {.name = "location", .doc = "its file and line", .raw_only = true},
    {.name = "stack", .doc = "where it ends, leaf first", .raw_only = true},
    {.name = "creates", .doc = "it creates that goroutine", .kind = REP_BOOL, .raw_only = true},
    {.name = "wakes_entry", .doc = "entry function of the goroutine it wakes", .raw_only = true},
    {.name = "wakes_reason", .doc = "what that goroutine waited for", .raw_only = true},
    {.name = "wakes_stack", .doc = "where that goroutine waited, leaf first", .raw_only = true},
    {.name = "wake_stack", .doc = "where it was woken, leaf first", .raw_only = true},
    {.name = "had_p",
     .doc = "the goroutine that had its P while it was runnable",
     .kind = REP_ID,
     .raw_only = true},
    {.name = "task", .doc = "id of the task it is in", .kind = REP_ID, .raw_only = true},
    {.name = "task_type", .doc = "the task's type", .raw_only = true},
    {.name = "region", .doc = "the region it is in", .raw_only = true},
};
#define HOP_COLUMNS TP_COUNT_OF(hop_columns)

/* ---- where the goroutines of hops were ---- */

struct spots {
	const struct rep_path *path;
	struct rep_path_spot *spot;
	uint32_t *first, *next; /* by goroutine its first hop, by hop the next; TP_NONE: none */
};

/* A running goroutine may enter and leave tasks. The stack of its hop is where that ends, too. */
static int put_spots(void *ctx, const struct rep_places *places, struct tp_err *err)
{
	const struct spots *s = ctx;
	uint32_t goroutine = places->place[0].goroutine;

	(void)err;
	for (uint32_t i = s->first[goroutine]; i != TP_NONE; i = s->next[i]) {
		struct rep_path_hop h = rep_path_hop(s->path, i);
		const struct rep_place *place =
		    rep_places_at(places, goroutine, h.to > h.from ? h.to - 1 : h.to);

		if (place)
			s->spot[i] = (struct rep_path_spot){place->task, place->region};
	}
	return 0;
}

/* Sets *spot, which the caller frees. The places of a long run are too many to keep. */
static int find_spots(const struct rep_path_page *page, struct rep_path_spot **spot,
		      struct tp_err *err)
{
	size_t n = page->path->hops.n, ngoroutines = page->v->nrows[TP_TABLE_GOROUTINE];
	struct spots s = {
	    .path = page->path,
	    .spot = tp_many(n + 1, sizeof(*s.spot)),
	    .first = tp_many(ngoroutines + 1, sizeof(*s.first)),
	    .next = tp_many(n + 1, sizeof(*s.next)),
	};
	int code = s.spot && s.first && s.next && n < TP_NONE ? 0 : tp_nomem(err);

	if (!code) {
		memset(s.spot, 0xff, n * sizeof(*s.spot));
		memset(s.first, 0xff, ngoroutines * sizeof(*s.first));
		for (uint32_t i = 0; i < n; i++) {
			uint32_t goroutine = rep_path_hop(s.path, i).goroutine;

			if (goroutine >= ngoroutines)
				continue;
			s.next[i] = s.first[goroutine];
			s.first[goroutine] = i;
		}
		code = rep_places_each(page->v, put_spots, &s, err);
	}
	*spot = s.spot;
	free(s.first);
	free(s.next);
	return code;
}

const struct rep_place *rep_path_hop_place(const struct rep_path_page *page, size_t hop,
					   struct rep_place *place)
{
	const struct rep_path_spot *spot = &page->spot[hop];

	*place = (struct rep_place){.task = spot->task, .region = spot->region};
	return spot->task == TP_NONE && spot->region == TP_NONE ? NULL : place;
}

static int write_hop(struct rep_path_table *p, size_t i, struct tp_err *err)
{
	const struct rep_path_hop hop = rep_path_hop(p->path, i), *h = &hop;
	const struct rep_path_request *r = p->ask->list->request;
	uint32_t entry = rep_view_entry(p->v, h->goroutine);
	bool wakes = h->wakes != TP_NONE;
	struct rep_place there;
	const struct rep_place *place = rep_path_hop_place(p->ask, i, &there);
	bool task = place && place->task != TP_NONE;
	struct rep_value row[HOP_COLUMNS] = {
	    rep_int(h->from - rep_view_clip_start(p->v, r->from)),
	    rep_int(h->to - h->from),
	    rep_share(h->to - h->from, p->path->total_ns),
	    rep_int(p->path->chain[h->chain].depth),
	    rep_view_goid_value(p->v, h->goroutine),
	    rep_str(rep_path_kinds[h->kind].name),
	    rep_table_string(p, h->reason),
	    rep_table_doing(p, h->kind, h->reason),
	    rep_table_where(p, entry, h->stack),
	    rep_place_text(&p->texts, p->v, place),
	    rep_view_goid_value(p->v, h->wakes),
	    rep_int(h->from),
	    rep_table_string(p, entry),
	    rep_stack_function(&p->texts, h->stack),
	    rep_stack_location(&p->texts, h->stack),
	    rep_stack_names(&p->texts, h->stack),
	    wakes ? rep_int(h->creates) : rep_null(),
	    wakes ? rep_table_string(p, rep_view_entry(p->v, h->wakes)) : rep_null(),
	    wakes ? rep_table_string(p, h->wakes_reason) : rep_null(),
	    wakes ? rep_stack_names(&p->texts, h->wakes_stack) : rep_null(),
	    wakes ? rep_stack_names(&p->texts, h->wake_stack) : rep_null(),
	    rep_view_goid_value(p->v, h->holder),
	    task ? rep_int(REP_AT(p->v, TASK, id, place->task)) : rep_null(),
	    task ? rep_table_string(p, rep_place_task(p->v, place)) : rep_null(),
	    place && place->region != TP_NONE ? rep_table_string(p, rep_place_region(p->v, place))
					      : rep_null(),
	};

	return rep_table_row(p, row, err);
}

/* Finds the shortest of the `shown` longest hops: its length, and how many of that length are among them, which
 * are the first ones. Returns 0 or TP_ENOMEM. */
static int find_shortest(const struct rep_path *path, size_t shown, int64_t *shortest,
			 size_t *equal)
{
	size_t n = path->hops.n;
	int64_t *ns = tp_many(n, sizeof(*ns));

	if (!ns)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		ns[i] = rep_path_hop_ns(path, i);
	rep_select_rank(ns, 0, n, n - shown);
	*shortest = ns[n - shown];
	*equal = 0;
	for (size_t i = n - shown; i < n; i++)
		*equal += ns[i] == *shortest;
	free(ns);
	return 0;
}

/* Writes the longest hops, in the order of time. */
static int write_hops(struct rep_path_table *p, size_t usual, struct tp_err *err)
{
	struct rep_column own[HOP_COLUMNS];
	size_t n = p->path->hops.n, shown = rep_table_limit(p, n, usual), equal = n;
	bool listed = p->ask->stacks && rep_output_for_people(p->out);
	int64_t shortest = INT64_MIN;
	int code = 0;

	if (shown < n && find_shortest(p->path, shown, &shortest, &equal))
		return tp_nomem(err);
	if (!listed)
		code = rep_table_begin(p, "hops", hop_columns, HOP_COLUMNS, own, err);
	for (size_t i = 0; i < n && !code; i++) {
		int64_t ns = rep_path_hop_ns(p->path, i);

		if (ns < shortest || (ns == shortest && !equal))
			continue;
		equal -= ns == shortest;
		code = listed ? rep_path_list_hop(p->out, p->ask, i, err) : write_hop(p, i, err);
	}
	if (!code && listed)
		code = rep_output_more(p->out, shown, n, "hops, the longest", err);
	return code || listed ? code : rep_table_end(p, shown, n, "hops, the longest", err);
}

/* ---- totals ---- */

static const struct rep_column total_columns[] = {
    {.name = "total_ns", .doc = "time on the path", .title = "TIME", .kind = REP_NS},
    {.name = "share", .doc = "of the path's length", .title = "SHARE", .kind = REP_SHARE},
    {.name = "count", .doc = "hops", .title = "COUNT", .kind = REP_COUNT},
    {.name = "max_ns", .doc = "the longest hop", .title = "MAX", .kind = REP_NS, .drop = 1},
    {.name = "entry",
     .doc = "entry function of the goroutines",
     .title = "GOROUTINES OF",
     .least = 14,
     .drop = 2,
     .shorten = REP_SHORTEN_FUNCTION},
    {.name = "goroutine", .doc = "the goroutine, if it is one", .kind = REP_ID, .raw_only = true},
    {.name = "kind", .doc = "what they do", .raw_only = true},
    {.name = "reason", .doc = "what a wait is for, as Go names it", .raw_only = true},
    {.name = "doing",
     .doc = "kind and reason, with --json-head",
     .title = "DOING",
     .table_only = true,
     .least = 10},
    {.name = "where",
     .doc = "the function, and behind << the first of the user's own code",
     .title = "WHERE",
     .shorten = REP_SHORTEN_WHERE,
     .least = 32},
    {.name = "function", .doc = "innermost function outside the runtime", .raw_only = true},
    {.name = "location", .doc = "its file and line", .raw_only = true},
    {.name = "stack", .doc = "where they end, leaf first", .raw_only = true},
};
#define TOTAL_COLUMNS TP_COUNT_OF(total_columns)

static int write_totals(struct rep_path_table *p, size_t usual, struct tp_err *err)
{
	struct rep_column own[TOTAL_COLUMNS];
	struct rep_path_sum *total;
	size_t n, shown;
	int code = rep_path_totals(p->v, p->path, &total, &n, err);

	if (code)
		return code;
	shown = rep_table_limit(p, n, usual);
	code = rep_table_begin(p, "totals", total_columns, TOTAL_COLUMNS, own, err);
	for (size_t i = 0; i < shown && !code; i++) {
		const struct rep_path_sum *t = &total[i];
		struct rep_value row[TOTAL_COLUMNS] = {
		    rep_int(t->total_ns),
		    rep_share(t->total_ns, p->path->total_ns),
		    rep_int(t->count),
		    rep_int(t->max_ns),
		    rep_table_string(p, t->entry),
		    rep_view_goid_value(p->v, t->goroutine),
		    rep_str(rep_path_kinds[t->kind].name),
		    rep_table_string(p, t->reason),
		    rep_table_doing(p, t->kind, t->reason),
		    rep_table_where(p, t->entry, t->stack),
		    rep_stack_function(&p->texts, t->stack),
		    rep_stack_location(&p->texts, t->stack),
		    rep_stack_names(&p->texts, t->stack),
		};

		code = rep_table_row(p, row, err);
	}
	free(total);
	return code ? code : rep_table_end(p, shown, n, "totals", err);
}

/* ---- requests ---- */

static const struct rep_column request_columns[] = {
    {.name = "id",
     .doc = "of the task or goroutine; null of a region or the run",
     .title = "ID",
     .kind = REP_ID},
    {.name = "name", .doc = "its type", .title = "NAME", .least = 16, .shorten = REP_SHORTEN_LEFT},
    {.name = "total_ns", .doc = "how long it lasts", .title = "TIME", .kind = REP_NS},
    {.name = "from_ns", .doc = "its start, since the run began", .title = "FROM", .kind = REP_NS},
    {.name = "to_ns", .doc = "its end, since the run began", .title = "TO", .kind = REP_NS},
    {.name = "goroutine", .doc = "the goroutine it ends on", .title = "ENDS ON", .kind = REP_ID},
    {.name = "entry",
     .doc = "that goroutine's entry function",
     .title = "OF",
     .drop = 1,
     .shorten = REP_SHORTEN_FUNCTION},
    {.name = "complete",
     .doc = "its beginning and end are in the trace",
     .kind = REP_BOOL,
     .raw_only = true},
};
#define REQUEST_COLUMNS TP_COUNT_OF(request_columns)

static int write_requests(struct rep_path_table *p, size_t usual, struct tp_err *err)
{
	const struct rep_path_requests *list = p->ask->list;
	struct rep_column own[REQUEST_COLUMNS];
	size_t shown = rep_table_limit(p, list->n, usual);
	int code = rep_table_begin(p, "requests", request_columns, REQUEST_COLUMNS, own, err);

	for (size_t i = 0; i < shown && !code; i++) {
		const struct rep_path_request *r = &list->request[i];
		bool row_number = list->subject == REP_PATH_REGION;
		struct rep_value row[REQUEST_COLUMNS] = {
		    row_number				  ? rep_null()
		    : list->subject == REP_PATH_GOROUTINE ? rep_goids_value(&p->v->goids, r->id)
							  : rep_opt(r->id),
		    rep_table_string(p, r->name),
		    rep_int(r->to - r->from),
		    rep_int(r->from),
		    rep_int(r->to),
		    rep_view_goid_value(p->v, r->goroutine),
		    rep_table_string(p, rep_view_entry(p->v, r->goroutine)),
		    rep_int(!r->no_begin && !r->no_end),
		};

		code = rep_table_row(p, row, err);
	}
	return code ? code : rep_table_end(p, shown, list->n, "requests, the slowest", err);
}

/* ---- reports ---- */

/* Finds the tasks of all chains of a folded path. */
static struct rep_path_task *find_tasks(const struct rep_path_page *page)
{
	const struct rep_path *path = page->path;
	const struct rep_path_request *r = page->list->request;
	struct rep_path_task *tasks = calloc(path->nchains + 1, sizeof(*tasks));

	for (size_t i = 0; tasks && i < path->nchains; i++)
		tasks[i].row = TP_NONE;
	for (size_t i = 0; tasks && i < path->hops.n; i++) {
		struct rep_place there;
		const struct rep_place *place = rep_path_hop_place(page, i, &there);
		struct rep_path_task *t = &tasks[path->fold[rep_path_hop(path, i).chain]];
		uint32_t row = place ? place->task : TP_NONE;

		if (row != TP_NONE && r->subject == REP_PATH_TASK &&
		    REP_AT(page->v, TASK, id, row) == r->id)
			row = TP_NONE;
		if (!t->known)
			t->row = row;
		else if (t->row == row)
			continue;
		else if (t->row != TP_NONE && row != TP_NONE &&
			 REP_AT(page->v, TASK, name, row) == REP_AT(page->v, TASK, name, t->row))
			t->several = true;
		else
			t->row = TP_NONE;
		t->known = true;
	}
	return tasks;
}

/* Writes the tree, or the sentences of the summary: of the folded path. */
static int show_folded(struct rep_path_table *p, enum rep_path_report report, struct tp_err *err)
{
	const struct rep_path_page *ask = p->ask;
	const struct rep_path *path = p->path;
	struct rep_path folded;
	struct rep_path_page page = *ask;
	struct rep_path_task *tasks = NULL;
	int code = rep_path_fold(p->v->dict, path, &folded);

	p->path = page.path = &folded;
	p->ask = &page;
	if (code)
		tp_err_full(err, code, "the run has too many different stacks");
	else if (!(page.task = tasks = find_tasks(&page)))
		code = tp_nomem(err);
	else
		code = report == REP_PATH_TREE ? rep_path_write_tree(p, err)
					       : rep_path_verdict(p->out, &page, err);
	p->path = path;
	p->ask = ask;
	free(tasks);
	rep_path_release(&folded);
	return code;
}

static int show(struct rep_path_table *p, enum rep_path_report report, struct tp_err *err)
{
	int code;

	switch (report) {
	case REP_PATH_HOP_LIST:
		return write_hops(p, REP_TABLE_ROWS, err);
	case REP_PATH_TREE:
		return show_folded(p, report, err);
	case REP_PATH_TOTALS:
		return write_totals(p, REP_TABLE_ROWS, err);
	case REP_PATH_BLAME:
		return rep_path_write_blame(p, err);
	case REP_PATH_WHAT_IF:
		return rep_path_write_what_if(p, err);
	case REP_PATH_REQUESTS:
		return write_requests(p, REP_TABLE_ROWS, err);
	default:
		break;
	}
	code = show_folded(p, report, err);
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
	struct rep_path_page ask = *page;
	struct rep_path_table p;
	struct rep_path_spot *spot = NULL;
	bool hops = page->path->hops.n && report != REP_PATH_WHAT_IF && report != REP_PATH_BLAME;
	int code = hops ? find_spots(page, &spot, err) : 0;

	rep_table_init(&p, &ask, out);
	if (!code) {
		ask.spot = spot;
		code = show(&p, report, err);
	}
	free(spot);
	return rep_texts_end(&p.texts, code, err);
}
