/* Sites: spans of goroutines with one entry function, by state, reason and stack, with a histogram
 * of their durations.
 * The entry function of a goroutine is the root of its name stack, and stacks can be read only when
 * the dictionary is complete. So the sites of each segment are kept, by name stack (or by goroutine
 * while it has none), as varints
 *
 *   segment, sites, then per site: entry, state, reason, stack, count, total, min, max,
 *   buckets, bytes that follow (four bytes), then per bucket: bucket - previous one, count
 * and read back at the end, where sites with the same name are merged. Most are not merged, and
 * their histograms are not decoded. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/hist.h"
#include "timeline/parts.h"

_Static_assert(TP_HIST_BUCKETS <= 4096, "a bucket is 12 bits of a histogram slot");
_Static_assert(TP_SITE_OCTAVES % 4 == 0 && TP_HIST_BUCKETS <= 64 * TP_SITE_OCTAVES,
	       "octaves are there for all buckets, in fours");

#define COUNT_BITS  24 /* a segment has fewer spans */
#define BUCKET_BITS 12

static uint32_t site_hash(const struct tp_site *x)
{
	return tp_hash4(x->entry, x->stack, x->reason, x->state);
}

int tp_sites_init(struct tp_sites *s)
{
	s->octave = calloc((TP_SITES_DENSE + 1) * TP_SITE_OCTAVES, sizeof(*s->octave));
	if (!s->octave || tp_grow_lines((void **)&s->block, &s->room_blocks))
		return TP_ENOMEM;
	memset(s->block[0], UINT8_MAX, sizeof(*s->block));
	return 0;
}

uint32_t tp_sites_at(struct tp_sites *s, const struct tp_site *key)
{
	uint32_t hash = site_hash(key);

	for (struct tp_probe p = {0}; tp_table_next(&s->by_key, hash, &p);) {
		const struct tp_site *x = &s->site[p.row];

		if (x->entry == key->entry && x->stack == key->stack && x->reason == key->reason &&
		    x->state == key->state)
			return p.row;
	}
	if (tp_grow_raw(&s->site, &s->room, s->n, sizeof(*s->site)) ||
	    tp_table_add(&s->by_key, hash, s->n))
		return TP_NONE;
	s->site[s->n] = *key;
	s->site[s->n].min = INT64_MAX;
	return s->n++;
}

static int grow_hist(struct tp_sites *s)
{
	uint32_t size = s->hist ? (s->hist_mask + 1) * 2 : 8192;
	uint64_t *fresh = size ? calloc(size, sizeof(*fresh)) : NULL;

	if (!fresh)
		return TP_ENOMEM;
	for (uint32_t i = 0; s->hist && i <= s->hist_mask; i++) {
		uint64_t key = s->hist[i] >> COUNT_BITS;
		uint32_t at = (uint32_t)tp_mix(0, key) & (size - 1);

		if (!s->hist[i])
			continue;
		while (fresh[at])
			at = (at + 1) & (size - 1);
		fresh[at] = s->hist[i];
	}
	free(s->hist);
	s->hist = fresh;
	s->hist_mask = size - 1;
	return 0;
}

static int count_hashed(struct tp_sites *s, uint32_t site, int bucket, uint64_t count)
{
	uint64_t key = (uint64_t)site << BUCKET_BITS | (uint64_t)bucket;
	uint32_t at;

	if ((!s->hist || s->nhist >= (s->hist_mask + 1) / 2) && grow_hist(s))
		return TP_ENOMEM;
	at = (uint32_t)tp_mix(0, key) & s->hist_mask;
	while (s->hist[at] && s->hist[at] >> COUNT_BITS != key)
		at = (at + 1) & s->hist_mask;
	if (!s->hist[at]) {
		s->hist[at] = key << COUNT_BITS;
		s->nhist++;
	}
	s->hist[at] += count;
	return 0;
}

