/* The utilisation heat map. It has a column for each bin and a row for each P, or for several
 * adjacent Ps if there are more than MOST; the rows above them are the collector's mark phases and
 * the stops of the world, if there is a collector. To keep the map small, each shade is one path. An
 * attribute holds the shares, which the script shows for the cell under the pointer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "mmu/utilisation.h"
#include "page/inside.h"

#define LEFT   64
#define TOP    4
#define SHADES 10  /* besides 0, which is not drawn */
#define MOST   128 /* limit on rows of Ps */
#define EXTRA  2   /* rows above them, if there is a collector */
#define GAP    6   /* between the two groups of rows */

struct map {
	size_t extra;	   /* rows above those of Ps: EXTRA or 0 */
	size_t rows, bins; /* rows include the extra ones */
	size_t per_row;	   /* Ps in a row */
	double height;	   /* of a row */
	double *share;	   /* row by row; NaN: unknown */
};

static double row_y(const struct map *m, size_t row)
{
	return TOP + (double)row * m->height + (row >= m->extra ? GAP : 0);
}

static int fill(struct map *m, const struct rep_time *t)
{
	m->bins = t->fine.n;
	m->per_row = (t->nprocs + MOST - 1) / MOST;
	m->rows = m->extra + (t->nprocs + m->per_row - 1) / m->per_row;
	m->height = t->nprocs <= 16 ? 18 : t->nprocs <= 48 ? 12 : 7;
	m->share = calloc(m->rows * m->bins, sizeof(*m->share));
	if (!m->share)
		return TP_ENOMEM;
	for (size_t bin = 0; bin < m->bins; bin++) {
		if (m->extra) {
			m->share[bin] = fmin(rep_binned_mean(&t->fine, &t->mark, bin), 1);
			m->share[m->bins + bin] = fmin(rep_binned_mean(&t->fine, &t->stw, bin), 1);
		}
		for (size_t row = m->extra; row < m->rows; row++) {
			size_t first = (row - m->extra) * m->per_row, left = t->nprocs - first;
			size_t n = left < m->per_row ? left : m->per_row;

			m->share[row * m->bins + bin] =
			    rep_binned_means(&t->fine, &t->proc[first], n, bin, bin + 1) /
			    (double)n;
		}
	}
	return 0;
}

/* Returns the shade of a share: 0 for 0; every larger share has a shade, however pale. */
static int shade(double share)
{
	if (!(share > 0))
		return 0;
	return share >= 1 ? SHADES : 1 + (int)(share * SHADES * 0.9999);
}

static void write_shade(struct tp_buf *h, const struct map *m, const struct rep_bins *b, int which)
{
	bool begun = false;

	for (size_t row = 0; row < m->rows; row++) {
		for (size_t bin = 0, end; bin < m->bins; bin = end) {
			double x = page_bin_x(b, bin, LEFT), width;

			end = bin + 1;
			if (shade(m->share[row * m->bins + bin]) != which)
				continue;
			while (end < m->bins && shade(m->share[row * m->bins + end]) == which)
				end++;
			width = page_bin_x(b, end, LEFT) - x;
			if (!begun)
				tp_buf_printf(h, "<path class=\"h%d\" d=\"", which);
			begun = true;
			tp_buf_text(h, "M");
			html_px(h, x);
			tp_buf_text(h, " ");
			html_px(h, row_y(m, row));
			tp_buf_text(h, "h");
			html_px(h, width);
			tp_buf_text(h, "v");
			html_px(h, m->height - 1);
			tp_buf_text(h, "h");
			html_px(h, -width);
			tp_buf_text(h, "z");
		}
	}
	if (begun)
		tp_buf_text(h, "\"/>\n");
}

static void row_name(char text[64], const struct page *p, const struct map *m, size_t row)
{
	const int64_t *id = p->time.proc_id;
	size_t first = (row - m->extra) * m->per_row, last = first + m->per_row - 1;

	if (last >= p->time.nprocs)
		last = p->time.nprocs - 1;
	if (row < m->extra)
		snprintf(text, 64, "%s", row ? "STW" : "GC mark");
	else if (first == last)
		snprintf(text, 64, "P %lld", (long long)id[first]);
	else
		snprintf(text, 64, "P %lld…%lld", (long long)id[first], (long long)id[last]);
}

static void write_names(struct page *p, struct tp_buf *h, const struct map *m)
{
	size_t every = (size_t)ceil(12 / m->height);

	for (size_t row = 0; row < m->rows; row++) {
		char text[64];

		if (row >= m->extra && (row - m->extra) % every)
			continue;
		row_name(text, p, m, row);
		tp_buf_printf(h, "<text x=\"%d\" y=\"", LEFT - 6);
		html_px(h, row_y(m, row) + m->height / 2 + 3.5);
		tp_buf_text(h, "\" text-anchor=\"end\">");
		html_str(h, text);
		tp_buf_text(h, "</text>\n");
	}
}

