/* Functions that the formats of flame graphs share; private to libreport/flame. */
#ifndef REP_FLAME_FORMAT_H
#define REP_FLAME_FORMAT_H

#include "base/buf.h"
#include "flame/flame.h"
#include "flame/layout.h"
#include "flame/name.h"
#include "flame/words.h"

struct rep_flame_job {
	const struct rep_flame_tree *tree;
	const struct rep_flame_options *opt;
	struct rep_flame_measure measure;
	const struct rep_sink *sink;
	struct tp_err *err;
	struct tp_buf out;   /* contents of the file (rep_flame_flush) */
	struct tp_buf shown; /* per name of the tree: escaped, by `at` */
	size_t *at;	     /* n + 1 offsets into shown */
};

/* Each writes the whole file to job->out. Returns 0, or a code with job->err filled in. */
int rep_flame_write_svg(struct rep_flame_job *job);
int rep_flame_write_html(struct rep_flame_job *job);
int rep_flame_write_text(struct rep_flame_job *job);
int rep_flame_write_folded(struct rep_flame_job *job);
int rep_flame_write_speedscope(struct rep_flame_job *job);
int rep_flame_write_frames(struct rep_flame_job *job);

/* Writes job->out to the sink and empties it if it holds at least so much. Also returns a failure
 * of the buffer, so callers need not check what they append. */
int rep_flame_flush(struct rep_flame_job *job, size_t at_least);

/* Returns a name for display: valid UTF-8 without control characters. Never empty. */
struct tp_text rep_flame_shown(const struct rep_flame_job *job, uint32_t name);

/* ---- SVG and HTML ---- */

/* Writes the still picture: an <svg> element with its frames, which the caller ends. `heading`:
 * with title, subtitle and style. `all`: the frames of the data. */
int rep_flame_put_picture(struct rep_flame_job *job, bool heading,
			  const struct rep_flame_layout *all);
/* Writes the data for the script, as an element <script type="application/json">. */
int rep_flame_put_data(struct rep_flame_job *job, const struct rep_flame_layout *all, bool table);
/* Write the style and the script; `page`: those of an HTML page. */
void rep_flame_put_style(struct rep_flame_job *job, bool page);
void rep_flame_put_script(struct rep_flame_job *job, bool page);
/* Lays out all frames for which a file has room. Must be released in every case. */
int rep_flame_layout_all(struct rep_flame_job *job, struct rep_flame_layout *all);
/* Appends the colours as rules of CSS; `within`: selects what they apply to, followed by a blank, or "". */
void rep_flame_put_colours(struct tp_buf *css, bool compared, const char *within);
/* Returns the number in a frame's class of CSS, "c12". */
unsigned rep_flame_colour(struct rep_flame_name name);

/* The files of viewer/. */
enum rep_flame_asset {
	REP_FLAME_STYLE,
	REP_FLAME_DARK_STYLE,
	REP_FLAME_PAGE_STYLE,
	REP_FLAME_SCRIPT,
	REP_FLAME_PAGE_SCRIPT
};
struct tp_text rep_flame_asset(enum rep_flame_asset which);

/* Formats the sentence about folded frames, if there are any. It needs no escapes. Returns text. */
#define REP_FLAME_NOTE (4 * REP_FLAME_WORDS + 80)
char *rep_flame_fold_note(char text[REP_FLAME_NOTE], const struct rep_flame_job *job,
			  const struct rep_flame_layout *l);

/* Formats the sentence about stacks that are cut. */
char *rep_flame_cut_note(char text[REP_FLAME_NOTE], const struct rep_flame_job *job);

#endif
