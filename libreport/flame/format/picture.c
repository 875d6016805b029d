/* The still picture: shown without scripts, on paper, and until the script has drawn its own.
 * Frames have their numbers as <title>, which browsers show and screen readers read. */
#include "flame/format/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "output/html.h"

/* Must equal the values in viewer.js. */
#define ROW	     18
#define PAD	     10
#define LETTER_WIDTH 6.62		  /* of the font at 11 px */
#define TOP(heading) ((heading) ? 62 : 4) /* above the frames: title and subtitle */
#define LINE	     16			  /* of the notes below */

/* Bytes of still frames; with everything else a file then stays below 3 MB. */
#define STILL_BUDGET ((size_t)900 << 10)
#define STILL_FRAME  190
#define STILL_WIDTH  0.5 /* pixels */

static void number(struct tp_buf *h, const char *name, double v)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%.2f", v);

	while (n > 0 && text[n - 1] == '0')
		n--;
	if (n > 0 && text[n - 1] == '.')
		n--;
	tp_buf_printf(h, " %s=\"%.*s\"", name, n, text);
}

/* Cuts a name to the given room; returns nothing if fewer than three letters would fit. */
static int cut_label(struct tp_buf *b, struct tp_text name, size_t room)
{
	static const char cut[] = "…";
	int code;

	b->size = 0;
	code = rep_flame_label(b, name.text, name.size, "", room, false);
	if (room < 3 && b->size >= strlen(cut) &&
	    !memcmp(b->data + b->size - strlen(cut), cut, strlen(cut)))
		b->size = 0;
	return code;
}

/* Returns the class of a step of a difference. */
static char *class_of_step(char class[16], const struct rep_flame_options *opt, int step)
{
	int shown = opt->negate ? -step : step;

	snprintf(class, 16, shown ? "%c%d" : "d0", shown < 0 ? 'm' : 'p', abs(shown));
	return class;
}

static const char *class_of(const struct rep_flame_job *job, const struct rep_flame_frame *f,
			    char class[16])
{
	struct tp_text shown;

	if (f->fold)
		return "fold";
	if (job->tree->opt.compared)
		return class_of_step(class, job->opt, f->step);
	if (!f->depth)
		return "all";
	shown = rep_flame_shown(job, job->tree->node[f->node].name);
	snprintf(class, 16, "c%u", rep_flame_colour(rep_flame_name(shown.text, shown.size)));
	return class;
}

static struct tp_text name_of(const struct rep_flame_job *job, const struct rep_flame_frame *f)
{
	static const struct tp_text root = {"total", 5}, fold = {"(narrower frames)", 17};

	if (f->fold)
		return fold;
	return f->depth ? rep_flame_shown(job, job->tree->node[f->node].name) : root;
}

/* Writes "main.main: 1.23s, 12.3%" or "main.main: 1s → 1.23s, +230ms". */
static void put_title(struct rep_flame_job *job, const struct rep_flame_frame *f,
		      struct tp_text name)
{
	char v[REP_FLAME_WORDS], more[REP_FLAME_WORDS], before[REP_FLAME_WORDS];
	int64_t now = f->value[REP_FLAME_NEW], old = f->value[REP_FLAME_OLD], delta;
	struct tp_buf *h = &job->out;

	tp_buf_text(h, "<title>");
	html_text(h, name.text, name.size);
	rep_flame_human(v, &job->measure, now);
	if (job->tree->opt.compared) {
		if (__builtin_sub_overflow(now, old, &delta))
			delta = now < 0 ? -INT64_MAX : INT64_MAX;
		tp_buf_printf(h, ": %s → %s, %s%s", rep_flame_human(before, &job->measure, old), v,
			      delta > 0 ? "+" : "", rep_flame_human(more, &job->measure, delta));
	} else {
		double whole = (double)rep_flame_total(job->tree, 0, REP_FLAME_NEW);

		tp_buf_printf(
		    h, ": %s, %s", v,
		    rep_flame_percent(more, whole > 0 || whole < 0 ? (double)now / whole : 0));
	}
	tp_buf_text(h, "</title>");
}

