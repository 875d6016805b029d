/* Writes texts of a dump into the quoted strings of graphviz's language. */
#ifndef REP_PROFILE_WRITER_QUOTE_H
#define REP_PROFILE_WRITER_QUOTE_H

#include "profile/writer/writer.h"
#include "profile/view.h"

/* Writes a text: quotes and backslashes get a backslash, a newline becomes \l (the end of a line
 * that is aligned to the left), other control characters are escaped as in text.h, and a text that
 * is too long for graphviz is cut. */
void rep_quote_dot(struct rep_writer *out, const char *text, size_t size);
int rep_quote_dot_into(struct tp_buf *to, const char *text, size_t size); /* 0 or TP_ENOMEM */
/* Does the same for names of tags, whose lines are joined by \n, and keeps these. */
void rep_quote_joined(struct rep_writer *out, const char *text, size_t size);
/* Writes a value with its unit. */
void rep_quote_value(struct rep_writer *out, const struct rep_profile_view *v, int64_t value);

#endif
