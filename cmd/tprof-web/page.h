/* The files of the page, from page/: its document, its style sheets, and all modules as one script. */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include <stddef.h>

#include "base/err.h"

struct web_page {
	const char *path; /* "/web.css" */
	const char *type; /* its media type */
	const void *data;
	size_t size;
};

/* Makes the files that need libreport. Returns 0 or TP_ENOMEM. */
int web_page_make(struct tp_err *err);
/* Returns the file of that path, NULL if there is none. */
const struct web_page *web_page(const char *path);

#endif
