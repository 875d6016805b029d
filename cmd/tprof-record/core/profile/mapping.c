/* Memory that the program maps itself: private or anonymous, and in use from when it may be written until it is
 * unmapped or may not be accessed at all. Memory of another kind that may become writable (mprotect) is reserved.
 *
 * What is known are sorted leaves of sorted ranges: a change moves the ranges of one leaf, or the pointers to all
 * leaves, which are few. Each range in use belongs to a bucket, which counts pages, so that a part of a mapping can
 * go alone. Neighbours of the same bucket are one range.
 *
 * A thread that waits too long takes the lock (rec_lock), so numbers are checked where they are used, and leaves are
 * never given back. */
#include "tprof-record/core/inside.h"

#include <string.h>
#include <sys/mman.h>

enum {
	MOST_LEAVES = 1 << 17,
	SPARES = 4, /* one change needs two */
	FIRST_LEAVES = 8,
};

/* A range, or what is behind the last one of a leaf. */
struct place {
	uint32_t leaf, i;
};

static struct rec_ranges *ranges(void)
{
	return &rec_state()->ranges;
}

/* Returns the range at a position, which moves to the next leaf at the end of one; NULL after the last range. */
static struct rec_range *at(struct place *p)
{
	const struct rec_ranges *r = ranges();

	if (p->leaf + 1 < r->n && p->i >= r->leaf[p->leaf]->n)
		*p = (struct place){p->leaf + 1, 0};
	return p->leaf < r->n && p->i < r->leaf[p->leaf]->n ? &r->leaf[p->leaf]->at[p->i] : NULL;
}

/* Finds the first range that ends beyond an address. */
static struct rec_range *find(uint64_t address, struct place *p)
{
	const struct rec_ranges *r = ranges();
	uint32_t low = 0, high = r->n;
	const struct rec_leaf *l;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2, n = r->leaf[mid]->n;

		if (n && r->leaf[mid]->at[n - 1].end > address)
			high = mid;
		else
			low = mid + 1;
	}
	*p = (struct place){low && low == r->n ? low - 1 : low, 0};
	if (p->leaf >= r->n)
		return NULL;
	l = r->leaf[p->leaf];
	for (low = 0, high = l->n; low < high;) {
		uint32_t mid = low + (high - low) / 2;

		if (l->at[mid].end > address)
			high = mid;
		else
			low = mid + 1;
	}
	p->i = low;
	return at(p);
}

static bool has_spares(void)
{
	struct rec_ranges *r = ranges();
	uint32_t n = r->n < FIRST_LEAVES ? FIRST_LEAVES : r->n;
	struct rec_leaf *more = NULL;

	if (r->nspares >= SPARES)
		return true;
	if (!r->leaf)
		r->leaf = rec_map(MOST_LEAVES * sizeof(*r->leaf));
	if (r->leaf && r->n + SPARES <= MOST_LEAVES)
		more = rec_map(n * sizeof(*more));
	if (!more) {
		rec_lose(REC_LOST_BLOCKS, 1);
		return false;
	}
	/* Of the others the next one follows in memory, which is not touched before it is needed. */
	more[n - 1].next = r->spare;
	r->spare = more;
	r->nspares += n;
	return true;
}

/* Adds an empty leaf. */
static struct rec_leaf *add_leaf(uint32_t where)
{
	struct rec_ranges *r = ranges();
	struct rec_leaf *l = r->spare;

	r->spare = l->next ? l->next : l + 1;
	r->nspares--;
	l->n = 0;
	memmove(r->leaf + where + 1, r->leaf + where, (r->n - where) * sizeof(*r->leaf));
	r->leaf[where] = l;
	r->n++;
	return l;
}

/* Inserts a range before that place, which is its own then. */
static void insert(struct place *p, struct rec_range range)
{
	struct rec_leaf *l = p->leaf < ranges()->n ? ranges()->leaf[p->leaf] : add_leaf(p->leaf);

	if (l->n == REC_LEAF) {
		struct rec_leaf *upper = add_leaf(p->leaf + 1);

		memcpy(upper->at, l->at + REC_LEAF / 2, sizeof(l->at) / 2);
		l->n = upper->n = REC_LEAF / 2;
		if (p->i > REC_LEAF / 2) {
			*p = (struct place){p->leaf + 1, p->i - REC_LEAF / 2};
			l = upper;
		}
	}
	if (p->i > l->n || l->n >= REC_LEAF)
		return;
	if (p->i < l->n)
		memmove(l->at + p->i + 1, l->at + p->i, (l->n - p->i) * sizeof(range));
	l->at[p->i] = range;
	l->n++;
}