int tp_sites_count(struct tp_sites *s, uint32_t site, int bucket, uint64_t count)
{
	uint16_t *octave;
	uint8_t *here;

	if (site >= TP_SITES_DENSE || s->nblocks >= TP_BLOCKS_DENSE)
		return count_hashed(s, site, bucket, count);
	octave = &s->octave[tp_sites_octaves(site) + (uint32_t)bucket / 64];
	if (!*octave) {
		while (s->nblocks + 1 >= s->room_blocks)
			if (tp_grow_lines((void **)&s->block, &s->room_blocks))
				return TP_ENOMEM;
		*octave = (uint16_t)++s->nblocks;
		memset(s->block[s->nblocks], 0, sizeof(*s->block));
	}
	here = &s->block[*octave][bucket % 64];
	count += *here;
	*here = (uint8_t)count;
	count -= *here;
	return count ? count_hashed(s, site, bucket, count) : 0;
}

void tp_site_add(struct tp_site *x, uint64_t count, int64_t total, int64_t min, int64_t max)
{
	x->count += count;
	tp_grow_by(&x->total, total);
	if (min < x->min)
		x->min = min;
	if (max > x->max)
		x->max = max;
}

static int compare_slots(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int put_sorted(struct tp_sites *s, uint64_t slot)
{
	if (tp_grow_raw(&s->sorted, &s->room_sorted, s->nsorted, sizeof(*s->sorted)))
		return TP_ENOMEM;
	s->sorted[s->nsorted++] = slot;
	return 0;
}

/* Appends the site's blocks to s->sorted, by bucket. */
static int collect_blocks(struct tp_sites *s, uint32_t site)
{
	const uint16_t *octave = &s->octave[tp_sites_octaves(site)];
	uint64_t some;

	/* Most are zero: test four octaves or eight counts at once. */
	for (uint32_t o = 0; o < TP_SITE_OCTAVES; o++) {
		const uint8_t *count = s->block[octave[o]];

		if (o % 4 == 0) {
			memcpy(&some, octave + o, sizeof(some));
			o += some ? 0 : 3;
		}
		if (!octave[o])
			continue;
		for (uint32_t i = 0; i < 64; i++) {
			uint64_t key = (uint64_t)site << BUCKET_BITS | (o * 64 + i);

			if (i % 8 == 0) {
				memcpy(&some, count + i, sizeof(some));
				i += some ? 0 : 7;
			}
			if (count[i] && put_sorted(s, key << COUNT_BITS | count[i]))
				return TP_ENOMEM;
		}
	}
	return 0;
}

/* Sorts the last n slots of s->sorted and merges a bucket's counts from blocks and hash. */
static void sort_site(struct tp_sites *s, uint32_t n)
{
	uint64_t *slot = s->sorted + s->nsorted - n, *to = slot;

	qsort(slot, n, sizeof(*slot), compare_slots);
	for (uint32_t i = 1; i < n; i++) {
		if (slot[i] >> COUNT_BITS == *to >> COUNT_BITS)
			*to += slot[i] & ((1u << COUNT_BITS) - 1);
		else
			*++to = slot[i];
	}
	s->nsorted = (uint32_t)(to + 1 - s->sorted);
}

/* Fills s->sorted with the histograms, by site and bucket. The hash, which has few entries in real
 * traces, is sorted as a whole and merged in. */
static int sort_hist(struct tp_sites *s)
{
	uint32_t nhashed = 0, next = 0;
	uint64_t *hashed = NULL;
	int code = TP_ENOMEM;

	if (s->nhist) {
		hashed = tp_many(s->nhist, sizeof(*hashed));
		if (!hashed)
			return TP_ENOMEM;
		for (uint32_t i = 0; i <= s->hist_mask; i++)
			if (s->hist[i])
				hashed[nhashed++] = s->hist[i];
		qsort(hashed, nhashed, sizeof(*hashed), compare_slots);
	}
	s->nsorted = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		struct tp_site *x = &s->site[i];
		uint32_t from = next;

		if (x->kept.data)
			continue;
		x->first_hist = s->nsorted;
		if (i < TP_SITES_DENSE && collect_blocks(s, i))
			goto done;
		while (next < nhashed && hashed[next] >> (COUNT_BITS + BUCKET_BITS) == i)
			if (put_sorted(s, hashed[next++]))
				goto done;
		if (next > from)
			sort_site(s, s->nsorted - x->first_hist);
		x->nhist = s->nsorted - x->first_hist;
	}
	code = 0;
done:
	free(hashed);
	return code;
}

