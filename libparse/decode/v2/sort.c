/* Pattern-defeating quicksort in the variant of Go's slices package (slices/zsortanyfunc.go):
 * insertion sort up to 12 entries, median of three or pseudomedian of nine, a partial insertion
 * sort where the input looks sorted, heapsort after too many bad pivots. Every comparison and swap
 * that affects the order of equal entries is done in the same sequence. */
#include "decode/v2/sort.h"

#include <stdbool.h>

#define INSERTION_MAX 12
#define NINTHER_MIN   50
#define SHIFT_MIN     50
#define SHIFTS_MAX    5
#define SWAPS_MAX     12

enum hint { HINT_NONE, HINT_RISING, HINT_FALLING };

static inline bool less(const struct tp_v2_entry *e, size_t i, size_t j)
{
	return e[i].ts < e[j].ts;
}

static inline void swap(struct tp_v2_entry *e, size_t i, size_t j)
{
	struct tp_v2_entry t = e[i];

	e[i] = e[j];
	e[j] = t;
}

static void insertion_sort(struct tp_v2_entry *e, size_t a, size_t b)
{
	for (size_t i = a + 1; i < b; i++)
		for (size_t j = i; j > a && less(e, j, j - 1); j--)
			swap(e, j, j - 1);
}

static void sift_down(struct tp_v2_entry *e, size_t root, size_t n)
{
	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && less(e, child, child + 1))
			child++;
		if (!less(e, root, child))
			return;
		swap(e, root, child);
	}
}

static void heap_sort(struct tp_v2_entry *e, size_t n)
{
	for (size_t i = (n - 1) / 2 + 1; i-- > 0;)
		sift_down(e, i, n);
	for (size_t i = n; i-- > 0;) {
		swap(e, 0, i);
		sift_down(e, 0, i);
	}
}

static size_t middle(const struct tp_v2_entry *e, size_t a, size_t b, size_t c, int *swaps)
{
	size_t t;

	if (less(e, b, a)) {
		t = a, a = b, b = t;
		++*swaps;
	}
	if (less(e, c, b)) {
		b = c;
		++*swaps;
	}
	if (less(e, b, a)) {
		b = a;
		++*swaps;
	}
	return b;
}

static size_t choose_pivot(const struct tp_v2_entry *e, size_t a, size_t b, enum hint *hint)
{
	size_t n = b - a, i = a + n / 4, j = a + n / 4 * 2, k = a + n / 4 * 3;
	int swaps = 0;

	if (n >= NINTHER_MIN) {
		i = middle(e, i - 1, i, i + 1, &swaps);
		j = middle(e, j - 1, j, j + 1, &swaps);
		k = middle(e, k - 1, k, k + 1, &swaps);
	}
	j = middle(e, i, j, k, &swaps);
	*hint = !swaps ? HINT_RISING : swaps == SWAPS_MAX ? HINT_FALLING : HINT_NONE;
	return j;
}

/* Swaps a few entries, chosen by a xorshift generator seeded with the length. */
static void break_patterns(struct tp_v2_entry *e, size_t a, size_t b)
{
	size_t n = b - a, middle_at = a + n / 4 * 2;
	uint64_t x = n, mask = 1;

	while (mask <= n)
		mask <<= 1;
	for (size_t i = middle_at - 1; i <= middle_at + 1; i++) {
		size_t other;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		other = (size_t)(x & (mask - 1));
		if (other >= n)
			other -= n;
		swap(e, i, a + other);
	}
}

static bool partly_sorted(struct tp_v2_entry *e, size_t a, size_t b)
{
	size_t i = a + 1;

	for (int n = 0; n < SHIFTS_MAX; n++) {
		while (i < b && !less(e, i, i - 1))
			i++;
		if (i == b)
			return true;
		if (b - a < SHIFT_MIN)
			return false;
		swap(e, i, i - 1);
		if (i - a >= 2)
			for (size_t j = i - 1; j >= 1 && less(e, j, j - 1); j--)
				swap(e, j, j - 1);
		if (b - i >= 2)
			for (size_t j = i + 1; j < b && less(e, j, j - 1); j++)
				swap(e, j, j - 1);
	}
	return false;
}

/* Moves entries smaller than the pivot to its left, the others to its right. Returns its new index.
 */
static size_t partition(struct tp_v2_entry *e, size_t a, size_t b, size_t pivot, bool *was)
{
	size_t i = a + 1, j = b - 1;

	swap(e, a, pivot);
	*was = true;
	for (;;) {
		while (i <= j && less(e, i, a))
			i++;
		while (i <= j && !less(e, j, a))
			j--;
		if (i > j)
			break;
		*was = false;
		swap(e, i, j);
		i++;
		j--;
	}
	swap(e, j, a);
	return j;
}

/* Moves entries equal to the pivot to the left; no entry may be smaller. Returns the index of the
 * first larger one. */
static size_t partition_equal(struct tp_v2_entry *e, size_t a, size_t b, size_t pivot)
{
	size_t i = a + 1, j = b - 1;

	swap(e, a, pivot);
	for (;;) {
		while (i <= j && !less(e, a, i))
			i++;
		while (i <= j && less(e, a, j))
			j--;
		if (i > j)
			return i;
		swap(e, i, j);
		i++;
		j--;
	}
}

struct range {
	size_t a, b;
	int limit;
	bool balanced, partitioned;
};

/* Partitions r until it is sorted or splits in two. Returns true after a split, with r the larger
 * part and *small the other. */
static bool split(struct tp_v2_entry *e, struct range *r, struct range *small)
{
	while (r->b - r->a > INSERTION_MAX) {
		size_t n = r->b - r->a, pivot, mid;
		enum hint hint;

		if (!r->limit) {
			heap_sort(e + r->a, n);
			return false;
		}
		if (!r->balanced) {
			break_patterns(e, r->a, r->b);
			r->limit--;
		}
		pivot = choose_pivot(e, r->a, r->b, &hint);
		if (hint == HINT_FALLING) {
			for (size_t i = r->a, j = r->b - 1; i < j; i++, j--)
				swap(e, i, j);
			pivot = r->b - 1 - (pivot - r->a);
			hint = HINT_RISING;
		}
		if (r->balanced && r->partitioned && hint == HINT_RISING &&
		    partly_sorted(e, r->a, r->b))
			return false;
		if (r->a > 0 && !less(e, r->a - 1, pivot)) {
			r->a = partition_equal(e, r->a, r->b, pivot);
			continue;
		}
		mid = partition(e, r->a, r->b, pivot, &r->partitioned);
		*small = (struct range){.limit = r->limit, .balanced = true, .partitioned = true};
		if (mid - r->a < r->b - mid) {
			r->balanced = mid - r->a >= n / 8;
			small->a = r->a;
			small->b = mid;
			r->a = mid + 1;
		} else {
			r->balanced = r->b - mid >= n / 8;
			small->a = mid + 1;
			small->b = r->b;
			r->b = mid;
		}
		return true;
	}
	insertion_sort(e, r->a, r->b);
	return false;
}

void tp_v2_sort(struct tp_v2_entry *e, size_t n)
{
	struct range later[64]; /* smaller parts first, so at most log2(n) parts are pending */
	struct range r = {.a = 0, .b = n, .balanced = true, .partitioned = true};
	size_t nlater = 0;

	for (size_t bits = n; bits; bits >>= 1)
		r.limit++;
	for (;;) {
		struct range small;

		if (split(e, &r, &small)) {
			later[nlater++] = r;
			r = small;
		} else if (nlater) {
			r = later[--nlater];
		} else {
			return;
		}
	}
}
