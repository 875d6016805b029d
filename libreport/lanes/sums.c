/* Sums of segments, by goroutine and by group. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "lanes/inside.h"

/* A segment cannot have more spans than this. */
static uint32_t count_of(int64_t n)
{
	return n < 0 ? 0 : n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

#define JOIN 64 /* classes of an owner in a segment to compare with */

/* Joins the sums of one owner, segment and class (from different stacks). first[] has the ends of owners, and then
 * where they begin. */
static void join(struct rep_lane_sums *s, uint32_t owners)
{
	size_t n = 0, i = 0;

	for (uint32_t o = 0; o < owners; o++) {
		size_t begin = n, end = s->first[o];

		for (s->first[o] = begin; i < end; i++) {
			const struct rep_lane_sum *next = &s->sum[i];
			struct rep_lane_sum *same = NULL;

			for (size_t k = n; k > begin && n - k < JOIN && !same &&
					   s->sum[k - 1].segment == next->segment;
			     k--) {
				if (s->sum[k - 1].class == next->class)
					same = &s->sum[k - 1];
			}
			if (same) {
				tp_sum(&same->total_ns, next->total_ns);
				same->count = count_of((int64_t)same->count + next->count);
			} else {
				s->sum[n++] = *next;
			}
		}
	}
	s->first[owners] = s->n = n;
}

void rep_lanes_sums_release(struct rep_lane_sums *s)
{
	free(s->sum);
	free(s->first);
	memset(s, 0, sizeof(*s));
}

/* Counts a sum of an owner or, when all are counted, puts it where the owner's are. Tables have their rows by
 * segment; rows out of order, or with an invalid state or segment, come from a damaged store and are left
 * out. */
static void put_sum(struct rep_lanes *l, struct rep_lane_sums *s, uint32_t owner, int64_t segment,
		    int64_t state, int64_t reason, int64_t count, int64_t total_ns)
{
	uint32_t class;

	if (segment < s->segment || (uint64_t)segment >= l->v.nsegments || state < 0 ||
	    state >= TP_NSTATES)
		return;
	class = rep_lanes_class(l, (unsigned)state,
				reason < 0 || reason > UINT32_MAX ? 0 : (uint32_t)reason);
	s->segment = segment;
	if (!s->sum) {
		s->first[owner + 1]++;
		s->n++;
	} else if (s->first[owner] < s->n) { /* false only if the store has changed */
		s->sum[s->first[owner]++] = (struct rep_lane_sum){
		    .total_ns = total_ns,
		    .count = count_of(count),
		    .segment = (uint32_t)segment & (REP_LANES_SEGMENTS - 1),
		    .class = class & (REP_LANES_CLASSES - 1),
		};
	}
}

/* Reads sums by `walk`, twice: there may be millions, so they are put where they belong at once. */
static int read_sums(struct rep_lanes *l, struct rep_lane_sums *s, uint32_t owners,
		     int (*walk)(struct rep_lanes *l, struct rep_lane_sums *s, struct tp_err *err),
		     struct tp_err *err)
{
	struct rep_lane_sum *fitting;
	int code;

	rep_lanes_sums_release(s);
	s->first = calloc(owners + (size_t)2, sizeof(*s->first));
	if (!s->first)
		return tp_nomem(err);
	code = walk(l, s, err);
	if (code)
		return code;
	for (uint32_t o = 0; o < owners; o++)
		s->first[o + 1] += s->first[o];
	s->sum = calloc(s->n + 1, sizeof(*s->sum));
	if (!s->sum)
		return tp_nomem(err);
	s->segment = 0;
	code = walk(l, s, err);
	if (code)
		return code;
	join(s, owners);
	fitting = tp_more(s->sum, s->n + 1, sizeof(*fitting));
	s->sum = fitting ? fitting : s->sum;
	return 0;
}

struct sums {
	struct rep_lanes *l;
	struct rep_lane_sums *to;
};

static int on_sums(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	struct sums *s = ctx;
	struct rep_lanes *l = s->l;
	int64_t *const *col = rows->col;

	(void)first;
	(void)err;
	for (size_t i = 0; i < rows->nrows; i++) {
		int64_t g = col[TP_COL(GOROUTINE_TIME, goroutine)][i];

		if (g < 0 || g >= l->ng || !rep_lanes_shows(l, (uint32_t)g))
			continue;
		put_sum(
		    l, s->to, s->to == &l->group_sums ? l->group_of[g] : (uint32_t)g,
		    col[TP_COL(GOROUTINE_TIME, segment)][i], col[TP_COL(GOROUTINE_TIME, state)][i],
		    col[TP_COL(GOROUTINE_TIME, reason)][i], col[TP_COL(GOROUTINE_TIME, count)][i],
		    col[TP_COL(GOROUTINE_TIME, total_ns)][i]);
	}
	return 0;
}

static int walk_goroutine_time(struct rep_lanes *l, struct rep_lane_sums *to, struct tp_err *err)
{
	struct sums s = {.l = l, .to = to};
	const struct tp_rows_visitor visitor = {.rows = on_sums, .ctx = &s};

	return tp_rows_visit(l->v.store, l->v.run->row.id, TP_TABLE_GOROUTINE_TIME,
			     REP_BIT(GOROUTINE_TIME, segment) | REP_BIT(GOROUTINE_TIME, goroutine) |
				 REP_BIT(GOROUTINE_TIME, state) | REP_BIT(GOROUTINE_TIME, reason) |
				 REP_BIT(GOROUTINE_TIME, count) | REP_BIT(GOROUTINE_TIME, total_ns),
			     &visitor, err);
}

int rep_lanes_need_goroutine_sums(struct rep_lanes *l, struct tp_err *err)
{
	int code = l->has_goroutine_sums
		       ? 0
		       : read_sums(l, &l->goroutine_sums, l->ng, walk_goroutine_time, err);

	l->has_goroutine_sums = !code;
	return code;
}

static int walk_sites(struct rep_lanes *l, struct rep_lane_sums *to, struct tp_err *err)
{
	const struct rep_view *v = &l->v;
	struct rep_keys entries = {0};
	uint32_t at;
	int code = 0;

	for (uint32_t g = 0; g < l->ngroups && !code; g++)
		code = rep_keys_add(&entries, l->group[g].entry, 0, 0, 0, &at);
	for (size_t i = 0; i < v->nrows[TP_TABLE_SITE] && !code; i++) {
		if (rep_keys_find(&entries, (uint32_t)REP_COL(v, SITE, entry)[i], 0, 0, 0, &at))
			put_sum(l, to, at, REP_COL(v, SITE, segment)[i], REP_COL(v, SITE, state)[i],
				REP_COL(v, SITE, reason)[i], REP_COL(v, SITE, count)[i],
				REP_COL(v, SITE, total_ns)[i]);
	}
	rep_keys_release(&entries);
	return code ? tp_nomem(err) : 0;
}

/* Loads the sums of entry functions, which suffice unless only some goroutines of a group have
 * lanes. */
int rep_lanes_take_group_sums(struct rep_lanes *l, struct tp_err *err)
{
	return read_sums(l, &l->group_sums, l->ngroups,
			 l->hidden && !l->by_group ? walk_goroutine_time : walk_sites, err);
}
