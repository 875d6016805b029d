/* Texts of a dump inside the quoted strings of graphviz's language. */
#ifndef REP_PROFILE_PAPER_QUOTE_H
#define REP_PROFILE_PAPER_QUOTE_H

#include "profile/paper/paper.h"
#include "profile/view.h"

/* Quotes and backslashes get a backslash, a newline becomes \l (ends a line, aligned to the left),
 * other control characters are shown as text.h shows them, and what is longer than graphviz can
 * read is cut. */
void rep_quote_dot(struct rep_paper *out, const char *text, size_t size);
int rep_quote_dot_into(struct tp_buf *to, const char *text, size_t size); /* 0 or TP_ENOMEM */
/* Lines that are joined by \n already (names of tags): those stay. */
void rep_quote_joined(struct rep_paper *out, const char *text, size_t size);
/* A value with its unit. */
void rep_quote_value(struct rep_paper *out, const struct rep_profile_view *v, int64_t value);

/* The last part of a path, as Go's filepath.Base has it, but empty for the empty one. */
struct tp_text rep_base_name(struct tp_text path);

#endif
