/* The still picture: what is seen without scripts and on paper, and until the script has drawn its
 * own. Frames carry their numbers as <title>, which browsers show and readers read. */
#include "flame/format/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "output/ops.h"

/* Kept in step with viewer.js. */
#define ROW	     18
#define PAD	     10
#define LETTER_WIDTH 6.62 /* of the font at 11 px */
#define HEAD	     62	  /* of title and subtitle */
#define LINE	     16	  /* of the notes below */

/* Bytes of still frames: what else there is keeps a file below 3 MB. */
#define STILL_BUDGET ((size_t)900 << 10)
#define STILL_FRAME  190
#define STILL_WIDTH  0.5 /* pixels */

/* The names of attributes and elements are ours, and short. */
static void attribute(xmlTextWriterPtr w, const char *name, const char *value)
{
	xmlTextWriterWriteAttribute(w, BAD_CAST name, BAD_CAST value);
}

static void number(xmlTextWriterPtr w, const char *name, double v)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "%.2f", v);

	while (n > 0 && text[n - 1] == '0')
		text[--n] = '\0';
	if (n > 0 && text[n - 1] == '.')
		text[--n] = '\0';
	attribute(w, name, text);
}

static void start(xmlTextWriterPtr w, const char *name)
{
	xmlTextWriterStartElement(w, BAD_CAST name);
}

static void end(xmlTextWriterPtr w)
{
	xmlTextWriterEndElement(w);
}

/* What fits of a name; nothing where less than three letters of it would. */
static int put_label(struct tp_buf *b, struct tp_text name, size_t room)
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

