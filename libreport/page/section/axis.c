/* The time below pictures that are as wide as the page. */
#include "chart/scale.h"
#include "page/inside.h"

void page_time_axis(struct page *p, struct html *h, const struct rep_bins *bins, unsigned ticks,
		    int left, double y)
{
	struct rep_chart_axis axis = {.kind = p->run->row.ticks ? REP_COUNT : REP_NS};
	struct rep_scale s;

	rep_scale_init(&s, &axis, 0, (double)bins->edge[bins->n], ticks, false);
	for (size_t i = 0; i < s.nticks; i++) {
		double x =
		    left + (PAGE_WIDTH - left - PAGE_RIGHT) * rep_scale_at(&s, s.ticks[i].value);
		bool last = x > PAGE_WIDTH - 30;

		html_put(h, "<path class=\"tick\" d=\"M");
		html_px(h, x);
		html_put(h, " ");
		html_px(h, y);
		html_put(h, "v5\"/><text x=\"");
		html_px(h, last ? PAGE_WIDTH - 2 : x);
		html_put(h, "\" y=\"");
		html_px(h, y + 17);
		html_put(h, last ? "\" text-anchor=\"end\">" : "\" text-anchor=\"middle\">");
		html_str(h, s.ticks[i].text);
		html_put(h, "</text>\n");
	}
}
