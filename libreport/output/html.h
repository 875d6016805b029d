/* Appends HTML and XML to a buffer. Whatever comes from a dump goes through html_text or
 * html_attribute, which escape it for both places; tp_buf_text and tp_buf_printf are for what is
 * written here. The buffer keeps a failure (base/buf.h), so none of these tells. */
#ifndef REP_OUTPUT_HTML_H
#define REP_OUTPUT_HTML_H

#include <stdint.h>

#include "base/buf.h"
#include "output/output.h"

/* A number of pixels: a tenth is fine enough. */
void html_px(struct tp_buf *h, double px);
/* Anybody's, between tags or within quotes. */
void html_text(struct tp_buf *h, const char *text, size_t size);
void html_str(struct tp_buf *h, const char *text);
/* " name=\"value\"" */
void html_attribute(struct tp_buf *h, const char *name, const char *value);
/* A value as people read it, with its unit; escaped. */
void html_value(struct tp_buf *h, enum rep_kind kind, const struct rep_value *value);
void html_ns(struct tp_buf *h, int64_t ns);
void html_bytes(struct tp_buf *h, int64_t bytes);
void html_count(struct tp_buf *h, int64_t n);
void html_share(struct tp_buf *h, double share);
/* "1 goroutine", "1,234 goroutines" */
void html_counted(struct tp_buf *h, int64_t n, const char *noun);
/* A document that is valid by itself, as the value of an attribute. */
void html_document(struct tp_buf *h, const void *data, size_t size);

#endif