static void erase(const struct place *p)
{
	struct rec_ranges *r = ranges();
	struct rec_leaf *l = r->leaf[p->leaf];

	if (p->i >= l->n || l->n > REC_LEAF)
		return;
	if (p->i + 1 < l->n)
		memmove(l->at + p->i, l->at + p->i + 1, (l->n - p->i - 1) * sizeof(*l->at));
	if (--l->n || r->n == 1)
		return;
	r->n--;
	memmove(r->leaf + p->leaf, r->leaf + p->leaf + 1, (r->n - p->leaf) * sizeof(*r->leaf));
	l->next = r->spare;
	r->spare = l;
	r->nspares++;
}

/* Makes the range there one with that before it, if they are neighbours of the same bucket. Returns whether it did;
 * the next one is there then. */
static bool join(struct place *p)
{
	const struct rec_ranges *r = ranges();
	const struct rec_range *right = at(p);
	struct rec_range *left = NULL;

	if (p->i)
		left = &r->leaf[p->leaf]->at[p->i - 1];
	else if (p->leaf && p->leaf <= r->n && r->leaf[p->leaf - 1]->n)
		left = &r->leaf[p->leaf - 1]->at[r->leaf[p->leaf - 1]->n - 1];
	if (!left || !right || left->end != right->start || left->bucket != right->bucket)
		return false;
	left->end = right->end;
	erase(p);
	return true;
}

static uint64_t pages(uint64_t size)
{
	return size / REC_PAGE;
}

static void count_gone(const struct rec_range *range, uint64_t start, uint64_t end)
{
	start = start > range->start ? start : range->start;
	end = end < range->end ? end : range->end;
	if (range->bucket && start < end)
		rec_heap_count(range->bucket, 0, pages(end - start), -(int64_t)(end - start));
}

/* Makes a range one of its bucket (0: reserved), or of none. Returns false if there is no memory for that. */
static bool replace(struct rec_range range, bool none)
{
	struct rec_range *there, rest;
	struct place p;

	if (!range.start || range.start >= range.end || !has_spares())
		return false;
	there = find(range.start, &p);
	if (there && there->start < range.start) {
		rest = *there;
		rest.start = there->end = range.start;
		p.i++;
		insert(&p, rest);
		there = at(&p);
	}
	for (; there && there->start < range.end; there = at(&p)) {
		count_gone(there, range.start, range.end);
		if (there->end > range.end) {
			there->start = range.end;
			break;
		}
		erase(&p);
	}
	if (none)
		return true;
	insert(&p, range);
	if (!join(&p))
		p.i++;
	join(&p);
	return true;
}

static void put_in_use(uint64_t start, uint64_t end, uint32_t stack)
{
	struct rec_range range = {start, end, rec_bucket_of(REC_MMAP_BUCKET, stack, end - start)};

	if (replace(range, !range.bucket) && range.bucket)
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
	struct place p;
	const struct rec_range *there = find((uintptr_t)address, &p);

	if (!there || there->start > (uintptr_t)address)
		return REC_UNUSED;
	return there->bucket ? REC_IN_USE : REC_RESERVED;
}

__attribute__((noinline)) void rec_mapping_set(const void *start, size_t size, enum rec_use use,
					       unsigned skip)
{
	struct rec_frame caller = REC_CALLER();
	uint64_t from = (uintptr_t)start, to;

	/* A call that fails, or begins in the middle of a page. */
	if (size > PTRDIFF_MAX || __builtin_add_overflow(from, rec_pages(size), &to) ||
	    from % rec_page)
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
	uint64_t from = (uintptr_t)start, to = from + rec_pages(size);
	uint32_t stack = 0;

	while (from < to) {
		struct place p;
		const struct rec_range *there = find(from, &p);
		struct rec_range part;

		if (!there || there->start >= to)
			return;
		part = *there;
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
