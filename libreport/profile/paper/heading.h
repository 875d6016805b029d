/* The heading of a graph's report, and whatever else comes line by line, onto paper. */
#ifndef REP_PROFILE_PAPER_HEADING_H
#define REP_PROFILE_PAPER_HEADING_H

#include "profile/graph.h"
#include "profile/paper/paper.h"

/* A rep_line_fn whose context is a struct rep_paper: the line, and a newline. */
int rep_heading_line(void *ctx, const char *text, size_t size, struct tp_err *err);

/* A value, right-aligned in `width` characters. */
void rep_put_value(struct rep_paper *out, const struct rep_profile_view *v, int width,
		   int64_t value);
/* A percentage in six characters. */
void rep_put_share(struct rep_paper *out, int64_t value, int64_t total);

#endif
