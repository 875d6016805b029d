/* What the formats of flame graphs share; private to libreport/flame. */
#ifndef REP_FLAME_FORMAT_H
#define REP_FLAME_FORMAT_H

#include <libxml/xmlwriter.h>

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
	struct tp_buf *shown; /* per name of the tree: escaped, by `at` */
	size_t *at;	      /* n + 1 offsets into shown */
};

/* Each writes all of it; 0 or a code with job->err filled in. */
int rep_flame_write_svg(struct rep_flame_job *job);
int rep_flame_write_html(struct rep_flame_job *job);
int rep_flame_write_text(struct rep_flame_job *job);
int rep_flame_write_folded(struct rep_flame_job *job);
int rep_flame_write_speedscope(struct rep_flame_job *job);

int rep_flame_no_memory(struct rep_flame_job *job);
/* Hands a buffer to the sink when it holds at least so much, and empties it. */
int rep_flame_flush(struct rep_flame_job *job, struct tp_buf *b, size_t at_least);

/* A name as it is shown: valid UTF-8 without control characters. Never empty. */
struct tp_text rep_flame_shown(const struct rep_flame_job *job, uint32_t name);

/* ---- SVG and HTML ---- */

/* The still picture: an <svg> element with its frames, which the caller ends. `heading`: title,
 * subtitle and style are part of it. `all`: what the data holds. */
int rep_flame_put_picture(struct rep_flame_job *job, xmlTextWriterPtr w, bool heading,
			  const struct rep_flame_layout *all);
/* The data that the script draws from, as an element <script type="application/json">. */
int rep_flame_put_data(struct rep_flame_job *job, xmlTextWriterPtr w,
		       const struct rep_flame_layout *all, bool table);
/* The style, that of a whole page too if it is one, and a script. */
int rep_flame_put_style(struct rep_flame_job *job, xmlTextWriterPtr w, bool page);
int rep_flame_put_script(struct rep_flame_job *job, xmlTextWriterPtr w, bool page);
/* All frames that a file has room for, to be released in every case. */
int rep_flame_layout_all(struct rep_flame_job *job, struct rep_flame_layout *all);
/* The colours as rules of CSS. */
int rep_flame_put_colours(struct tp_buf *css, bool compared);
/* The class of a frame in CSS, and the number behind the "c" of an undivided one. */
unsigned rep_flame_colour(struct rep_flame_name name);

/* Files of viewer/, as they are put into pages. */
enum rep_flame_asset {
	REP_FLAME_STYLE,
	REP_FLAME_DARK_STYLE,
	REP_FLAME_PAGE_STYLE,
	REP_FLAME_SCRIPT,
	REP_FLAME_PAGE_SCRIPT
};
struct tp_text rep_flame_asset(enum rep_flame_asset which);

/* The sentence about what is folded, "" when nothing is. */
int rep_flame_put_fold_note(const struct rep_flame_job *job, const struct rep_flame_layout *l,
			    struct tp_buf *text);

/* A writer to job->sink; NULL with job->err filled in. rep_flame_end_xml ends the document and
 * frees it: 0, or the first error there was. */
struct rep_flame_xml {
	struct rep_flame_job *job;
	xmlTextWriterPtr writer;
	int code; /* of the sink */
};
int rep_flame_begin_xml(struct rep_flame_xml *x, struct rep_flame_job *job);
int rep_flame_end_xml(struct rep_flame_xml *x, int code);

#endif
