/* Flame graphs: a tree of stacks (tree.h) as a picture, a page, or text.
 *
 *	struct rep_flame_tree tree;
 *	struct rep_flame_options opt = REP_FLAME_OPTIONS_INIT;
 *
 *	code = rep_flame_tree_init(&tree, &tree_options, &err);
 *	struct rep_flame_source source = {.profile = profile, .type = 0, .ratio = 1};
 *	code = rep_flame_tree_add(&tree, &source, REP_FLAME_NEW, &err);
 *	code = rep_flame_tree_sum(&tree, &err);
 *	opt.type = "cpu", opt.unit = "nanoseconds", opt.title = "CPU time";
 *	code = rep_flame_write(&tree, REP_FLAME_SVG, &opt, &sink, &err);
 *	rep_flame_tree_release(&tree);
 *
 * The same tree and options give the same bytes. Names are escaped (text.h). SVG and HTML files
 *hold all they need: nothing is loaded from anywhere. Without scripts, and on paper, they show a
 *still picture. */
#ifndef REP_FLAME_H
#define REP_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "flame/change.h"
#include "flame/tree.h"
#include "output/output.h"

enum rep_flame_format {
	REP_FLAME_SVG,
	REP_FLAME_HTML,
	REP_FLAME_TEXT,
	REP_FLAME_FOLDED,
	REP_FLAME_SPEEDSCOPE,
	REP_FLAME_NFORMATS
};

/* For --format, help and completions; `ending` is that of file names. */
extern const struct rep_flame_format_desc {
	const char *name, *ending, *doc;
} rep_flame_formats[REP_FLAME_NFORMATS];

struct rep_flame_options {
	const char *title;	 /* "" for none */
	const char *subtitle;	 /* what it shows, of when; the total is added; "" for none */
	const char *type, *unit; /* of the sample type: "cpu", "nanoseconds" */
	bool upwards;		 /* the root at the bottom: a flame; else an icicle */
	bool by_name;		 /* siblings by name, not the widest first */
	bool negate;		 /* of a difference: more is blue, less is red */
	double min_width; /* share of the picture below which frames are folded; negative: as it
			     takes to keep the file small */
	double noise;	  /* of a difference: standard errors that a change must exceed */
	size_t budget;	  /* bytes that the frames may take, where min_width is negative; the still
			     picture gets half as much; 0: as much as a file of its own */
	/* HTML only: for the srcdoc of an <iframe>, in a page that has the text of rep_flame_script()
	 * in an element of id "flame-script". */
	bool inside;
	/* text only */
	unsigned width; /* cells, 0: 80 */
	bool colour, ascii;
};

#define REP_FLAME_OPTIONS_INIT                                                                     \
	{                                                                                          \
		.title = "", .subtitle = "", .type = "", .unit = "count", .min_width = -1,         \
		.noise = REP_FLAME_NOISE                                                           \
	}

/* How wide the still picture is: what pixels given for min_width mean. */
#define REP_FLAME_PICTURE_WIDTH 1180

/* 0, TP_ENOMEM, what the sink returns, or TP_EFORMAT for what a format cannot show (a difference in
 * speedscope's) with a sentence. */
int rep_flame_write(const struct rep_flame_tree *t, enum rep_flame_format format,
		    const struct rep_flame_options *opt, const struct rep_sink *sink,
		    struct tp_err *err);

/* The script that HTML files carry, as text of a <script type="text/plain">. */
int rep_flame_script(struct tp_buf *out);

/* 0 and the format of this name, or TP_ENOENT with a sentence that lists them. */
int rep_flame_format_find(const char *name, enum rep_flame_format *format, struct tp_err *err);
/* The format that the name of a file asks for; false when it ends in none of theirs. */
bool rep_flame_format_of(const char *file, enum rep_flame_format *format);

#endif
