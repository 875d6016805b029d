#include "tprof-tui/view/timeline/roster.h"

#include <stdlib.h>
#include <string.h>

const char *const tl_kinds[TL_NKINDS] = {"goroutines", "Ps", "Ms", "tasks"};

/* Copies the names. Consecutive rows with the same name share it. */
static int keep_names(struct tl_roster *r, struct rep_lane *row, size_t n)
{
	const char *last = NULL, *kept = NULL;
	size_t size = 0;

	for (size_t i = 0; i < n; i++) {
		if (!kept || row[i].name != last || row[i].name_size != size) {
			last = row[i].name;
			size = row[i].name_size;
			kept = tp_arena_strndup(&r->names, last ? last : "", last ? size : 0);
			if (!kept)
				return TP_ENOMEM;
		}
		row[i].name = kept;
		row[i].name_size = last ? size : 0;
	}
	return 0;
}

static int index_members(struct tl_roster *r)
{
	for (size_t i = 0; i < r->nmembers; i++)
		if (r->member[i].index >= r->nof)
			r->nof = (size_t)r->member[i].index + 1;
	r->of = calloc(r->nof + 1, sizeof(*r->of));
	if (!r->of)
		return TP_ENOMEM;
	for (size_t i = 0; i < r->nmembers; i++)
		r->of[r->member[i].index] = (uint32_t)i + 1;
	return 0;
}

int tl_roster_goroutines(struct tl_roster *r, const struct rep_lane *row, size_t n,
			 struct tp_err *err)
{
	size_t ngroups = 0;

	for (size_t i = 0; i < n; i++)
		ngroups += row[i].kind == REP_LANE_GROUP;
	r->group = calloc(ngroups + 1, sizeof(*r->group));
	r->first = calloc(ngroups + 1, sizeof(*r->first));
	r->member = calloc(n - ngroups + 1, sizeof(*r->member));
	r->group_of = calloc(n - ngroups + 1, sizeof(*r->group_of));
	if (!r->group || !r->first || !r->member || !r->group_of)
		return tp_nomem(err);
	for (size_t i = 0; i < n; i++) {
		if (row[i].kind == REP_LANE_GROUP) {
			r->first[r->ngroups] = (uint32_t)r->nmembers;
			r->group[r->ngroups++] = row[i];
		} else if (r->ngroups && row[i].index < TP_SPANS_LIMIT) {
			r->group_of[r->nmembers] = (uint32_t)r->ngroups - 1;
			r->member[r->nmembers++] = row[i];
		}
	}
	r->first[r->ngroups] = (uint32_t)r->nmembers;
	if (keep_names(r, r->group, r->ngroups) || keep_names(r, r->member, r->nmembers) ||
	    index_members(r))
		return tp_nomem(err);
	return 0;
}

int tl_roster_others(struct tl_roster *r, enum tl_kind kind, const struct rep_lane *row, size_t n,
		     struct tp_err *err)
{
	r->other[kind] = calloc(n + 1, sizeof(*row));
	if (!r->other[kind])
		return tp_nomem(err);
	if (n)
		memcpy(r->other[kind], row, n * sizeof(*row));
	r->nother[kind] = n;
	return keep_names(r, r->other[kind], n) ? tp_nomem(err) : 0;
}

void tl_roster_release(struct tl_roster *r)
{
	free(r->group);
	free(r->member);
	free(r->first);
	free(r->group_of);
	free(r->of);
	for (size_t i = 0; i < TL_NKINDS; i++)
		free(r->other[i]);
	tp_arena_clear(&r->names);
	*r = (struct tl_roster){0};
}

const struct rep_lane *tl_roster_goroutine(const struct tl_roster *r, uint32_t index)
{
	return index < r->nof && r->of[index] ? &r->member[r->of[index] - 1] : NULL;
}

