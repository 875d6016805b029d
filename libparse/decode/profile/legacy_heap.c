/* Heap profiles as text (pprof: parseHeap):
 *
 *   heap profile: OBJECTS: BYTES [OBJECTS: BYTES] @ HOW
 *   OBJECTS: BYTES [OBJECTS: BYTES] @ 0xADDRESS …
 * The numbers in brackets are all allocations, those before them the ones still in use.
 *
 *   HOW                    PERIOD   VALUES
 *   heap/RATE              RATE/2   sampled: one sample per RATE/2 bytes (Go, older C++)
 *   heap_v2/RATE, heapz_…  RATE     sampled
 *   heapprofile            1        not sampled
 *   growth, growthz        1        not sampled; the heap grew there
 *   fragmentation(z)       1        not sampled
 *
 * A sample has two values, or four if the header's numbers in brackets differ from those before. */
#include <stdio.h>
#include <string.h>

#include "decode/profile/legacy.h"

static bool read_int(struct tp_scan *s, bool sign, struct tp_legacy_row *row, int64_t *v)
{
	enum tp_number n = tp_scan_int(s, sign, v);

	row->huge |= n == TP_NUMBER_HUGE;
	return n != TP_NUMBER_NONE;
}

bool tp_legacy_read_row(struct tp_scan *s, bool sign, struct tp_legacy_row *row)
{
	*row = (struct tp_legacy_row){.huge = false};
	if (!read_int(s, sign, row, &row->inuse[0]) || !tp_scan_text(s, ":"))
		return false;
	tp_scan_spaces(s);
	if (!read_int(s, sign, row, &row->inuse[1]))
		return false;
	tp_scan_spaces(s);
	if (!tp_scan_text(s, "["))
		return false;
	tp_scan_spaces(s);
	if (!read_int(s, false, row, &row->alloc[0]) || !tp_scan_text(s, ":"))
		return false;
	tp_scan_spaces(s);
	if (!read_int(s, false, row, &row->alloc[1]))
		return false;
	tp_scan_spaces(s);
	return tp_scan_text(s, "]");
}

struct header {
	struct tp_legacy_row total;
	bool sampled, four;
};

static bool read_how(struct tp_scan s, struct tp_profile *p, struct header *h)
{
	struct tp_scan how;

	p->period = 1;
	tp_scan_spaces(&s);
	if (!tp_scan_text(&s, "@"))
		return false;
	tp_scan_spaces(&s);
	if (tp_scan_begins(s, "growth") || tp_scan_begins(s, "fragmentation"))
		return true;
	how = tp_scan_run(&s, "abcdefghijklmnopqrstuvwxyz_0123456789");
	tp_scan_text(&s, "/");
	h->four = (h->total.alloc[0] && h->total.alloc[0] != h->total.inuse[0]) ||
		  (h->total.alloc[1] && h->total.alloc[1] != h->total.inuse[1]);
	if (tp_scan_is(how, "heapprofile"))
		return true;
	h->sampled = true;
	p->period = 0;
	if (tp_scan_int(&s, false, &p->period) == TP_NUMBER_HUGE)
		return false;
	if (tp_scan_is(how, "heap"))
		p->period /= 2;
	else if (!tp_scan_is(how, "heap_v2") && !tp_scan_is(how, "heapz_v2"))
		return false;
	return true;
}

static bool find_header(struct tp_scan s, struct tp_profile *p, struct header *h)
{
	static const char begin[] = "heap profile:";
	const char *at;

	while ((at = tp_scan_find(s, begin)) != NULL) {
		s.at = at + strlen(begin);
		tp_scan_spaces(&s);
		if (tp_legacy_read_row(&s, false, &h->total) && !h->total.huge && read_how(s, p, h))
			return true;
	}
	return false;
}

bool tp_legacy_heap_has_four(struct tp_scan header)
{
	struct tp_profile unused = {.period = 0};
	struct header h = {.sampled = false};

	return find_header(header, &unused, &h) && h.four;
}

