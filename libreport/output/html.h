/* Writing HTML and SVG: whatever comes from a dump goes through html_text or html_attribute, which escape
 * it for both places; html_put and html_f are for what is written here. The first failure stays,
 * and makes everything after it do nothing. */
#ifndef REP_OUTPUT_HTML_H
#define REP_OUTPUT_HTML_H

#include <stdint.h>

#include "base/buf.h"
#include "output/output.h"

struct html {
	struct tp_buf buf;
	int code; /* 0 or TP_ENOMEM */
};

/* Ours, as it is. */
void html_put(struct html *h, const char *markup);
/* Ours, with numbers; no texts but our own. At most 500 bytes. */
void html_f(struct html *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number of pixels: a tenth is fine enough. */
void html_px(struct html *h, double px);
/* Anybody's, between tags or within quotes. */
void html_text(struct html *h, const char *text, size_t size);
void html_str(struct html *h, const char *text);
/* " name=\"value\"" */
void html_attribute(struct html *h, const char *name, const char *value);
/* A value as people read it, with its unit; escaped. */
void html_value(struct html *h, enum rep_kind kind, const struct rep_value *value);
void html_ns(struct html *h, int64_t ns);
void html_bytes(struct html *h, int64_t bytes);
void html_count(struct html *h, int64_t n);
void html_share(struct html *h, double share);
/* "1 goroutine", "1,234 goroutines" */
void html_counted(struct html *h, int64_t n, const char *noun);
/* A document that is valid by itself, as the value of an attribute. */
void html_document(struct html *h, const void *data, size_t size);
void html_append(struct html *h, const struct html *more);
void html_release(struct html *h);

#endif
