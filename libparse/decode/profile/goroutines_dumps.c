#include "decode/profile/goroutines_dumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/random.h"
#include "base/seed.h"

/* ---- goroutines seen ---- */

static struct tp_goroutine_seen *slot_of(struct tp_goroutine_seen *seen, size_t nslots,
					 uint64_t seed, int64_t id)
{
	size_t at = (size_t)tp_mix64(seed, (uint64_t)id);

	while (seen[at & (nslots - 1)].nth && seen[at & (nslots - 1)].id != id)
		at++;
	return &seen[at & (nslots - 1)];
}

static int grow(struct tp_goroutine_dumps *d)
{
	size_t nslots = d->nslots ? 2 * d->nslots : 256;
	struct tp_goroutine_seen *seen;

	if (2 * d->nseen < d->nslots)
		return 0;
	seen = tp_many_fit(nslots, sizeof(*seen)) ? calloc(nslots, sizeof(*seen)) : NULL;
	if (!seen)
		return TP_ENOMEM;
	d->seed = d->seed ? d->seed : tp_seed();
	for (size_t i = 0; i < d->nslots; i++)
		if (d->seen[i].nth)
			*slot_of(seen, nslots, d->seed, d->seen[i].id) = d->seen[i];
	free(d->seen);
	d->seen = seen;
	d->nslots = nslots;
	return 0;
}

/* ---- beginnings ---- */

static int begin_at(struct tp_goroutine_dumps *d, size_t nth)
{
	d->start = nth;
	d->doubt = 0;
	return tp_buf_put(&d->from, &nth, sizeof(nth));
}

/* Records the evidence, if there is any, that a dump begins with this goroutine. */
static void note_beginning(struct tp_goroutine_dumps *d, const struct tp_goroutine_turn *turn)
{
	if (turn->words)
		d->begins[TP_DUMP_WORDS] = d->nth + 1;
	else if (d->apart && turn->running)
		d->begins[TP_DUMP_RUNNING] = d->nth + 1;
	else if (d->apart)
		d->begins[TP_DUMP_OTHERS] = d->nth + 1;
	else if (turn->running)
		d->begins[TP_DUMP_RUNNING_ALONE] = d->nth + 1;
}

/* Finds where a dump began between the goroutine `first` and this one, which is the same. */
static int look_back(struct tp_goroutine_dumps *d, const struct tp_goroutine_turn *turn,
		     size_t first)
{
	if (d->apart && turn->running && !turn->words) {
		d->doubt = d->nth + 1;
		return 0;
	}
	for (int rank = TP_DUMP_NRANKS - 1; rank >= 0; rank--)
		if (d->begins[rank] > first + 1)
			return begin_at(d, d->begins[rank] - 1);
	return 0;
}

static bool is_next(struct tp_goroutine_dumps *d)
{
	size_t at;

	if (d->next * sizeof(at) >= d->from.size)
		return false;
	memcpy(&at, d->from.data + d->next * sizeof(at), sizeof(at));
	if (at != d->nth)
		return false;
	d->next++;
	d->start = d->nth;
	return true;
}

int tp_goroutine_dumps_turn(struct tp_goroutine_dumps *d, struct tp_goroutine_turn *turn)
{
	struct tp_goroutine_seen *slot;
	bool before;
	int code = grow(d);

	if (code)
		return code;
	turn->next = d->second && is_next(d);
	if (!d->second && d->doubt && !d->apart)
		code = begin_at(d, d->doubt - 1);
	d->doubt = 0;
	if (turn->words)
		d->threads &= d->dashes;
	note_beginning(d, turn);
	slot = slot_of(d->seen, d->nslots, d->seed, turn->id);
	before = turn->id && slot->nth && slot->nth - 1 >= d->start;
	turn->again = before && d->threads && !turn->missing;
	if (before && !code && !d->second && !d->threads && !turn->missing)
		code = look_back(d, turn, slot->nth - 1);
	d->nseen += !slot->nth;
	*slot = (struct tp_goroutine_seen){turn->id, d->nth + 1};
	d->nth++;
	d->apart = d->dashes = false;
	return code;
}

void tp_goroutine_dumps_other(struct tp_goroutine_dumps *d, struct tp_scan line)
{
	bool dashes = tp_scan_is(tp_scan_trim(line), "-----");

	d->apart = true;
	d->threads |= dashes;
	/* The signal that made a thread print stands between the dashes and the stack. */
	if (dashes || !tp_scan_begins(line, "SIG"))
		d->dashes = dashes;
}

/* ---- the dumps ---- */

int tp_goroutine_dumps_keep(struct tp_goroutine_dumps *d, struct tp_profile *p)
{
	if (!d->most) {
		tp_profile_free(p);
		return 0;
	}
	if (!d->kept)
		d->kept = calloc(d->most, sizeof(struct tp_profile *));
	if (!d->kept)
		return TP_ENOMEM;
	if (d->nkept == d->most) {
		size_t out = d->most > 1; /* the first stays */

		tp_profile_free(d->kept[out]);
		memmove(&d->kept[out], &d->kept[out + 1],
			(d->most - out - 1) * sizeof(struct tp_profile *));
		d->nkept--;
	}
	d->kept[d->nkept++] = p;
	return 0;
}

bool tp_goroutine_dumps_end(struct tp_goroutine_dumps *d)
{
	d->n = d->from.size / sizeof(size_t) + 1;
	if (d->n == 1 || d->second)
		return false;
	d->second = true;
	if (d->nslots)
		memset(d->seen, 0, d->nslots * sizeof(*d->seen));
	d->nth = d->start = d->nseen = d->doubt = 0;
	memset(d->begins, 0, sizeof(d->begins));
	d->apart = d->threads = d->dashes = false;
	return true;
}

void tp_goroutine_dumps_release(struct tp_goroutine_dumps *d)
{
	for (size_t i = 0; i < d->nkept; i++)
		tp_profile_free(d->kept[i]);
	free(d->kept);
	free(d->seen);
	tp_buf_release(&d->from);
}