static int read_header(struct tp_legacy *l, struct header *h)
{
	int code;

	tp_lines_next(&l->lines);
	if (!find_header(l->lines.line, l->p, h))
		return tp_err_set(l->err, l->lines.next == l->lines.end ? TP_ETRUNC : TP_EFORMAT, 0,
				  "the first line is not a complete header of a heap profile");
	h->four |= l->four;
	code = tp_legacy_period_type(l, "space", "bytes");
	if (!code)
		code = tp_legacy_add_type(l, h->four ? "alloc_objects" : "objects", "count");
	if (!code)
		code = tp_legacy_add_type(l, h->four ? "alloc_space" : "space", "bytes");
	if (!code && h->four)
		code = tp_legacy_add_type(l, "inuse_objects", "count");
	if (!code && h->four)
		code = tp_legacy_add_type(l, "inuse_space", "bytes");
	return code;
}

/* Scales a sampled value up. Sets *each to the size of one object, taken before that. Returns false
 * for bytes of zero objects. */
static bool whole(const struct tp_legacy *l, const struct header *h, int64_t v[2], int64_t *each)
{
	if (!v[0])
		return !v[1];
	*each = v[0] == -1 ? (int64_t)(0 - (uint64_t)v[1]) : v[1] / v[0];
	if (h->sampled)
		tp_legacy_unsample(&v[0], &v[1], l->p->period);
	return true;
}

/* Finds the row anywhere in the line. */
static bool find_row(struct tp_scan *s, struct tp_legacy_row *row)
{
	while (s->at < s->end) {
		struct tp_scan at = *s;

		if (tp_legacy_read_row(&at, true, row) && tp_scan_text(&at, " @")) {
			*s = at;
			return true;
		}
		/* Where a number fails, its last digits do, too. */
		at = tp_scan_run(s, TP_DIGITS);
		s->at += !tp_scan_left(&at);
	}
	return false;
}

static int read_sample(struct tp_legacy *l, const struct header *h, struct tp_legacy_row *sum,
		       uint32_t key)
{
	struct tp_scan s = tp_scan_trim(l->lines.line);
	struct tp_label bytes = {.key = key, .numeric = true};
	struct tp_legacy_row row;
	int64_t value[TP_LEGACY_VALUES];
	size_t n = 0, before = tp_legacy_nsamples(l);
	uint32_t labels;
	int code;

	if (!find_row(&s, &row))
		return tp_legacy_lose(l, 1, "is not a sample of a heap profile");
	if (row.huge)
		return tp_legacy_lose(l, 1, "has a number that does not fit 64 bits");
	if (h->four) {
		value[n++] = row.alloc[0];
		value[n++] = row.alloc[1];
	}
	value[n++] = row.inuse[0];
	value[n] = row.inuse[1];
	for (size_t i = 0; i < n; i += 2)
		if (!whole(l, h, &value[i], &bytes.number))
			return tp_legacy_lose(l, 1, "has bytes but zero objects");
	code = tp_legacy_fail(l, tp_profile_label_set(l->p, &bytes, 1, &labels));
	if (!code)
		code = tp_legacy_add_sample(l, s, 1, value, labels);
	if (tp_legacy_nsamples(l) > before)
		sum->huge |= __builtin_add_overflow(sum->inuse[0], row.inuse[0], &sum->inuse[0]);
	return code;
}

/* Compares the samples with the sum in the header; only that shows missing lines. */
static int check_sums(struct tp_legacy *l, const struct header *h, const struct tp_legacy_row *sum)
{
	char why[120];

	if (sum->huge || sum->inuse[0] >= h->total.inuse[0])
		return 0;
	snprintf(why, sizeof(why), "ends after the samples of %lld of %lld objects in use",
		 (long long)sum->inuse[0], (long long)h->total.inuse[0]);
	return tp_legacy_lose_rest(l, 0, why);
}

int tp_legacy_heap(struct tp_legacy *l)
{
	struct header h = {.sampled = false};
	struct tp_legacy_row sum = {.huge = false};
	uint32_t key = 0;
	int code = read_header(l, &h);

	if (!code)
		code = tp_legacy_string(l, "bytes", 5, &key);
	while (tp_legacy_next(l, &code))
		code = read_sample(l, &h, &sum, key);
	if (!code)
		code = check_sums(l, &h, &sum);
	return code ? code : tp_legacy_find_maps(l);
}