const struct rep_lane *tl_roster_by_goid(const struct tl_roster *r, const struct rep_goid *goid)
{
	const struct rep_lane *found = NULL;

	for (size_t i = 0; i < r->nmembers; i++) {
		const struct rep_goid *g = &r->member[i].goid;

		if (g->goid != goid->goid || (goid->life && goid->life != (g->life ? g->life : 1)))
			continue;
		if (!found || g->life > found->goid.life)
			found = &r->member[i];
	}
	return found;
}

size_t tl_roster_group_of(const struct tl_roster *r, uint32_t index)
{
	return index < r->nof && r->of[index] ? r->group_of[r->of[index] - 1] : r->ngroups;
}

/* ---- the list ---- */

bool tl_list_init(struct tl_list *l, const struct tl_roster *r)
{
	*l = (struct tl_list){.kind = l->kind, .all = l->all};
	l->unfolded = calloc(r->ngroups + 1, sizeof(*l->unfolded));
	return l->unfolded != NULL;
}

void tl_list_release(struct tl_list *l)
{
	free(l->unfolded);
	free(l->row);
	*l = (struct tl_list){0};
}

static bool make_room(struct tl_list *l, size_t room)
{
	const struct rep_lane **more;

	if (l->room >= room)
		return true;
	more = realloc(l->row, (room + room / 2 + 64) * sizeof(*more));
	if (!more)
		return false;
	l->row = more;
	l->room = room + room / 2 + 64;
	return true;
}

static bool is_there(const struct tl_list *l, const struct rep_lane *row, const struct tl_window *w)
{
	return l->all || (row->from < tl_window_to(w) && row->to >= w->from);
}

/* Adds the rows that exist in the window. The list has room for them. */
static void add(struct tl_list *l, const struct rep_lane *row, size_t n, const struct tl_window *w)
{
	for (size_t i = 0; i < n; i++)
		if (is_there(l, &row[i], w))
			l->row[l->n++] = &row[i];
}

static bool fill_groups(struct tl_list *l, const struct tl_roster *r, const struct tl_window *w)
{
	size_t most = r->ngroups;

	for (size_t i = 0; i < r->ngroups; i++)
		if (l->unfolded[i])
			most += r->first[i + 1] - r->first[i];
	if (!make_room(l, most))
		return false;
	l->n = 0;
	for (size_t i = 0; i < r->ngroups; i++) {
		const struct rep_lane *member = &r->member[r->first[i]];
		size_t n = r->first[i + 1] - r->first[i];

		if (n == 1) {
			add(l, member, 1, w);
			continue;
		}
		add(l, &r->group[i], 1, w);
		if (l->unfolded[i])
			add(l, member, n, w);
	}
	return true;
}

bool tl_list_fill(struct tl_list *l, const struct tl_roster *r, const struct tl_window *w)
{
	if (l->kind == TL_GOROUTINES)
		return fill_groups(l, r, w);
	if (!make_room(l, r->nother[l->kind]))
		return false;
	l->n = 0;
	add(l, r->other[l->kind], r->nother[l->kind], w);
	return true;
}

static size_t find(const struct tl_list *l, enum rep_lane_kind kind, uint32_t index)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->row[i]->kind == kind && l->row[i]->index == index)
			return i;
	return l->n;
}

size_t tl_list_find(const struct tl_list *l, const struct tl_roster *r, enum rep_lane_kind kind,
		    uint32_t index)
{
	size_t at = find(l, kind, index), group;

	if (at < l->n || kind != REP_LANE_GOROUTINE)
		return at;
	group = tl_roster_group_of(r, index);
	return group < r->ngroups ? find(l, REP_LANE_GROUP, r->group[group].index) : l->n;
}

bool tl_list_fold(struct tl_list *l, const struct tl_roster *r, const struct rep_lane *row)
{
	size_t group = r->ngroups;

	if (row->kind == REP_LANE_GROUP && row >= r->group && row < r->group + r->ngroups)
		group = (size_t)(row - r->group);
	else if (row->kind == REP_LANE_GOROUTINE)
		group = tl_roster_group_of(r, row->index);
	if (group >= r->ngroups || r->first[group + 1] - r->first[group] < 2)
		return false;
	l->unfolded[group] = !l->unfolded[group];
	return true;
}
