/* Small charts over time, and one of mutator utilisation by window, drawn by libreport/chart. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart/chart.h"
#include "output/ops.h"
#include "tprof-tui/view/overview/inside.h"

enum { CHART_PROCS, CHART_GOROUTINES, CHART_HEAP, CHART_MMU };

static const struct {
	const char *report; /* Enter opens it */
	enum ov_piece piece;
} charts[] = {
    [CHART_PROCS] = {"procs", OV_PICTURE},
    [CHART_GOROUTINES] = {"goroutines", OV_PICTURE},
    [CHART_HEAP] = {"heap", OV_PICTURE},
    [CHART_MMU] = {"mmu", OV_MMU},
};

struct plan {
	struct rep_chart chart;
	struct rep_chart_line line[2];
	struct rep_time_curve own; /* points made for this drawing */
};

/* Plans a step curve of the bins' means, for n series together. */
static void plan_bins(struct plan *p, const struct rep_bins *b, const struct rep_binned *s,
		      size_t n, const char *name)
{
	if (!b->n || !n || !s[0].ns || rep_time_steps(&p->own, b, s, n, b->n))
		return;
	p->line[0] = (struct rep_chart_line){
	    .name = name, .x = p->own.x, .y = p->own.y, .n = p->own.n, .steps = true};
	p->chart.nlines = 1;
}

static void plan_mmu(struct plan *p, const struct overview *o)
{
	const struct rep_sheet *s = ov_sheet(o, OV_MMU);

	if (!s || !s->nrows)
		return;
	p->own.x = calloc(s->nrows, sizeof(*p->own.x));
	p->own.y = calloc(s->nrows, sizeof(*p->own.y));
	if (!p->own.x || !p->own.y)
		return;
	for (size_t i = 0; i < s->nrows; i++) {
		const struct rep_value *w = ov_cell(o, OV_MMU, i, "window_ns");
		const struct rep_value *u = ov_cell(o, OV_MMU, i, "mmu");

		if (!w || !u || w->type != REP_TYPE_INT || u->type != REP_TYPE_FLOAT ||
		    (p->own.n && (double)w->i < p->own.x[p->own.n - 1]))
			continue;
		p->own.x[p->own.n] = (double)w->i;
		p->own.y[p->own.n++] = u->f;
	}
	p->line[0] =
	    (struct rep_chart_line){.name = "MMU", .x = p->own.x, .y = p->own.y, .n = p->own.n};
	p->chart.nlines = p->own.n > 1;
	p->chart.x.logarithmic = true;
	p->chart.x.from = p->chart.x.to = 0;
	p->chart.y = (struct rep_chart_axis){.kind = REP_SHARE, .from = 0, .to = 1};
}

/* Plans a chart. If the plan has no lines, nothing can be drawn. The caller releases p->own in every
 * case. */
static void plan(struct plan *p, const struct overview *o, const struct ov_section *s)
{
	const struct ov_result *r = &o->result[OV_PICTURE];
	const struct rep_bins *b = &r->time.fine;

	*p = (struct plan){.chart = {.title = s->title, .lines = p->line}};
	p->chart.x.kind = o->view->select.run->row.ticks ? REP_COUNT : REP_NS;
	if (b->n) {
		p->chart.x.from = (double)b->edge[0];
		p->chart.x.to = (double)b->edge[b->n];
	}
	p->chart.y = (struct rep_chart_axis){.kind = REP_FLOAT, .from_zero = true};
	switch (s->which) {
	case CHART_PROCS:
		plan_bins(p, b, r->time.proc, r->time.nprocs, "busy Ps");
		p->chart.y.to = (double)r->time.nprocs;
		break;
	case CHART_GOROUTINES:
		plan_bins(p, b, &r->time.alive, 1, "goroutines");
		break;
	case CHART_HEAP:
		p->chart.y.kind = REP_BYTES;
		if (r->heap.n)
			p->line[p->chart.nlines++] = (struct rep_chart_line){
			    .name = "heap", .x = r->heap.x, .y = r->heap.y, .n = r->heap.n};
		if (r->goal.n)
			p->line[p->chart.nlines++] = (struct rep_chart_line){.name = "goal",
									     .x = r->goal.x,
									     .y = r->goal.y,
									     .n = r->goal.n,
									     .steps = true};
		break;
	default:
		plan_mmu(p, o);
		break;
	}
}

static void height(const struct overview *o, const struct ov_section *s, int cols, int *least,
		   int *most)
{
	(void)o;
	(void)s;
	(void)cols;
	*least = 8;
	*most = 14;
}

static void draw(struct overview *o, struct ov_section *s, struct tui_area a, bool here)
{
	const struct tui_rows *piece = &o->piece[charts[s->which].piece];
	struct tp_buf text = {0};
	struct plan p;
	struct tp_err err;

	ov_title(&a, s->title, here, "");
	a.row++;
	a.rows--;
	plan(&p, o, s);
	p.chart.title = NULL;
	if (p.chart.nlines == 1)
		p.line[0].name = NULL;
	if (piece->error) {
		tui_say(a.row, a.col, a.cols, TUI_STYLE_ERROR, piece->error);
	} else if (!p.chart.nlines) {
		tui_say(a.row, a.col, a.cols, TUI_STYLE_DIM,
			piece->done ? "the trace has no data on this" : "reading the values...");
	} else if (a.rows >= 6 && a.cols >= 30) {
		const struct rep_chart_terminal t = {.columns = (unsigned)a.cols - 1,
						     .rows = (unsigned)a.rows,
						     .ascii = tui_screen_ascii(),
						     .sink = rep_sink_buf(&text)};

		if (!rep_chart_terminal(&p.chart, &t, &err))
			tui_draw_lines(a, (const char *)text.data, text.size);
	} else {
		double *y = (double *)(uintptr_t)p.line[0].y;

		if (!rep_sparkline(&text, y, p.line[0].n, (unsigned)(a.cols > 1 ? a.cols - 1 : 1),
				   tui_screen_ascii()))
			tui_draw_lines(a, (const char *)text.data, text.size);
	}
	tp_buf_release(&text);
	rep_time_curve_release(&p.own);
}

static bool act(struct tui_view *v, struct ov_section *s, enum tui_action action)
{
	if (action != TUI_DO_ENTER)
		return false;
	ov_open_at(v, "top", charts[s->which].report, INT64_MIN);
	return true;
}

static int yank(struct overview *o, struct ov_section *s, bool all, struct tp_buf *out)
{
	struct plan p;

	(void)all;
	plan(&p, o, s);
	for (size_t l = 0; l < p.chart.nlines; l++)
		for (size_t i = 0; i < p.line[l].n; i++) {
			tp_buf_printf(out, "%s\t", p.line[l].name);
			rep_put_double(out, p.line[l].x[i]);
			tp_buf_text(out, "\t");
			if (isfinite(p.line[l].y[i]))
				rep_put_double(out, p.line[l].y[i]);
			tp_buf_text(out, "\n");
		}
	rep_time_curve_release(&p.own);
	return tp_buf_text(out, "");
}

int ov_chart_save(const struct overview *o, const struct ov_section *s, const struct rep_sink *sink,
		  struct tp_err *err)
{
	struct plan p;
	int code;

	plan(&p, o, s);
	code = rep_chart_svg(&p.chart, 800, 300, *sink, err);
	rep_time_curve_release(&p.own);
	return code;
}

const struct ov_section_ops ov_chart = {.height = height, .draw = draw, .act = act, .yank = yank};