static inline uint32_t slot_bucket(uint64_t slot)
{
	return (uint32_t)(slot >> COUNT_BITS) & ((1u << BUCKET_BITS) - 1);
}

static inline uint64_t slot_count(uint64_t slot)
{
	return slot & ((1u << COUNT_BITS) - 1);
}

void tp_sites_clear(struct tp_sites *s)
{
	tp_table_clear(&s->by_key);
	if (s->hist)
		memset(s->hist, 0, ((size_t)s->hist_mask + 1) * sizeof(*s->hist));
	memset(s->octave, 0, tp_sites_octaves(s->n) * sizeof(*s->octave));
	s->n = s->nhist = s->nblocks = 0;
}

void tp_sites_release(struct tp_sites *s)
{
	free(s->site);
	tp_table_release(&s->by_key);
	free(s->octave);
	free(s->block);
	free(s->hist);
	free(s->sorted);
	*s = (struct tp_sites){0};
}

/* ---- keeping ---- */

static int hold_site(struct tp_buf *held, const struct tp_sites *s, const struct tp_site *x)
{
	uint32_t last = 0, bytes;
	uint8_t *p, *hist;

	if (tp_buf_reserve(held, 9 * 10 + 4 + (size_t)x->nhist * 2 * 10))
		return TP_ENOMEM;
	p = held->data + held->size;
	p = tp_put_uvarint(p, x->entry);
	p = tp_put_uvarint(p, x->state);
	p = tp_put_uvarint(p, x->reason);
	p = tp_put_uvarint(p, x->stack);
	p = tp_put_uvarint(p, x->count);
	p = tp_put_uvarint(p, tp_zigzag(x->total));
	p = tp_put_uvarint(p, tp_zigzag(x->min));
	p = tp_put_uvarint(p, tp_zigzag(x->max));
	p = tp_put_uvarint(p, x->nhist);
	hist = p += 4;
	for (uint32_t i = 0; i < x->nhist; i++) {
		uint64_t slot = s->sorted[x->first_hist + i];

		p = tp_put_uvarint(p, slot_bucket(slot) - last);
		p = tp_put_uvarint(p, slot_count(slot));
		last = slot_bucket(slot);
	}
	held->size = (size_t)(p - held->data);
	bytes = (uint32_t)(p - hist);
	for (int i = 0; i < 4; i++)
		hist[i - 4] = (uint8_t)(bytes >> 8 * i);
	return 0;
}

int tp_site_hold(struct tp_timeline *t, struct tp_err *err)
{
	struct tp_sites *s = &t->aggregate.sites;
	struct tp_buf *held = &t->aggregate.held;

	if (sort_hist(s) || tp_buf_put_uvarint(held, t->segment) || tp_buf_put_uvarint(held, s->n))
		return tp_nomem(err);
	for (uint32_t i = 0; i < s->n; i++)
		if (hold_site(held, s, &s->site[i]))
			return tp_nomem(err);
	return 0;
}

/* ---- the end ---- */

static int count_kept(struct tp_sites *s, uint32_t site, struct tp_slice kept)
{
	struct tp_cursor in = tp_cursor(kept.data, kept.size);
	uint32_t bucket = 0;

	while (tp_cursor_left(&in)) {
		bucket += (uint32_t)tp_cursor_uvarint(&in);
		if (tp_sites_count(s, site, (int)bucket, tp_cursor_uvarint(&in)))
			return TP_ENOMEM;
	}
	return 0;
}