static void put_frame(struct rep_flame_job *job, const struct rep_flame_frame *f, uint32_t levels,
		      struct tp_buf *label)
{
	double x = f->x * REP_FLAME_PICTURE_WIDTH, width = f->width * REP_FLAME_PICTURE_WIDTH;
	double y = ROW * (double)(job->opt->upwards ? levels - 1 - f->depth : f->depth);
	double room = floor((width - 6) / LETTER_WIDTH);
	struct tp_text name = name_of(job, f);
	struct tp_buf *h = &job->out;
	char class[16];

	tp_buf_printf(h, "<g class=\"%s\">", class_of(job, f, class));
	put_title(job, f, name);
	tp_buf_text(h, "<rect");
	number(h, "x", x);
	number(h, "y", y);
	number(h, "width", fmax(width - (width > 2 ? 0.6 : 0), 0.3));
	number(h, "height", ROW - 1);
	if (width > 6)
		number(h, "rx", 2);
	tp_buf_text(h, "/>");
	if (room >= 2 && cut_label(label, name, (size_t)room))
		tp_buf_fail(h);
	if (room >= 2 && label->size) {
		tp_buf_text(h, "<text");
		number(h, "x", x + 3.5);
		number(h, "y", y + 12.5);
		tp_buf_text(h, ">");
		html_text(h, (char *)label->data, label->size);
		tp_buf_text(h, "</text>");
	}
	tp_buf_text(h, "</g>");
}

char *rep_flame_fold_note(char text[REP_FLAME_NOTE], const struct rep_flame_job *job,
			  const struct rep_flame_layout *l)
{
	char n[REP_FLAME_WORDS], limit[REP_FLAME_WORDS], share[REP_FLAME_WORDS],
	    held[REP_FLAME_WORDS];

	snprintf(text, REP_FLAME_NOTE,
		 "%s frame%s narrower than %s %s folded; %s hold%s %s, %s of the width.",
		 tp_fmt_count(n, (int64_t)l->folded), l->folded == 1 ? "" : "s",
		 rep_flame_percent(limit, l->limit), l->folded == 1 ? "is" : "are",
		 l->folded == 1 ? "it" : "they", l->folded == 1 ? "s" : "",
		 rep_flame_human(held, &job->measure, l->hidden),
		 rep_flame_percent(share, l->hidden_share));
	return text;
}

char *rep_flame_cut_note(char text[REP_FLAME_NOTE], const struct rep_flame_job *job)
{
	char n[REP_FLAME_WORDS];

	snprintf(text, REP_FLAME_NOTE,
		 "%s stack%s deeper than this picture (%u frames at most) and cut there.",
		 tp_fmt_count(n, (int64_t)job->tree->cut), job->tree->cut == 1 ? " is" : "s are",
		 job->tree->deepest);
	return text;
}

static void put_line(struct tp_buf *h, unsigned line, const char *before, const char *s)
{
	tp_buf_printf(h, "<text y=\"%u\">%s%s</text>", 12 + LINE * line, before, s);
}

/* Writes the scale of a difference: eleven boxes from all gone to all new. */
static void put_legend(struct tp_buf *h, const struct rep_flame_options *opt, unsigned line)
{
	unsigned y = LINE * line;
	char class[16];

	tp_buf_text(h, "<g class=\"legend\">");
	for (int s = -REP_FLAME_STEPS; s <= REP_FLAME_STEPS; s++)
		tp_buf_printf(h,
			      "<g class=\"%s\"><rect x=\"%d\" y=\"%u\" width=\"16\" "
			      "height=\"12\"/></g>",
			      class_of_step(class, opt, s), 30 + 16 * (s + REP_FLAME_STEPS), y + 2);
	tp_buf_printf(h,
		      "<text x=\"0\" y=\"%u\">less</text><text x=\"%d\" y=\"%u\">"
		      "more;  white: the change is inside the noise of the samples</text></g>",
		      y + 12, 36 + 16 * (2 * REP_FLAME_STEPS + 1), y + 12);
}

