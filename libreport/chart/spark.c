#include <math.h>
#include <string.h>

#include "chart/chart.h"

/* Returns the mean of the finite values of a group, NaN if there are no such values. */
static double mean(const double *y, size_t n)
{
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (!isfinite(y[i]))
			continue;
		count++;
		sum += y[i] / (double)count - sum / (double)count; /* a plain sum could overflow */
	}
	return count ? sum : NAN;
}

int rep_sparkline(struct tp_buf *out, const double *y, size_t n, unsigned columns, bool ascii)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const letters[] = {"_", ".", "-", "=", "#"};
	size_t levels = ascii ? 5 : 8, cells = n < columns ? n : columns;
	double least = NAN, most = NAN;
	int code = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < cells && !code; i++) {
			/* i * n / cells without overflow */
			size_t from = i * (n / cells) + i * (n % cells) / cells;
			size_t to = (i + 1) * (n / cells) + (i + 1) * (n % cells) / cells;
			double v = mean(y + from, to - from), at;
			size_t level;

			if (pass == 0) {
				if (isnan(least) || v < least)
					least = v;
				if (isnan(most) || v > most)
					most = v;
				continue;
			}
			if (isnan(v)) {
				code = tp_buf_put(out, " ", 1);
				continue;
			}
			/* Halves, because the difference could overflow. Equal values get the
			 * middle. */
			at = most > least ? (v / 2 - least / 2) / (most / 2 - least / 2) : 0.4;
			level = (size_t)(at * (double)levels);
			if (level >= levels)
				level = levels - 1;
			code = ascii ? tp_buf_put(out, letters[level], 1)
				     : tp_buf_put(out, blocks[level], strlen(blocks[level]));
		}
	}
	return code;
}
