/* Memory that the program maps itself: private or anonymous, and in use from when it may be written until it is
 * unmapped or may not be accessed at all. Memory of another kind that may become writable (mprotect) is reserved.
 *
 * What is known is a sorted array of ranges. Each in use belongs to a bucket, which counts pages, so that a part of
 * a mapping can go alone. Neighbours of the same bucket are one range. */
#include "tprof-record/core/inside.h"

#include <string.h>
#include <sys/mman.h>

enum { FIRST_ROOM = 512 }; /* ranges */

static uint64_t pages(uint64_t size)
{
	return REC_PAGES(size) / REC_PAGE;
}

/* Returns the first range that ends beyond an address. The array is read into the caller's variables once, as a
 * thread that waits too long takes the lock (rec_lock). */
static uint32_t find(const struct rec_range *at, uint32_t n, uint64_t address)
{
	uint32_t low = 0, high = n;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (at[mid].end > address)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

/* Keeps the addresses of the old array, as sample.c does. */
static bool has_room(struct rec_ranges *r, uint32_t n)
{
	uint32_t room = r->room ? 2 * r->room : FIRST_ROOM;
	struct rec_range *bigger;

	if (n <= r->room)
		return true;
	bigger = room > n ? rec_map(room * sizeof(*bigger)) : NULL;
	if (!bigger) {
		rec_lose(REC_LOST_BLOCKS, 1);
		return false;
	}
	if (r->at) {
		memcpy(bigger, r->at, r->room * sizeof(*bigger));
		rec_call(SYS_madvise, (long)r->at, (long)(r->room * sizeof(*bigger)), MADV_DONTNEED,
			 0, 0, 0);
	}
	r->at = bigger;
	r->room = room;
	return true;
}

static void count_gone(const struct rec_range *range, uint64_t start, uint64_t end)
{
	start = start > range->start ? start : range->start;
	end = end < range->end ? end : range->end;
	if (range->bucket && start < end)
		rec_heap_count(range->bucket, 0, pages(end - start), -(int64_t)(end - start));
}

static uint32_t push(struct rec_range *piece, uint32_t n, struct rec_range more)
{
	if (n && piece[n - 1].end == more.start && piece[n - 1].bucket == more.bucket)
		piece[n - 1].end = more.end;
	else
		piece[n++] = more;
	return n;
}

/* Makes a range one of its bucket (0: reserved), or of none. */
static void replace(struct rec_range range, bool none)
{
	struct rec_ranges *r = &rec_state()->ranges;
	struct rec_range *at, piece[3];
	uint64_t start = range.start, end = range.end;
	uint32_t n = r->n, first, last, npieces = 0;

	if (!start || start >= end || !has_room(r, n + 2))
		return;
	at = r->at;
	/* With neighbours. */
	first = last = find(at, n, start - 1);
	for (; last < n && at[last].start <= end; last++)
		count_gone(&at[last], start, end);
	if (first < last && at[first].start < start)
		npieces = push(piece, npieces,
			       (struct rec_range){at[first].start, start, at[first].bucket});
	if (!none)
		npieces = push(piece, npieces, range);
	if (first < last && at[last - 1].end > end)
		npieces = push(piece, npieces,
			       (struct rec_range){end, at[last - 1].end, at[last - 1].bucket});
	memmove(at + first + npieces, at + last, (n - last) * sizeof(*at));
	memcpy(at + first, piece, npieces * sizeof(*at));
	r->n = n + npieces - (last - first);
}

static void put_in_use(uint64_t start, uint64_t end, uint32_t stack)
{
	struct rec_range range = {start, end, rec_bucket_of(REC_MMAP_BUCKET, stack, end - start)};

	replace(range, !range.bucket);
	if (range.bucket)
		rec_heap_count(range.bucket, pages(end - start), 0, (int64_t)(end - start));
}

bool rec_mapping_begin(void)
{
	if (!rec_enter())
		return false;
	rec_known();
	rec_lock(&rec_state()->ranges.lock);
	return true;
}

void rec_mapping_end(void)
{
	rec_unlock(&rec_state()->ranges.lock);
	rec_settle_contention();
	rec_leave();
}

enum rec_use rec_mapping_use(const void *address)
{
	const struct rec_ranges *r = &rec_state()->ranges;
	uint32_t n = r->n, i = find(r->at, n, (uintptr_t)address);

	if (i == n || r->at[i].start > (uintptr_t)address)
		return REC_UNUSED;
	return r->at[i].bucket ? REC_IN_USE : REC_RESERVED;
}

__attribute__((noinline)) void rec_mapping_set(const void *start, size_t size, enum rec_use use,
					       unsigned skip)
{
	struct rec_frame caller = REC_CALLER();
	uint64_t from = (uintptr_t)start, to;

	/* A call that fails, or begins in the middle of a page. */
	if (size > PTRDIFF_MAX || __builtin_add_overflow(from, REC_PAGES(size), &to) ||
	    from % REC_PAGE)
		return;
	if (use == REC_IN_USE)
		put_in_use(from, to, rec_stack_from(caller, skip));
	else
		replace((struct rec_range){from, to, 0}, use == REC_UNUSED);
}

__attribute__((noinline)) void rec_mapping_allow(const void *start, size_t size, bool use,
						 unsigned skip)
{
	struct rec_frame caller = REC_CALLER();
	const struct rec_ranges *r = &rec_state()->ranges;
	uint64_t from = (uintptr_t)start, to = from + REC_PAGES(size);
	uint32_t stack = 0;

	while (from < to) {
		uint32_t i = find(r->at, r->n, from);
		struct rec_range part;

		if (i >= r->n || r->at[i].start >= to)
			return;
		part = r->at[i];
		part.start = part.start > from ? part.start : from;
		from = part.end = part.end < to ? part.end : to;
		if (use && !part.bucket) {
			stack = stack ? stack : rec_stack_from(caller, skip);
			put_in_use(part.start, part.end, stack);
		} else if (!use && part.bucket) {
			part.bucket = 0;
			replace(part, false);
		}
	}
}
