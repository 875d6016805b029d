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

/* Sorts by owner; rows of one owner keep their order, which is by segment. */
static int sort(struct rep_lane_sums *s, uint32_t owners)
{
	struct rep_lane_sum *sorted = calloc(s->n + 1, sizeof(*sorted));

	if (!sorted)
		return TP_ENOMEM;
	for (size_t i = 0; i < s->n; i++)
		s->first[s->sum[i].owner + 1]++;
	for (uint32_t o = 0; o < owners; o++)
		s->first[o + 1] += s->first[o];
	for (size_t i = 0; i < s->n; i++)
		sorted[s->first[s->sum[i].owner]++] = s->sum[i];
	memset(s->first, 0, (owners + (size_t)2) * sizeof(*s->first));
	free(s->sum);
	s->sum = sorted;
	s->room = s->n + 1;
	return 0;
}

#define JOIN 64 /* classes of an owner in a segment to compare with */

/* Sorts the sums, joins those of one owner, segment and class (from different stacks), and finds
 * where owners begin. */
static int finish_sums(struct rep_lane_sums *s, uint32_t owners)
{
	size_t n = 0;

	s->first = calloc(owners + (size_t)2, sizeof(*s->first));
	if (!s->first || sort(s, owners))
		return TP_ENOMEM;
	for (size_t i = 0; i < s->n; i++) {
		const struct rep_lane_sum *next = &s->sum[i];
		struct rep_lane_sum *same = NULL;

		for (size_t k = n; k > 0 && n - k < JOIN && !same; k--) {
			if (s->sum[k - 1].owner != next->owner ||
			    s->sum[k - 1].segment != next->segment)
				break;
			if (s->sum[k - 1].class == next->class)
				same = &s->sum[k - 1];
		}
		if (same) {
			tp_sum(&same->total_ns, next->total_ns);
			same->count = count_of((int64_t)same->count + next->count);
		} else {
			s->first[next->owner + 1]++;
			s->sum[n++] = *next;
		}
	}
	s->n = n;
	for (uint32_t o = 0; o < owners; o++)
		s->first[o + 1] += s->first[o];
	return 0;
}

void rep_lanes_sums_release(struct rep_lane_sums *s)
{
	free(s->sum);
	free(s->first);
	memset(s, 0, sizeof(*s));
}

/* Adds a sum. Tables have their rows by segment; rows out of order, or with an invalid state or
 * segment, come from a damaged store and are left out. */
static int put_sum(struct rep_lanes *l, struct rep_lane_sums *s, uint32_t owner, int64_t segment,
		   int64_t state, int64_t reason, int64_t count, int64_t total_ns)
{
	if (segment < 0 || (uint64_t)segment >= l->v.nsegments || state < 0 ||
	    state >= TP_NSTATES || (s->n && segment < s->sum[s->n - 1].segment))
		return 0;
	if (tp_grow(&s->sum, &s->room, s->n, sizeof(*s->sum)))
		return TP_ENOMEM;
	s->sum[s->n++] = (struct rep_lane_sum){
	    .total_ns = total_ns,
	    .count = count_of(count),
	    .owner = owner,
	    .segment = (uint32_t)segment,
	    .class = rep_lanes_class(l, (unsigned)state,
				     reason < 0 || reason > UINT32_MAX ? 0 : (uint32_t)reason),
	};
	return 0;
}

struct sums {
	struct rep_lanes *l;
	bool to_groups;
};

static int on_sums(void *ctx, const struct tp_rows *rows, size_t first, struct tp_err *err)
{
	struct sums *s = ctx;
	struct rep_lanes *l = s->l;
	int64_t *const *col = rows->col;

	(void)first;
	for (size_t i = 0; i < rows->nrows; i++) {
		int64_t g = col[TP_COL(GOROUTINE_TIME, goroutine)][i];
		uint32_t owner;

		if (g < 0 || g >= l->ng || !rep_lanes_shows(l, (uint32_t)g))
			continue;
		owner = s->to_groups ? l->group_of[g] : (uint32_t)g;
		if (put_sum(l, s->to_groups ? &l->group_sums : &l->goroutine_sums, owner,
			    col[TP_COL(GOROUTINE_TIME, segment)][i],
			    col[TP_COL(GOROUTINE_TIME, state)][i],
			    col[TP_COL(GOROUTINE_TIME, reason)][i],
			    col[TP_COL(GOROUTINE_TIME, count)][i],
			    col[TP_COL(GOROUTINE_TIME, total_ns)][i]))
			return tp_nomem(err);
	}
	return 0;
}

static int visit_goroutine_time(struct rep_lanes *l, bool to_groups, struct tp_err *err)
{
	struct sums s = {.l = l, .to_groups = to_groups};
	const struct tp_rows_visitor visitor = {.rows = on_sums, .ctx = &s};

	return tp_rows_visit(l->v.store, l->v.run->row.id, TP_TABLE_GOROUTINE_TIME,
			     REP_BIT(GOROUTINE_TIME, segment) | REP_BIT(GOROUTINE_TIME, goroutine) |
				 REP_BIT(GOROUTINE_TIME, state) | REP_BIT(GOROUTINE_TIME, reason) |
				 REP_BIT(GOROUTINE_TIME, count) | REP_BIT(GOROUTINE_TIME, total_ns),
			     &visitor, err);
}

int rep_lanes_need_goroutine_sums(struct rep_lanes *l, struct tp_err *err)
{
	int code;

	if (l->has_goroutine_sums)
		return 0;
	rep_lanes_sums_release(&l->goroutine_sums);
	code = visit_goroutine_time(l, false, err);
	if (!code && finish_sums(&l->goroutine_sums, l->ng))
		code = tp_nomem(err);
	l->has_goroutine_sums = !code;
	return code;
}

/* Loads the sums of entry functions, which suffice unless only some goroutines of a group have
 * lanes. */
int rep_lanes_take_group_sums(struct rep_lanes *l, struct tp_err *err)
{
	const struct rep_view *v = &l->v;
	struct rep_keys entries = {0};
	uint32_t at;
	int code = 0;

	if (l->hidden && !l->by_group) {
		code = visit_goroutine_time(l, true, err);
	} else {
		for (uint32_t g = 0; g < l->ngroups && !code; g++)
			code = rep_keys_add(&entries, l->group[g].entry, 0, 0, 0, &at);
		for (size_t i = 0; i < v->nrows[TP_TABLE_SITE] && !code; i++) {
			if (rep_keys_find(&entries, (uint32_t)REP_COL(v, SITE, entry)[i], 0, 0, 0,
					  &at))
				code = put_sum(
				    l, &l->group_sums, at, REP_COL(v, SITE, segment)[i],
				    REP_COL(v, SITE, state)[i], REP_COL(v, SITE, reason)[i],
				    REP_COL(v, SITE, count)[i], REP_COL(v, SITE, total_ns)[i]);
		}
		if (code)
			tp_nomem(err);
	}
	rep_keys_release(&entries);
	if (!code && finish_sums(&l->group_sums, l->ngroups))
		code = tp_nomem(err);
	return code;
}
