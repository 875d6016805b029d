/* --format=text: an icicle or a flame in the cells of a terminal, one line per level. With colours
 * a frame is a bar; without them its left edge is drawn. */
#include "base/many.h"
#include "flame/format/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/ops.h"

/* The terminal's 256 colours nearest to the hues of palette.c; text on them is black. */
/* clang-format off */
static const uint8_t hues[][REP_FLAME_SHADES] = {
    {217, 217, 217}, {216, 217, 223}, {216, 216, 223}, {180, 222, 222}, {180, 186, 222},
    {186, 186, 186}, {150, 151, 151}, {115, 115, 157}, {116, 116, 122}, {80, 116, 123},
    {117, 117, 117}, {117, 117, 153}, {153, 153, 153}, {147, 189, 189}, {183, 183, 189},
    {182, 218, 219}, {250, 251, 252},
};
static const uint8_t more[REP_FLAME_STEPS] = {224, 217, 210, 203, 167};
static const uint8_t less[REP_FLAME_STEPS] = {189, 153, 111, 75, 68};
/* clang-format on */
#define WHITE 255
#define GREY  247

struct row {
	struct rep_flame_job *job;
	struct tp_buf *out, label;
	uint32_t width, cell; /* cells of a line, and cells written so far */
};

static unsigned colour_of(const struct rep_flame_job *job, const struct rep_flame_frame *f,
			  struct tp_text name)
{
	int step = job->opt->negate ? -f->step : f->step;
	struct rep_flame_name n;

	if (f->fold)
		return GREY;
	if (job->tree->opt.compared)
		return !step ? WHITE : step > 0 ? more[step - 1] : less[-step - 1];
	if (!f->depth)
		return hues[REP_FLAME_GREY][2];
	n = rep_flame_name(name.text, name.size);
	return hues[n.hue][n.shade];
}

static void put_blanks(struct row *r, size_t n)
{
	tp_buf_printf(r->out, "%*s", (int)n, "");
}

static void put_frame(struct row *r, const struct rep_flame_frame *f, bool touches)
{
	static const struct tp_text root = {"total", 5}, fold = {"...", 3};
	const struct rep_flame_options *opt = r->job->opt;
	uint32_t first = (uint32_t)lround(f->x * r->width);
	uint32_t last = (uint32_t)lround((f->x + f->width) * r->width), cells;
	struct tp_text name = f->fold	 ? fold
			      : f->depth ? rep_flame_shown(r->job, r->job->tree->node[f->node].name)
					 : root;
	char share[REP_FLAME_WORDS];
	size_t room;

	if (first < r->cell)
		first = r->cell;
	if (last > r->width)
		last = r->width;
	if (last <= first)
		return;
	cells = last - first;
	put_blanks(r, first - r->cell);
	r->cell = last;
	if (opt->colour) {
		/* Leave a gap to the right if there is room for one. */
		room = cells > 2 ? cells - 1 : cells;
		tp_buf_printf(r->out, "\x1b[48;5;%um\x1b[38;5;16m", colour_of(r->job, f, name));
	} else {
		room = cells - 1;
		tp_buf_text(r->out, opt->ascii ? "|" : "│");
	}
	/* "main.main 12.3%", the name alone, or the part that fits. */
	r->label.size = 0;
	if (room >= 3 && rep_flame_label(&r->label, name.text, name.size,
					 rep_flame_percent(share, f->width), room, opt->ascii))
		tp_buf_fail(r->out);
	tp_buf_put(r->out, r->label.data, r->label.size);
	put_blanks(r, room - rep_text_width((char *)r->label.data, r->label.size));
	if (opt->colour) {
		tp_buf_text(r->out, "\x1b[0m");
		put_blanks(r, cells - room);
	} else if (!touches && last < r->width) {
		/* The right edge takes an empty cell. */
		tp_buf_text(r->out, opt->ascii ? "|" : "│");
		r->cell++;
	}
}

/* Writes the frames of a level, which are in the order of the list, from left to right. */
static void put_level(struct row *r, const struct rep_flame_layout *l, const size_t *first,
		      const size_t *next, uint32_t level)
{
	r->cell = 0;
	for (size_t i = first[level]; i != SIZE_MAX; i = next[i]) {
		const struct rep_flame_frame *f = &l->frame[i];
		size_t n = next[i];
		bool touches = n != SIZE_MAX && lround(l->frame[n].x * r->width) <=
						    lround((f->x + f->width) * r->width);

		put_frame(r, f, touches);
	}
	if (tp_buf_text(r->out, ""))
		return;
	while (r->out->size && r->out->data[r->out->size - 1] == ' ')
		r->out->size--;
	tp_buf_text(r->out, "\n");
}

static int put_levels(struct row *r, const struct rep_flame_layout *l)
{
	size_t *first = tp_many(l->levels, sizeof(*first)), *next = tp_many(l->n, sizeof(*next));
	int code = first && next ? 0 : tp_nomem(r->job->err);

	for (uint32_t i = 0; i < l->levels && !code; i++)
		first[i] = SIZE_MAX;
	for (size_t i = l->n; i-- > 0 && !code;) {
		next[i] = first[l->frame[i].depth];
		first[l->frame[i].depth] = i;
	}
	for (uint32_t i = 0; i < l->levels && !code; i++) {
		put_level(r, l, first, next, r->job->opt->upwards ? l->levels - 1 - i : i);
		code = rep_flame_flush(r->job, (size_t)64 << 10);
	}
	free(first);
	free(next);
	return code;
}

static void put_heading(struct row *r, const char *text, const char *style)
{
	bool colour = r->job->opt->colour;
	struct tp_buf line = {0};

	if (!*text)
		return;
	if (colour)
		tp_buf_text(r->out, style);
	if (rep_escape(&line, text, strlen(text), REP_ESCAPE_SHOWN))
		tp_buf_fail(r->out);
	else
		rep_put_wrapped(r->out, (char *)line.data, line.size, r->width);
	tp_buf_release(&line);
	tp_buf_text(r->out, colour ? "\x1b[0m\n" : "\n");
}

int rep_flame_write_text(struct rep_flame_job *job)
{
	struct row r = {
	    .job = job, .out = &job->out, .width = job->opt->width ? job->opt->width : 80};
	struct rep_flame_layout_options opt = {
	    .by_name = job->opt->by_name,
	    .min_width = fmax(job->opt->min_width, 1.0 / r.width),
	    .noise = job->opt->noise,
	};
	struct rep_flame_layout l;
	char note[REP_FLAME_NOTE];
	int code = rep_flame_layout(job->tree, &opt, &l, job->err);

	if (!code) {
		put_heading(&r, job->opt->title, "\x1b[1m");
		put_heading(&r, job->opt->subtitle, "\x1b[2m");
		tp_buf_text(r.out, "\n");
		code = put_levels(&r, &l);
	}
	if (!code && l.folded) {
		tp_buf_text(r.out, "\n");
		put_heading(&r, rep_flame_fold_note(note, job, &l), "\x1b[2m");
	}
	rep_flame_layout_release(&l);
	tp_buf_release(&r.label);
	return code;
}