static const char *class_of(const struct rep_flame_job *job, const struct rep_flame_frame *f,
			    char class[16])
{
	struct tp_text shown;
	int step = job->opt->negate ? -f->step : f->step;

	if (f->fold)
		return "fold";
	if (job->tree->opt.compared) {
		if (step)
			snprintf(class, 16, "%c%d", step < 0 ? 'm' : 'p', step < 0 ? -step : step);
		else
			snprintf(class, 16, "d0");
		return class;
	}
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

/* "main.main: 1.23s, 12.3%", "main.main: 1s → 1.23s, +230ms" */
static int put_title(const struct rep_flame_job *job, xmlTextWriterPtr w,
		     const struct rep_flame_frame *f, struct tp_text name, struct tp_buf *b)
{
	char v[REP_FLAME_WORDS], p[REP_FLAME_WORDS];
	int64_t now = f->value[REP_FLAME_NEW], old = f->value[REP_FLAME_OLD], delta;
	int code;

	b->size = 0;
	code = tp_buf_put(b, name.text, name.size) | rep_put(b, ": ");
	if (job->tree->opt.compared) {
		if (__builtin_sub_overflow(now, old, &delta))
			delta = now < 0 ? -INT64_MAX : INT64_MAX;
		code |= rep_put(b, rep_flame_human(v, &job->measure, old)) | rep_put(b, " → ");
		code |= rep_put(b, rep_flame_human(v, &job->measure, now)) |
			rep_put(b, delta > 0 ? ", +" : ", ");
		code |= rep_put(b, rep_flame_human(v, &job->measure, delta));
	} else {
		double whole = (double)rep_flame_total(job->tree, 0, REP_FLAME_NEW);

		code |= rep_put(b, rep_flame_human(v, &job->measure, now)) | rep_put(b, ", ");
		code |= rep_put(
		    b, rep_flame_percent(p, whole > 0 || whole < 0 ? (double)now / whole : 0));
	}
	code |= tp_buf_put(b, "", 1);
	if (!code)
		xmlTextWriterWriteElement(w, BAD_CAST "title", b->data);
	return code;
}

static int put_frame(struct rep_flame_job *job, xmlTextWriterPtr w, const struct rep_flame_frame *f,
		     uint32_t levels, struct tp_buf *b)
{
	double x = f->x * REP_FLAME_PICTURE_WIDTH, width = f->width * REP_FLAME_PICTURE_WIDTH;
	double y = ROW * (double)(job->opt->upwards ? levels - 1 - f->depth : f->depth);
	double room = floor((width - 6) / LETTER_WIDTH);
	struct tp_text name = name_of(job, f);
	char class[16];
	int code;

	start(w, "g");
	attribute(w, "class", class_of(job, f, class));
	code = put_title(job, w, f, name, b);
	start(w, "rect");
	number(w, "x", x);
	number(w, "y", y);
	number(w, "width", fmax(width - (width > 2 ? 0.6 : 0), 0.3));
	number(w, "height", ROW - 1);
	if (width > 6)
		number(w, "rx", 2);
	end(w);
	if (room >= 2 && !code) {
		code = put_label(b, name, (size_t)room) | tp_buf_put(b, "", 1);
		if (!code && b->size > 1) {
			start(w, "text");
			number(w, "x", x + 3.5);
			number(w, "y", y + 12.5);
			xmlTextWriterWriteString(w, b->data);
			end(w);
		}
	}
	end(w);
	return code;
}

int rep_flame_put_fold_note(const struct rep_flame_job *job, const struct rep_flame_layout *l,
			    struct tp_buf *out)
{
	char n[REP_FLAME_WORDS], limit[REP_FLAME_WORDS], share[REP_FLAME_WORDS],
	    held[REP_FLAME_WORDS];
	char line[4 * REP_FLAME_WORDS + 80];

	if (!l->folded)
		return 0;
	snprintf(line, sizeof(line),
		 "%s frame%s narrower than %s %s folded; %s hold%s %s, %s of the width.",
		 tp_fmt_count(n, (int64_t)l->folded), l->folded == 1 ? "" : "s",
		 rep_flame_percent(limit, l->limit), l->folded == 1 ? "is" : "are",
		 l->folded == 1 ? "it" : "they", l->folded == 1 ? "s" : "",
		 rep_flame_human(held, &job->measure, l->hidden),
		 rep_flame_percent(share, l->hidden_share));
	return rep_put(out, line);
}

static void put_line(xmlTextWriterPtr w, unsigned *line, const char *s)
{
	start(w, "text");
	number(w, "y", 12 + LINE * (double)*line);
	xmlTextWriterWriteString(w, BAD_CAST s);
	end(w);
	++*line;
}

/* The scale of a difference: eleven boxes from all gone to all new. */
static void put_legend(xmlTextWriterPtr w, const struct rep_flame_options *opt, unsigned *line)
{
	double y = LINE * (double)*line;
	char class[16];

	start(w, "g");
	attribute(w, "class", "legend");
	for (int s = -REP_FLAME_STEPS; s <= REP_FLAME_STEPS; s++) {
		int step = opt->negate ? -s : s;

		snprintf(class, sizeof(class), step ? "%c%d" : "d0", step < 0 ? 'm' : 'p',
			 step < 0 ? -step : step);
		start(w, "g");
		attribute(w, "class", class);
		start(w, "rect");
		number(w, "x", 30 + 16 * (double)(s + REP_FLAME_STEPS));
		number(w, "y", y + 2);
		number(w, "width", 16);
		number(w, "height", 12);
		end(w);
		end(w);
	}
	start(w, "text");
	number(w, "x", 0);
	number(w, "y", y + 12);
	xmlTextWriterWriteString(w, BAD_CAST "less");
	end(w);
	start(w, "text");
	number(w, "x", 36 + 16 * (2 * REP_FLAME_STEPS + 1));
	number(w, "y", y + 12);
	xmlTextWriterWriteString(w, BAD_CAST
				 "more;  white: the change is inside the noise of the samples");
	end(w);
	end(w);
	++*line;
}

/* What was left out, and how to read it: foot_height() high. */
static int put_foot(struct rep_flame_job *job, xmlTextWriterPtr w,
		    const struct rep_flame_layout *all, const struct rep_flame_layout *still,
		    double top)
{
	const struct rep_flame_tree *t = job->tree;
	struct tp_buf note = {0};
	char at[64], n[REP_FLAME_WORDS];
	unsigned line = 0;
	int code = 0;

	snprintf(at, sizeof(at), "translate(%d %.0f)", PAD, top);
	start(w, "g");
	attribute(w, "id", "foot");
	attribute(w, "class", "foot");
	attribute(w, "transform", at);
	if (t->opt.compared)
		put_legend(w, job->opt, &line);
	code |= rep_flame_put_fold_note(job, all, &note) | tp_buf_put(&note, "", 1);
	if (!code && note.size > 1)
		put_line(w, &line, (char *)note.data);
	if (t->cut) {
		note.size = 0;
		code |= tp_fmt_count(n, (int64_t)t->cut) ? rep_put(&note, n) : 0;
		code |= rep_put(&note, t->cut == 1 ? " stack is" : " stacks are");
		code |= rep_put(&note, " deeper than this picture (");
		code |= rep_put_int(&note, t->deepest) |
			rep_put(&note, " frames at most) and cut there.");
		code |= tp_buf_put(&note, "", 1);
		if (!code)
			put_line(w, &line, (char *)note.data);
	}
	if (still->folded > all->folded) {
		note.size = 0;
		code |= rep_flame_put_fold_note(job, still, &note) | tp_buf_put(&note, "", 1);
		if (!code) {
			start(w, "g");
			attribute(w, "class", "still");
			start(w, "text");
			number(w, "y", 12 + LINE * (double)line);
			xmlTextWriterWriteString(w, BAD_CAST "Without scripts: ");
			xmlTextWriterWriteString(w, note.data);
			end(w);
			end(w);
		}
	}
	end(w);
	tp_buf_release(&note);
	return code;
}

static int put_heading(struct rep_flame_job *job, xmlTextWriterPtr w)
{
	const struct rep_flame_options *opt = job->opt;
	int code = 0;

	start(w, "text");
	attribute(w, "class", "title");
	number(w, "x", PAD);
	number(w, "y", 27);
	code |= rep_flame_put_text(w, opt->title);
	end(w);
	start(w, "text");
	attribute(w, "class", "sub");
	number(w, "x", PAD);
	number(w, "y", 47);
	code |= rep_flame_put_text(w, opt->subtitle);
	end(w);
	return code;
}

static double foot_height(const struct rep_flame_job *job, const struct rep_flame_layout *all,
			  const struct rep_flame_layout *still)
{
	return LINE * (double)((job->tree->opt.compared != 0) + (all->folded != 0) +
			       (job->tree->cut != 0) + (still->folded > all->folded)) +
	       8;
}

int rep_flame_put_picture(struct rep_flame_job *job, xmlTextWriterPtr w, bool heading,
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
	struct tp_buf b = {0};
	double top = heading ? HEAD : 4, height, foot;
	char box[96];
	int code = rep_flame_layout(job->tree, &opt, &still, job->err);

	if (code) {
		rep_flame_layout_release(&still);
		return code;
	}
	foot = foot_height(job, all, &still);
	height = top + ROW * (double)still.levels + foot + 10;
	snprintf(box, sizeof(box), "0 0 %d %.0f", REP_FLAME_PICTURE_WIDTH + 2 * PAD, height);
	xmlTextWriterStartElementNS(w, NULL, BAD_CAST "svg", BAD_CAST "http://www.w3.org/2000/svg");
	attribute(w, "id", "flame");
	attribute(w, "viewBox", box);
	number(w, "width", REP_FLAME_PICTURE_WIDTH + 2 * PAD);
	number(w, "height", height);
	attribute(w, "role", "img");
	/* The script needs to know what is above and below the frames. */
	number(w, "data-head", top);
	number(w, "data-foot", foot);
	start(w, "title");
	code |= rep_flame_put_text(w, job->opt->title);
	end(w);
	start(w, "desc");
	code |= rep_flame_put_text(w, job->opt->subtitle);
	end(w);
	if (heading) {
		code |= rep_flame_put_style(job, w, false);
		start(w, "rect");
		attribute(w, "class", "page");
		attribute(w, "width", "100%");
		attribute(w, "height", "100%");
		end(w);
		code |= put_heading(job, w);
	}
	snprintf(box, sizeof(box), "translate(%d %.0f)", PAD, top);
	start(w, "g");
	attribute(w, "id", "frames");
	attribute(w, "class", "frames");
	attribute(w, "transform", box);
	for (size_t i = 0; i < still.n && !code; i++)
		code = put_frame(job, w, &still.frame[i], still.levels, &b);
	end(w);
	if (!code)
		code = put_foot(job, w, all, &still, top + ROW * (double)still.levels + 6);
	rep_flame_layout_release(&still);
	tp_buf_release(&b);
	return code ? tp_nomem(job->err) : 0;
}
