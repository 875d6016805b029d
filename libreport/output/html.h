/* Appends HTML and XML to a buffer. Text from a dump must go through html_text or html_attribute,
 * which escape it; tp_buf_text and tp_buf_printf are for constant text. The buffer keeps a failure
 * (base/buf.h), so these functions return none. */
#ifndef REP_OUTPUT_HTML_H
#define REP_OUTPUT_HTML_H

#include <stdint.h>

#include "base/buf.h"
#include "output/output.h"

/* Appends a number of pixels, rounded to a tenth. */
void html_px(struct tp_buf *h, double px);
/* Appends untrusted text, escaped for use between tags or within quotes. */
void html_text(struct tp_buf *h, const char *text, size_t size);
void html_str(struct tp_buf *h, const char *text);
/* " name=\"value\"" */
void html_attribute(struct tp_buf *h, const char *name, const char *value);
/* Appends a value as tables show it, with its unit; escaped. */
void html_value(struct tp_buf *h, enum rep_kind kind, const struct rep_value *value);
void html_ns(struct tp_buf *h, int64_t ns);
void html_bytes(struct tp_buf *h, int64_t bytes);
void html_count(struct tp_buf *h, int64_t n);
void html_share(struct tp_buf *h, double share);
/* "1 goroutine", "1,234 goroutines" */
void html_counted(struct tp_buf *h, int64_t n, const char *noun);
/* Appends a complete document as the value of an attribute. */
void html_document(struct tp_buf *h, const void *data, size_t size);

#endif
