#include "time/bins.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/search.h"

int rep_bins_room(struct rep_bins *b, size_t n)
{
	b->n = n;
	b->edge = calloc(n + 1, sizeof(*b->edge));
	return b->edge ? 0 : TP_ENOMEM;
}

int rep_bins_even(struct rep_bins *b, int64_t from, int64_t to, size_t n)
{
	/* Times of a damaged clock may span all 64 bits. */
	double length = to > from ? (double)((uint64_t)to - (uint64_t)from) : 0;

	if (length < (double)n)
		n = length > 0 ? (size_t)length : 1;
	if (rep_bins_room(b, n))
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		b->edge[i] = (int64_t)((uint64_t)from + (uint64_t)(length * (double)i / (double)n));
	b->edge[n] = to > from ? to : from;
	return 0;
}

void rep_bins_release(struct rep_bins *b)
{
	free(b->edge);
	*b = (struct rep_bins){0};
}

int rep_binned_init(struct rep_binned *s, const struct rep_bins *b)
{
	s->ns = calloc(b->n, sizeof(*s->ns));
	s->full = calloc(b->n + 1, sizeof(*s->full));
	return s->ns && s->full ? 0 : TP_ENOMEM;
}

void rep_binned_release(struct rep_binned *s)
{
	free(s->ns);
	free(s->full);
	*s = (struct rep_binned){0};
}

size_t rep_bin_of(const struct rep_bins *b, int64_t ns)
{
	size_t next = 1;

	TP_SEARCH(next, b->n, i, b->edge[i] <= ns);
	return next - 1;
}

/* Adds only the first and last bin; rep_binned_finish fills in the bins between. */
void rep_binned_add(const struct rep_bins *b, struct rep_binned *s, int64_t start, int64_t end)
{
	size_t first, last;

	if (start < b->edge[0])
		start = b->edge[0];
	if (end > b->edge[b->n])
		end = b->edge[b->n];
	if (start >= end)
		return;
	first = rep_bin_of(b, start);
	last = rep_bin_of(b, end - 1);
	if (first == last) {
		s->ns[first] += (double)(end - start);
		return;
	}
	s->ns[first] += (double)(b->edge[first + 1] - start);
	s->ns[last] += (double)(end - b->edge[last]);
	s->full[first + 1]++;
	s->full[last]--;
}

void rep_binned_finish(const struct rep_bins *b, struct rep_binned *s)
{
	double cover = 0;

	for (size_t i = 0; i < b->n; i++) {
		cover += s->full[i];
		s->ns[i] += cover * (double)(b->edge[i + 1] - b->edge[i]);
	}
}

double rep_binned_means(const struct rep_bins *b, const struct rep_binned *s, size_t n, size_t from,
			size_t to)
{
	int64_t width = b->edge[to] - b->edge[from];
	double ns = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t bin = from; bin < to; bin++)
			ns += s[i].ns[bin];
	return width > 0 ? ns / (double)width : NAN;
}

double rep_binned_mean(const struct rep_bins *b, const struct rep_binned *s, size_t bin)
{
	return rep_binned_means(b, s, 1, bin, bin + 1);
}
