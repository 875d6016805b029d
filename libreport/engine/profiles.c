/* Profiles from the engine: the statements, and the choice of profiles that it adds up
 * (fetch.h). */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"
#include "engine/profiles.h"

/* ---- the choice ---- */

struct says {
	struct tp_slice default_type, drop, keep;
};

/* Reads a profile's default type and its expressions for frames to drop and to keep. */
static struct says what_it_says(const struct rep_profiles *p, size_t run)
{
	const struct tp_buf *b = &p->header[run].rows[0];
	struct tp_cursor c = tp_cursor(b->data, b->size);
	struct says s;

	rep_row_get_text_or_null(&c);
	rep_row_get_text_or_null(&c);
	for (int i = 0; i < 3; i++)
		rep_row_get_int(&c);
	s.default_type = rep_row_get_text_or_null(&c);
	s.drop = rep_row_get_text_or_null(&c);
	s.keep = rep_row_get_text_or_null(&c);
	return s;
}

static bool same_text(struct tp_slice a, struct tp_slice b)
{
	return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static bool same_kind(const struct rep_profiles *p, size_t x, size_t y)
{
	const struct rep_engine_run *a = &p->f->runs->run[x], *b = &p->f->runs->run[y];
	struct says s = what_it_says(p, x), t = what_it_says(p, y);

	if (!same_text(s.default_type, t.default_type) || !same_text(s.drop, t.drop) ||
	    !same_text(s.keep, t.keep))
		return false;
	if (a->ntypes != b->ntypes)
		return false;
	for (size_t i = 0; i < a->ntypes; i++)
		if (strcmp(a->type[i], b->type[i]) != 0 || strcmp(a->unit[i], b->unit[i]) != 0)
			return false;
	return true;
}

/* The units of sample types; each is that of the first profile with the type. */
struct type_units {
	struct type_unit {
		const char *type, *unit;
	} * of;
	size_t n, room;
	struct tp_table by_type;
	uint64_t seed;
};

/* Adds the types of a profile. Sets *differs if one had another unit before: adding up then scales
 * values and rounds them. Returns 0, TP_ENOMEM or TP_ELIMIT. */
static int add_units(struct type_units *u, const struct rep_engine_run *r, bool *differs)
{
	for (size_t i = 0; i < r->ntypes; i++) {
		uint64_t hash = tp_hash_bytes(u->seed, r->type[i], strlen(r->type[i]));
		const struct type_unit *known = NULL;
		int code;

		for (struct tp_probe p = {0};
		     !known && u->of && tp_table_next(&u->by_type, hash, &p);)
			if (!strcmp(u->of[p.row].type, r->type[i]))
				known = &u->of[p.row];
		if (known) {
			*differs |= strcmp(known->unit, r->unit[i]) != 0;
			continue;
		}
		code = tp_grow_raw(&u->of, &u->room, u->n, sizeof(*u->of));
		if (!code)
			code = tp_table_add(&u->by_type, hash, u->n);
		if (code)
			return code;
		u->of[u->n++] = (struct type_unit){r->type[i], r->unit[i]};
	}
	return 0;
}

#define MOST_GROUPS 64

/* Groups the runs that the engine can add up; the caller adds up the sums of the groups. If values
 * would have to be scaled, the engine adds up nothing. */
static int make_groups(struct rep_profiles *p)
{
	const struct rep_engine_runs *runs = p->f->runs;
	struct type_units units = {.seed = tp_seed()};
	size_t first[MOST_GROUPS];
	size_t n = 0, nprofiles = 0, g;
	bool differ = false;
	int code = 0;

	p->group = calloc(runs->n + 1, sizeof(*p->group));
	if (!p->group)
		return TP_ENOMEM;
	p->add_up = p->f->opt->add_up;
	for (size_t i = 0; i < runs->n && p->add_up && !code; i++) {
		if (!rep_fetch_is_profile(p->f, i))
			continue;
		nprofiles++;
		code = add_units(&units, &runs->run[i], &differ);
		for (g = 0; g < n && !same_kind(p, first[g], i); g++)
			;
		if (differ || (g == n && n == MOST_GROUPS))
			p->add_up = false;
		else if (g == n)
			first[n++] = i;
		p->group[i] = g;
	}
	free(units.of);
	tp_table_release(&units.by_type);
	/* A single profile needs no sum. */
	p->add_up = p->add_up && nprofiles > 1;
	return code;
}

size_t rep_fetch_at_once = 16;

#define LABELS "label_keys, label_values, label_units, label_numeric"

static void put_each(struct tp_buf *s, const struct rep_fetching *some)
{
	tp_buf_text(s, "SELECT ");
	rep_fetch_put_number(s, some, rep_fetch_is_profile, NULL);
	rep_sql_put(s, some->at, " AS number, stack, node, " LABELS ", values FROM @bucket");
	rep_fetch_put_loads(s, some, rep_fetch_is_profile);
	tp_buf_text(s, " ORDER BY number, row");
}

/* Sums profiles as profile/merge.h does: samples whose values are all 0 are left out, the others
 * come where their stack and labels appear first. */
static void put_sum(struct tp_buf *s, const struct rep_profiles *p)
{
	tp_buf_text(s, "SELECT tupleElement(first, 1), stack, tupleElement(first, 3), " LABELS
		       ", total FROM (SELECT ");
	rep_fetch_put_number(s, p->f, rep_fetch_is_profile, p->group);
	tp_buf_text(s, " AS alike, stack, " LABELS ", sumForEach(values) AS total, min((");
	rep_fetch_put_number(s, p->f, rep_fetch_is_profile, NULL);
	rep_sql_put(s, p->f->at, ", row, node)) AS first FROM @bucket");
	rep_fetch_put_loads(s, p->f, rep_fetch_is_profile);
	tp_buf_text(s, " AND arrayExists(v -> v != 0, values) GROUP BY alike, stack, " LABELS
		       ") ORDER BY first");
}

/* The engine sorts an answer in its memory, so the runs are requested a few at a time. */
static int ask_each(struct rep_profiles *p, struct tp_err *err)
{
	struct rep_fetching some = *p->f;
	size_t nruns = p->f->runs->n, n;
	int code = 0;

	for (some.first = 0; some.first < nruns && !code; some.first = some.end) {
		struct tp_buf s = {0};

		for (some.end = some.first, n = 0; some.end < nruns && n < rep_fetch_at_once;
		     some.end++)
			n += rep_fetch_is_profile(p->f, some.end);
		if (!n)
			continue;
		put_each(&s, &some);
		code = rep_engine_ask(p->f->link, &s, rep_fetch_sample, p, err);
	}
	return code;
}

static int make(struct rep_profiles *p, struct tp_err *err)
{
	struct tp_buf s = {0};
	int code;

	p->header = calloc(p->f->runs->n + 1, sizeof(*p->header));
	if (!p->header)
		return tp_nomem(err);
	code = rep_fetch_headers(p, err);
	if (!code && make_groups(p))
		code = tp_nomem(err);
	if (!code)
		code = rep_fetch_stacks(p, err);
	if (!code && p->add_up) {
		put_sum(&s, p);
		code = rep_engine_ask(p->f->link, &s, rep_fetch_sample, p, err);
	} else if (!code) {
		code = ask_each(p, err);
	}
	return code ? code : rep_fetch_finish(p, p->f->runs->n, err);
}

int rep_fetch_profiles(const struct rep_fetching *f, rep_fetch_profile *each, void *ctx,
		       struct tp_err *err)
{
	struct rep_profiles p = {.f = f, .each = each, .each_ctx = ctx};
	bool any = false;
	int code;

	for (size_t i = 0; i < f->runs->n; i++)
		any |= rep_fetch_is_profile(f, i);
	if (!any)
		return 0;
	code = make(&p, err);
	for (size_t i = 0; p.header && i < f->runs->n; i++)
		for (size_t k = 0; k < REP_FETCH_HEADERS; k++)
			tp_buf_release(&p.header[i].rows[k]);
	rep_fetch_drop(&p);
	free(p.header);
	free(p.group);
	free(p.stack);
	tp_table_release(&p.by_hash);
	rep_spool_release(&p.stacks);
	return code;
}