/* Writes the notes about folded frames and how to read the picture; foot_height() high. */
static void put_foot(struct rep_flame_job *job, const struct rep_flame_layout *all,
		     const struct rep_flame_layout *still, double top)
{
	const struct rep_flame_tree *t = job->tree;
	struct tp_buf *h = &job->out;
	char note[REP_FLAME_NOTE];
	unsigned line = 0;

	tp_buf_printf(h, "<g id=\"foot\" class=\"foot\" transform=\"translate(%d %.0f)\">", PAD,
		      top);
	if (t->opt.compared)
		put_legend(h, job->opt, line++);
	if (all->folded)
		put_line(h, line++, "", rep_flame_fold_note(note, job, all));
	if (t->cut)
		put_line(h, line++, "", rep_flame_cut_note(note, job));
	if (still->folded > all->folded) {
		tp_buf_text(h, "<g class=\"still\">");
		put_line(h, line, "Without scripts: ", rep_flame_fold_note(note, job, still));
		tp_buf_text(h, "</g>");
	}
	tp_buf_text(h, "</g>");
}

static double foot_height(const struct rep_flame_job *job, const struct rep_flame_layout *all,
			  const struct rep_flame_layout *still)
{
	return LINE * (double)((job->tree->opt.compared != 0) + (all->folded != 0) +
			       (job->tree->cut != 0) + (still->folded > all->folded)) +
	       8;
}

static void put_heading(struct rep_flame_job *job, double height, double foot, bool heading)
{
	const struct rep_flame_options *opt = job->opt;
	const unsigned width = REP_FLAME_PICTURE_WIDTH + 2 * PAD;
	struct tp_buf *h = &job->out;

	/* The script needs the heights above and below the frames. */
	tp_buf_printf(h,
		      "<svg id=\"flame\" viewBox=\"0 0 %u %.0f\" width=\"%u\" height=\"%.0f\" "
		      "role=\"img\" data-head=\"%d\" data-foot=\"%.0f\" "
		      "xmlns=\"http://www.w3.org/2000/svg\"><title>",
		      width, height, width, height, TOP(heading), foot);
	html_str(h, opt->title);
	tp_buf_text(h, "</title><desc>");
	html_str(h, opt->subtitle);
	tp_buf_text(h, "</desc>");
	if (!heading)
		return;
	rep_flame_put_style(job, false);
	tp_buf_printf(h,
		      "<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>"
		      "<text class=\"title\" x=\"%d\" y=\"27\">",
		      PAD);
	html_str(h, opt->title);
	tp_buf_printf(h, "</text><text class=\"sub\" x=\"%d\" y=\"47\">", PAD);
	html_str(h, opt->subtitle);
	tp_buf_text(h, "</text>");
}

int rep_flame_put_picture(struct rep_flame_job *job, bool heading,
			  const struct rep_flame_layout *all)
{
	struct rep_flame_layout_options opt = {
	    .by_name = job->opt->by_name,
	    .min_width = fmax(all->limit, STILL_WIDTH / REP_FLAME_PICTURE_WIDTH),
	    .noise = job->opt->noise,
	    .budget = job->opt->budget ? job->opt->budget / 2 : STILL_BUDGET,
	    .per_frame = STILL_FRAME,
	    .repeated = true,
	};
	struct rep_flame_layout still;
	struct tp_buf *h = &job->out, label = {0};
	double foot, below;
	int code = rep_flame_layout(job->tree, &opt, &still, job->err);

	if (!code) {
		foot = foot_height(job, all, &still);
		below = TOP(heading) + ROW * (double)still.levels;
		put_heading(job, below + foot + 10, foot, heading);
		tp_buf_printf(h,
			      "<g id=\"frames\" class=\"frames\" transform=\"translate(%d %d)\">",
			      PAD, TOP(heading));
		for (size_t i = 0; i < still.n; i++)
			put_frame(job, &still.frame[i], still.levels, &label);
		tp_buf_text(h, "</g>");
		put_foot(job, all, &still, below + 6);
	}
	rep_flame_layout_release(&still);
	tp_buf_release(&label);
	return code;
}
