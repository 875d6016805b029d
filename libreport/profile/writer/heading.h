/* Lines of headings, values and percentages of pprof's text reports. */
#ifndef REP_PROFILE_WRITER_HEADING_H
#define REP_PROFILE_WRITER_HEADING_H

#include "profile/graph.h"
#include "profile/writer/writer.h"

/* A rep_line_fn whose context is a struct rep_writer: writes the line and a newline. */
int rep_heading_line(void *ctx, const char *text, size_t size, struct tp_err *err);

/* Writes a value, right-aligned in `width` characters. */
void rep_put_value(struct rep_writer *out, const struct rep_profile_view *v, int width,
		   int64_t value);
/* Writes a percentage in six characters. */
void rep_put_share(struct rep_writer *out, int64_t value, int64_t total);

#endif