/* Writes two hexadecimal digits for each cell: its share in 250ths, or ff if it is unknown. */
static void write_shares(struct tp_buf *h, const struct map *m)
{
	tp_buf_text(h, " data-shares=\"");
	for (size_t i = 0; i < m->rows * m->bins; i++) {
		double share = m->share[i];

		tp_buf_printf(h, "%02x",
			      isnan(share) ? 255u
					   : (unsigned)lround(fmin(fmax(share, 0), 1) * 250));
	}
	tp_buf_text(h, "\"");
}

static void write_map(struct page *p, struct tp_buf *h, const struct map *m)
{
	double bottom = row_y(m, m->rows);
	struct tp_buf command = {0};

	if (page_command_text(p, &command, "tprof-top", "overview"))
		tp_buf_fail(h);
	tp_buf_printf(
	    h,
	    "<figure class=\"wide\"><svg class=\"heat\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
	    "height=\"%.0f\" role=\"img\" aria-label=\"Utilisation of each P over time\" "
	    "data-left=\"%d\" data-right=\"%d\" data-top=\"%d\" data-row=\"%.0f\" "
	    "data-gap=\"%d\" data-extra=\"%zu\" data-rows=\"%zu\" data-bins=\"%zu\" "
	    "data-ns=\"%lld\" data-ticks=\"%d\"",
	    PAGE_WIDTH, bottom + 24, PAGE_WIDTH, bottom + 24, LEFT, PAGE_WIDTH - PAGE_RIGHT, TOP,
	    m->height, GAP, m->extra, m->rows, m->bins,
	    (long long)p->time.fine.edge[p->time.fine.n], p->run->row.ticks ? 1 : 0);
	tp_buf_text(h, " data-command=\"");
	html_text(h, command.data ? (char *)command.data : "", command.size);
	tp_buf_text(h, "\" data-names=\"");
	for (size_t row = 0; row < m->rows; row++) {
		char text[64];

		row_name(text, p, m, row);
		tp_buf_text(h, row ? "|" : "");
		html_str(h, text);
	}
	tp_buf_text(h, "\"");
	write_shares(h, m);
	tp_buf_text(h, ">\n");
	if (m->extra)
		tp_buf_printf(
		    h, "<rect class=\"ground\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%.0f\"/>\n",
		    LEFT, TOP, PAGE_WIDTH - LEFT - PAGE_RIGHT, m->height * (double)m->extra - 1);
	tp_buf_printf(h,
		      "<rect class=\"ground\" x=\"%d\" y=\"%.0f\" width=\"%d\" height=\"%.0f\"/>\n",
		      LEFT, row_y(m, m->extra), PAGE_WIDTH - LEFT - PAGE_RIGHT,
		      m->height * (double)(m->rows - m->extra) - 1);
	for (int s = 1; s <= SHADES; s++)
		write_shade(h, m, &p->time.fine, s);
	write_names(p, h, m);
	page_time_axis(p, h, &p->time.fine, 10, LEFT, bottom + 1);
	tp_buf_text(h, "</svg></figure>\n");
	tp_buf_release(&command);
}

static void write_legend(struct tp_buf *h)
{
	tp_buf_text(
	    h, "<p class=\"note legend\">A P is busy while a thread holds it: <span>0 %</span>");
	tp_buf_text(h, "<svg class=\"heat\" width=\"132\" height=\"12\" viewBox=\"0 0 132 12\" "
		       "aria-hidden=\"true\"><path class=\"ground\" d=\"M0 0h12v12h-12z\"/>");
	for (int s = 1; s <= SHADES; s++)
		tp_buf_printf(h, "<path class=\"h%d\" d=\"M%d 0h12v12h-12z\"/>", s, 12 * s);
	tp_buf_text(h, "</svg><span>100 %</span></p>\n");
}

int page_heat(struct page *p, struct tp_buf *h, struct tp_err *err)
{
	struct map m = {.extra = rep_gc_has_none(&p->run->row) ? 0 : EXTRA};

	if (!p->time.nprocs)
		return 0;
	if (fill(&m, &p->time)) {
		free(m.share);
		return tp_nomem(err);
	}
	write_map(p, h, &m);
	tp_buf_text(h, "<p class=\"readout\" role=\"status\" hidden></p>\n");
	write_legend(h);
	free(m.share);
	return 0;
}
