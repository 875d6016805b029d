/* Flame graphs: a tree of stacks (tree.h) as a picture, a page, or text.
 *
 *	struct rep_flame_source source = {.profile = profile, .type = 0, .ratio = 1};
 *	struct rep_flame_options opt = REP_FLAME_OPTIONS_INIT;
 *	struct rep_flame_tree tree;
 *
 *	code = rep_flame_tree_init(&tree, &tree_options, &err);
 *	code = rep_flame_tree_add(&tree, &source, REP_FLAME_NEW, &err);
 *	code = rep_flame_tree_sum(&tree, &err);
 *	opt.type = "cpu", opt.unit = "nanoseconds", opt.title = "CPU time";
 *	code = rep_flame_write(&tree, REP_FLAME_SVG, &opt, &sink, &err);
 *	rep_flame_tree_release(&tree);
 *
 * The same tree and options give the same bytes. Names are escaped (text.h). SVG and HTML files are
 * self-contained: they load nothing. Without scripts, and on paper, they show a still picture. */
#ifndef REP_FLAME_H
#define REP_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "flame/change.h"
#include "flame/tree.h"
#include "output/output.h"
#include "profile/noise.h"

enum rep_flame_format {
	REP_FLAME_SVG,
	REP_FLAME_HTML,
	REP_FLAME_TEXT,
	REP_FLAME_FOLDED,
	REP_FLAME_SPEEDSCOPE,
	REP_FLAME_FRAMES,
	REP_FLAME_NFORMATS
};

/* For --format, help and completions; `ending` is that of file names. */
extern const struct rep_flame_format_desc {
	const char *name, *ending, *doc;
} rep_flame_formats[REP_FLAME_NFORMATS];

struct rep_flame_options {
	const char *title;	 /* "" for no title */
	const char *subtitle;	 /* a line below the title; "" for no line */
	const char *type, *unit; /* of the sample type: "cpu", "nanoseconds" */
	bool upwards;		 /* the root at the bottom: a flame; else an icicle */
	bool by_name;		 /* siblings by name, not the widest first */
	bool negate;		 /* of a difference: more is blue, less is red */
	double min_width; /* share of the picture below which frames are folded; negative: chosen
			     so that the file stays small */
	double noise;	  /* of a difference: standard errors that a change must exceed */
	size_t budget;	  /* bytes for the frames if min_width is negative, and half as many for
			     the still picture; 0: the default of a file */
	/* HTML only: for the srcdoc of an <iframe> in a page that has the text of
	 * rep_flame_script() in an element with the id "flame-script". */
	bool inside;
	/* text only */
	unsigned width; /* cells, 0: 80 */
	bool colour, ascii;
};

#define REP_FLAME_OPTIONS_INIT                                                                     \
	{                                                                                          \
		.title = "", .subtitle = "", .type = "", .unit = "count", .min_width = -1,         \
		.noise = REP_NOISE                                                                 \
	}

/* Width of the still picture in pixels. */
#define REP_FLAME_PICTURE_WIDTH 1180

/* Writes the flame graph. Returns 0, TP_ENOMEM, the sink's error, or TP_ENOENT with a sentence for
 * a tree that the format cannot show (a difference in speedscope's). */
int rep_flame_write(const struct rep_flame_tree *t, enum rep_flame_format format,
		    const struct rep_flame_options *opt, const struct rep_sink *sink,
		    struct tp_err *err);

/* Appends the script of HTML files, to be the text of a <script type="text/plain">. */
void rep_flame_script(struct tp_buf *out);
/* Append the same script as the body of a function that returns the script's functions, for pages that
 * load frames (REP_FLAME_FRAMES) from a server, and its style, which applies to the inside of elements of
 * the class "flame", and "compared" as well for differences. */
void rep_flame_module(struct tp_buf *out);
void rep_flame_module_style(struct tp_buf *out);

/* Finds the format of this name. TP_ENOENT with a sentence that lists the formats. */
int rep_flame_format_find(const char *name, enum rep_flame_format *format, struct tp_err *err);
/* Finds the format by the ending of a file's name. Returns false for other endings. */
bool rep_flame_format_of(const char *file, enum rep_flame_format *format);

#endif
