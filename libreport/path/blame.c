/* Writes the report blame: what the slow requests of a type have in common, and what hit only the slowest.
 *
 * A cause is where the time of a path went in the end: kind, reason, entry function and site (rep_path_group).
 * The causes of every request add up to its time, and so do their means in a band.
 *
 * A request is said to have a cause if that took it at least half of the larger of what it took the slowest
 * request and the mean of the slow ones. A cause is
 *
 *   usual       if half of the middle requests have it
 *   systematic  else, if half of the slow requests other than the slowest have it
 *   chance      else
 *
 * Below 1 % of the time of the slow requests and of the slowest one, a cause is none of these. */
#include <stdlib.h>

#include "base/many.h"
#include "base/sum.h"
#include "base/units.h"
#include "path/say.h"
#include "path/table.h"

#define LEAST_SLOW   5
#define LEAST_MIDDLE 50

/* How long a goroutine took that has not ended, its path says. */
static int find_ends(struct rep_view *v, struct rep_path_requests *list, struct tp_err *err)
{
	struct rep_path path = {0};
	int code = rep_path_walk(v, list->request, list->n, REP_PATH_HOPS, &path, err);

	rep_path_release(&path);
	return code;
}

int rep_path_mark_bands(struct rep_view *v, struct rep_path_requests *list, struct tp_err *err)
{
	size_t n = list->n, slow = (n + 99) / 100, least = n / 4, middle;
	int code = list->subject == REP_PATH_GOROUTINE ? find_ends(v, list, err) : 0;
	uint32_t part = 0;

	if (code)
		return code;

	if (n < 3)
		return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
				  "blame compares three requests or more, and %zu %s; name the "
				  "type of tasks with --task, or regions with --region",
				  n, n == 1 ? "matches" : "match");
	least = least < LEAST_SLOW ? least : LEAST_SLOW;
	slow = slow > least ? slow : least;
	middle = slow > LEAST_MIDDLE ? slow : LEAST_MIDDLE;
	middle = middle < n - 2 * slow ? middle : n - 2 * slow;
	for (size_t i = 0; i < n && i < TP_NONE; i++) {
		struct rep_path_request *r = &list->request[i];
		size_t from = (n - middle) / 2;

		r->band = i < slow			   ? REP_BAND_SLOW
			  : i >= from && i < from + middle ? REP_BAND_MIDDLE
							   : REP_BAND_NONE;
		if (r->band)
			r->part = part++;
	}
	return 0;
}

struct cause {
	struct rep_path_sum sum;	 /* of all requests */
	int64_t ns[REP_NBANDS], slowest; /* sums over the band; of the slowest request */
	int64_t with[REP_NBANDS];	 /* requests that have it; in SLOW without the slowest */
	double extra;			 /* mean time in SLOW less that in MIDDLE */
};

struct blame {
	struct cause *cause;
	size_t n;
	int64_t requests[REP_NBANDS], ns[REP_NBANDS], slowest_ns;
	double extra;
	uint8_t *band;	  /* by part */
	uint32_t slowest; /* its part */
};

static int64_t mean(int64_t ns, int64_t n)
{
	return n ? ns / n : 0;
}

static double extra(const struct blame *b, const int64_t ns[REP_NBANDS])
{
	double slow = (double)ns[REP_BAND_SLOW] / (double)b->requests[REP_BAND_SLOW];

	return slow - (double)ns[REP_BAND_MIDDLE] / (double)b->requests[REP_BAND_MIDDLE];
}

static int by_extra(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	if (x->extra != y->extra)
		return x->extra > y->extra ? -1 : 1;
	if (x->sum.total_ns != y->sum.total_ns)
		return x->sum.total_ns > y->sum.total_ns ? -1 : 1;
	return x->sum.stack < y->sum.stack ? -1 : x->sum.stack > y->sum.stack;
}

/* Counts the requests that have each cause; time[] is the time of the cause in each part. Parts are sorted by
 * cause, then by request. */
static void count(struct blame *b, const struct rep_path_part *part, size_t n)
{
	for (size_t i = 0, next; i < n; i = next) {
		struct cause *c = &b->cause[part[i].sum];
		int64_t size = mean(c->ns[REP_BAND_SLOW], b->requests[REP_BAND_SLOW]), ns = 0;

		size = size > c->slowest ? size : c->slowest;
		for (next = i; next < n && part[next].sum == part[i].sum; next++) {
			uint32_t request = part[next].part;

			ns = ns + part[next].ns;
			if (next + 1 < n && part[next + 1].sum == part[i].sum &&
			    part[next + 1].part == request)
				continue;
			if (ns > 0 && ns >= size - ns && request != b->slowest)
				c->with[b->band[request]]++;
			ns = 0;
		}
	}
}

