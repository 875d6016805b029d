#include "decode/profile/goroutines_dumps.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

/* ---- goroutines seen ---- */

/* Returns the goroutine of an id, added if new; NULL when memory is out. */
static struct tp_goroutine_seen *seen_of(struct tp_goroutine_dumps *d, int64_t id)
{
	uint32_t at = tp_ids_get(&d->by_id, (uint64_t)id);

	if (at != TP_NO_ID)
		return &d->seen[at];
	if (tp_grow(&d->seen, &d->seen_room, d->nseen, sizeof(*d->seen)) ||
	    tp_ids_put(&d->by_id, (uint64_t)id, (uint32_t)d->nseen))
		return NULL;
	d->seen[d->nseen] = (struct tp_goroutine_seen){.id = id};
	return &d->seen[d->nseen++];
}

/* ---- beginnings ---- */

static int begin_at(struct tp_goroutine_dumps *d, size_t nth)
{
	d->start = nth;
	d->doubt = 0;
	return tp_buf_put(&d->from, &nth, sizeof(nth));
}

/* Records the evidence, if any, that a dump begins with this goroutine. */
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

/* Finds where a dump began between goroutine `first` and this one, which has the same id. */
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
	struct tp_goroutine_seen *seen = seen_of(d, turn->id);
	bool before;
	int code = 0;

	if (!seen)
		return TP_ENOMEM;
	turn->next = d->second && is_next(d);
	if (!d->second && d->doubt && !d->apart)
		code = begin_at(d, d->doubt - 1);
	d->doubt = 0;
	if (turn->words)
		d->threads &= d->dashes;
	note_beginning(d, turn);
	before = turn->id && seen->nth && seen->nth - 1 >= d->start;
	turn->again = before && d->threads && !turn->missing;
	if (before && !code && !d->second && !d->threads && !turn->missing)
		code = look_back(d, turn, seen->nth - 1);
	seen->nth = ++d->nth;
	d->apart = d->dashes = false;
	return code;
}

/* ---- times ---- */

#define TIME_WITHIN 4096 /* bytes of a line that are searched for a time */

/* Finds a time like 2026-11-28T10:05:01 or 2026/11/28 10:05:01 in a line. */
static void find_time(struct tp_scan s, char time[TP_DUMP_TIME])
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	const size_t n = sizeof(form) - 1;

	if (tp_scan_left(&s) > TIME_WITHIN)
		s.end = s.at + TIME_WITHIN;
	for (; tp_scan_left(&s) >= n; s.at++) {
		size_t i = 0, digits = 0;
		char found[TP_DUMP_TIME] = "";

		for (; i < n; i++) {
			char c = s.at[i];

			if (form[i] == 'd' && (c < '0' || c > '9'))
				break;
			if (form[i] == 'd')
				found[digits++] = c;
			else if (c != form[i] && (form[i] != '-' || c != '/') &&
				 (form[i] != 'T' || c != ' '))
				break;
		}
		if (i == n) {
			memcpy(time, found, TP_DUMP_TIME);
			return;
		}
	}
}

void tp_goroutine_dumps_began(struct tp_goroutine_dumps *d, struct tp_scan line)
{
	char before[TP_DUMP_TIME];

	memcpy(before, d->began, sizeof(before));
	find_time(line, d->latest);
	memcpy(d->began, d->latest, sizeof(d->began));
	d->older += *before && strcmp(d->began, before) < 0;
}

bool tp_goroutine_dumps_turn_round(struct tp_goroutine_dumps *d, struct tp_profile *last)
{
	struct tp_profile **p = d->kept, first;
	size_t n = d->nkept;

	if (d->n < 2 || d->older != d->n - 1)
		return false;
	if (n) {
		first = *p[0];
		*p[0] = *last;
		*last = first;
	}
	for (size_t i = 1; 2 * i < n; i++) {
		struct tp_profile *other = p[i];

		p[i] = p[n - i];
		p[n - i] = other;
	}
	return true;
}

void tp_goroutine_dumps_other(struct tp_goroutine_dumps *d, struct tp_scan line)
{
	bool dashes = tp_scan_is(tp_scan_trim(line), "-----");

	find_time(line, d->latest);
	d->apart = true;
	d->threads |= dashes;
	/* The signal that made a thread print comes between the dashes and the stack. */
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

void tp_goroutine_dumps_give(struct tp_goroutine_dumps *d, struct tp_profile_dumps *out)
{
	out->total = d->n;
	out->n = d->nkept;
	for (size_t i = 0; i < d->nkept; i++)
		out->p[i] = d->kept[i];
	d->nkept = 0;
}

bool tp_goroutine_dumps_end(struct tp_goroutine_dumps *d)
{
	d->n = d->from.size / sizeof(size_t) + 1;
	if (d->n == 1 || d->second)
		return false;
	d->second = true;
	tp_ids_clear(&d->by_id);
	d->nth = d->start = d->nseen = d->doubt = 0;
	memset(d->begins, 0, sizeof(d->begins));
	d->apart = d->threads = d->dashes = false;
	*d->latest = '\0';
	return true;
}

void tp_goroutine_dumps_release(struct tp_goroutine_dumps *d)
{
	for (size_t i = 0; i < d->nkept; i++)
		tp_profile_free(d->kept[i]);
	free(d->kept);
	free(d->seen);
	tp_ids_release(&d->by_id);
	tp_buf_release(&d->from);
}
