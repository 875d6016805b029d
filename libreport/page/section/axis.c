/* The time axis below pictures that are as wide as the page. */
#include "chart/scale.h"
#include "page/inside.h"

double page_time_x(double share, int left)
{
	return left + (PAGE_WIDTH - left - PAGE_RIGHT) * share;
}

double page_bin_x(const struct rep_bins *bins, size_t bin, int left)
{
	return page_time_x((double)bins->edge[bin] / (double)bins->edge[bins->n], left);
}

void page_time_axis(struct page *p, struct tp_buf *h, const struct rep_bins *bins, unsigned ticks,
		    int left, double y)
{
	struct rep_chart_axis axis = {.kind = p->run->row.ticks ? REP_COUNT : REP_NS};
	struct rep_scale s;

	rep_scale_init(&s, &axis, 0, (double)bins->edge[bins->n], ticks, false);
	for (size_t i = 0; i < s.nticks; i++) {
		double x = page_time_x(rep_scale_at(&s, s.ticks[i].value), left);
		bool last = x > PAGE_WIDTH - 30;

		tp_buf_text(h, "<path class=\"tick\" d=\"M");
		html_px(h, x);
		tp_buf_text(h, " ");
		html_px(h, y);
		tp_buf_text(h, "v5\"/><text x=\"");
		html_px(h, last ? PAGE_WIDTH - 2 : x);
		tp_buf_text(h, "\" y=\"");
		html_px(h, y + 17);
		tp_buf_text(h, last ? "\" text-anchor=\"end\">" : "\" text-anchor=\"middle\">");
		html_str(h, s.ticks[i].text);
		tp_buf_text(h, "</text>\n");
	}
}