static int by_cause(const void *a, const void *b)
{
	const struct rep_path_part *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum < y->sum ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

/* Adds up the parts by cause; of[] is the cause of each sum. Changes the parts. */
static void add_up(struct blame *b, const struct rep_path *path, const uint32_t *of)
{
	for (size_t i = 0; i < path->nparts; i++) {
		struct rep_path_part *part = &path->part[i];
		struct cause *c = &b->cause[part->sum = of[part->sum]];

		tp_sum(&c->ns[b->band[part->part]], part->ns);
		tp_sum(&b->ns[b->band[part->part]], part->ns);
		if (part->part == b->slowest) {
			tp_sum(&c->slowest, part->ns);
			tp_sum(&b->slowest_ns, part->ns);
		}
	}
	if (path->nparts)
		qsort(path->part, path->nparts, sizeof(*path->part), by_cause);
	count(b, path->part, path->nparts);
	for (size_t i = 0; i < b->n; i++)
		b->cause[i].extra = extra(b, b->cause[i].ns);
	b->extra = extra(b, b->ns);
	if (b->n)
		qsort(b->cause, b->n, sizeof(*b->cause), by_extra);
}

static int find_causes(struct blame *b, const struct rep_path_table *p, struct tp_err *err)
{
	const struct rep_path_requests *list = p->ask->list;
	const struct rep_path *path = p->path;
	uint32_t *of = tp_many(path->nsums + 1, sizeof(*of));
	struct rep_path_sum *total = NULL;
	int code = of ? rep_path_group(p->v, path, &total, &b->n, of, err) : tp_nomem(err);

	b->band = calloc(list->n + 1, 1);
	b->cause = calloc(b->n + 1, sizeof(*b->cause));
	if (!code && (!b->band || !b->cause))
		code = tp_nomem(err);
	for (size_t i = list->n; !code && i-- > 0;) {
		const struct rep_path_request *r = &list->request[i];

		if (!r->band)
			continue;
		b->band[r->part] = r->band;
		b->requests[r->band]++;
		if (r->band == REP_BAND_SLOW)
			b->slowest = r->part;
	}
	for (size_t i = 0; !code && i < b->n; i++)
		b->cause[i].sum = total[i];
	if (!code)
		add_up(b, path, of);
	free(of);
	free(total);
	return code;
}

static struct rep_value verdict(const struct blame *b, const struct cause *c)
{
	int64_t others = b->requests[REP_BAND_SLOW] - 1;

	if (c->slowest <= b->slowest_ns / 100 && c->ns[REP_BAND_SLOW] <= b->ns[REP_BAND_SLOW] / 100)
		return rep_null();
	if (2 * c->with[REP_BAND_MIDDLE] >= b->requests[REP_BAND_MIDDLE])
		return rep_str("usual");
	return rep_str(others && 2 * c->with[REP_BAND_SLOW] >= others ? "systematic" : "chance");
}

static const struct rep_column columns[] = {
    {.name = "share",
     .doc = "of the time of all requests",
     .title = "ALL",
     .kind = REP_SHARE,
     .drop = 1},
    {.name = "middle_share",
     .doc = "of the time of the requests around the median",
     .title = "MIDDLE",
     .kind = REP_SHARE},
    {.name = "slow_share",
     .doc = "of the time of the slow requests",
     .title = "SLOW",
     .kind = REP_SHARE},
    {.name = "slowest_share",
     .doc = "of the time of the slowest request",
     .title = "SLOWEST",
     .kind = REP_SHARE},
    {.name = "extra_share",
     .doc = "of what the slow requests take longer than those around the median, on average",
     .title = "EXTRA",
     .kind = REP_SHARE},
    {.name = "cause",
     .doc = "usual, systematic or chance: who has it besides the slowest request; null below 1 %",
     .title = "CAUSE"},
    {.name = "total_ns", .doc = "time in all requests", .kind = REP_NS, .raw_only = true},
    {.name = "middle_ns",
     .doc = "mean time in the requests around the median",
     .kind = REP_NS,
     .raw_only = true},
    {.name = "slow_ns", .doc = "mean time in the slow requests", .kind = REP_NS, .raw_only = true},
    {.name = "slowest_ns", .doc = "time in the slowest request", .kind = REP_NS, .raw_only = true},
    {.name = "middle_with",
     .doc = "how many requests around the median have it",
     .kind = REP_COUNT,
     .raw_only = true},
    {.name = "slow_with",
     .doc = "how many slow requests other than the slowest have it",
     .kind = REP_COUNT,
     .raw_only = true},
    {.name = "entry", .doc = "entry function of the goroutines", .raw_only = true},
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
     .least = 24},
    {.name = "function", .doc = "innermost function outside the runtime", .raw_only = true},
    {.name = "location", .doc = "its file and line", .raw_only = true},
    {.name = "stack", .doc = "where they end, leaf first", .raw_only = true},
};
#define COLUMNS TP_COUNT_OF(columns)