/* Reads one site back and adds it to s under the name of its entry function. */
static int unhold_site(struct tp_timeline *t, struct tp_cursor *in, const struct tp_trace *trace)
{
	struct tp_sites *s = &t->aggregate.sites;
	struct tp_site key = {0};
	uint32_t entry = (uint32_t)tp_cursor_uvarint(in), site, known = s->n, nhist;
	struct tp_slice kept;
	struct tp_site *x;
	uint64_t count;
	int64_t total, min, max;

	key.entry = entry & TP_SITE_OF_G ? tp_summary_name(t, entry & ~TP_SITE_OF_G)
					 : tp_name_of_stack(trace->dict, entry);
	key.state = (uint32_t)tp_cursor_uvarint(in);
	key.reason = (uint32_t)tp_cursor_uvarint(in);
	key.stack = (uint32_t)tp_cursor_uvarint(in);
	count = tp_cursor_uvarint(in);
	total = tp_unzigzag(tp_cursor_uvarint(in));
	min = tp_unzigzag(tp_cursor_uvarint(in));
	max = tp_unzigzag(tp_cursor_uvarint(in));
	nhist = (uint32_t)tp_cursor_uvarint(in);
	kept = tp_cursor_bytes(in, tp_cursor_le32(in));
	site = tp_sites_at(s, &key);
	if (site == TP_NONE)
		return TP_ENOMEM;
	x = &s->site[site];
	tp_site_add(x, count, total, min, max);
	if (site == known) {
		x->kept = kept;
		x->nhist = nhist;
		return 0;
	}
	if (x->kept.data && count_kept(s, site, x->kept))
		return TP_ENOMEM;
	x->kept = (struct tp_slice){0};
	return count_kept(s, site, kept);
}

static int put_bucket(struct tp_timeline *t, int64_t row, uint32_t bucket, uint64_t count,
		      struct tp_err *err)
{
	int64_t v[TP_MAX_COLUMNS];

	v[TP_COL(SITE_HIST, site)] = row;
	v[TP_COL(SITE_HIST, bucket)] = bucket;
	v[TP_COL(SITE_HIST, count)] = (int64_t)count;
	return tp_timeline_put(t, TP_TABLE_SITE_HIST, v, err);
}

static int put_site(struct tp_timeline *t, uint64_t segment, const struct tp_site *x, int64_t row,
		    struct tp_err *err)
{
	struct tp_cursor kept = tp_cursor(x->kept.data, x->kept.size);
	int64_t v[TP_MAX_COLUMNS];
	uint32_t bucket = 0;
	int code;

	v[TP_COL(SITE, segment)] = (int64_t)segment;
	v[TP_COL(SITE, entry)] = x->entry;
	v[TP_COL(SITE, state)] = x->state;
	v[TP_COL(SITE, reason)] = x->reason;
	v[TP_COL(SITE, stack)] = x->stack;
	v[TP_COL(SITE, count)] = (int64_t)x->count;
	v[TP_COL(SITE, total_ns)] = x->total;
	v[TP_COL(SITE, min_ns)] = x->min;
	v[TP_COL(SITE, max_ns)] = x->max;
	code = tp_timeline_put(t, TP_TABLE_SITE, v, err);
	for (uint32_t i = 0; !code && i < x->nhist; i++) {
		uint64_t slot;

		if (x->kept.data) {
			bucket += (uint32_t)tp_cursor_uvarint(&kept);
			code = put_bucket(t, row, bucket, tp_cursor_uvarint(&kept), err);
		} else {
			slot = t->aggregate.sites.sorted[x->first_hist + i];
			code = put_bucket(t, row, slot_bucket(slot), slot_count(slot), err);
		}
	}
	return code;
}

int tp_site_finish(struct tp_timeline *t, const struct tp_trace *trace, struct tp_err *err)
{
	struct tp_sites *s = &t->aggregate.sites;
	struct tp_cursor in = tp_cursor(t->aggregate.held.data, t->aggregate.held.size);
	int64_t row = 0;

	while (tp_cursor_left(&in)) {
		uint64_t segment = tp_cursor_uvarint(&in), n = tp_cursor_uvarint(&in);

		tp_sites_clear(s);
		while (n--)
			if (unhold_site(t, &in, trace))
				return tp_nomem(err);
		if (sort_hist(s))
			return tp_nomem(err);
		for (uint32_t i = 0; i < s->n; i++) {
			int code = put_site(t, segment, &s->site[i], row++, err);

			if (code)
				return code;
		}
	}
	return 0;
}