static int write_row(struct rep_path_table *p, const struct blame *b, const struct cause *c,
		     struct tp_err *err)
{
	const struct rep_path_sum *s = &c->sum;
	struct rep_value row[COLUMNS] = {
	    rep_share(s->total_ns, p->path->total_ns),
	    rep_share(c->ns[REP_BAND_MIDDLE], b->ns[REP_BAND_MIDDLE]),
	    rep_share(c->ns[REP_BAND_SLOW], b->ns[REP_BAND_SLOW]),
	    rep_share(c->slowest, b->slowest_ns),
	    b->extra > 0 ? rep_float(c->extra / b->extra) : rep_null(),
	    verdict(b, c),
	    rep_int(s->total_ns),
	    rep_int(mean(c->ns[REP_BAND_MIDDLE], b->requests[REP_BAND_MIDDLE])),
	    rep_int(mean(c->ns[REP_BAND_SLOW], b->requests[REP_BAND_SLOW])),
	    rep_int(c->slowest),
	    rep_int(c->with[REP_BAND_MIDDLE]),
	    rep_int(c->with[REP_BAND_SLOW]),
	    rep_table_string(p, s->entry),
	    rep_str(rep_path_kinds[s->kind].name),
	    rep_table_string(p, s->reason),
	    rep_table_doing(p, s->kind, s->reason),
	    rep_table_where(p, s->entry, s->stack),
	    rep_stack_function(&p->texts, s->stack),
	    rep_stack_location(&p->texts, s->stack),
	    rep_stack_names(&p->texts, s->stack),
	};

	return rep_table_row(p, row, err);
}

/* Writes "20 tasks checkout; MIDDLE: 10 around the median, 11.9ms on average; SLOW: …". */
static int write_bands(struct rep_path_table *p, const struct blame *b, struct tp_err *err)
{
	const struct rep_path_requests *list = p->ask->list;
	struct rep_words w = {.out = p->out, .page = p->ask};
	struct rep_path_requests one = *list;
	struct rep_path_page single = *p->ask;
	char text[200];

	rep_say(&w, "%s; MIDDLE: %lld around the median, ",
		rep_path_subject_text(p->ask, text, sizeof(text)),
		(long long)b->requests[REP_BAND_MIDDLE]);
	rep_say_time(&w, mean(b->ns[REP_BAND_MIDDLE], b->requests[REP_BAND_MIDDLE]));
	rep_say(&w, " on average; SLOW: the %lld slowest, ", (long long)b->requests[REP_BAND_SLOW]);
	rep_say_time(&w, mean(b->ns[REP_BAND_SLOW], b->requests[REP_BAND_SLOW]));
	one.n = 1;
	single.list = &one;
	rep_say(&w, "; SLOWEST: %s, ", rep_path_subject_text(&single, text, sizeof(text)));
	rep_say_time(&w, b->slowest_ns);
	return rep_say_lines(&w, false, 2, err);
}

int rep_path_write_blame(struct rep_path_table *p, struct tp_err *err)
{
	struct rep_column own[COLUMNS];
	struct blame b = {0};
	size_t shown = 0;
	int code = find_causes(&b, p, err);

	if (!code)
		code = write_bands(p, &b, err);
	if (!code)
		code = rep_output_note(p->out, false, "", err);
	if (!code)
		code = rep_table_begin(p, "blame", columns, COLUMNS, own, err);
	shown = code ? 0 : rep_table_limit(p, b.n, REP_TABLE_ROWS / 2);
	for (size_t i = 0; i < shown && !code; i++)
		code = write_row(p, &b, &b.cause[i], err);
	if (!code)
		code = rep_table_end(p, shown, b.n, "causes, the one that slows most first", err);
	free(b.cause);
	free(b.band);
	return code;
}
