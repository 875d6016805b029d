/* The files of the page, from page/; the Makefile turns them into lists of bytes. */
#ifndef WEB_PAGE_H
#define WEB_PAGE_H

#include <stddef.h>

#include "base/err.h"

struct web_page {
	const char *path; /* "/web.css", "/timeline/rows.js"; "/" is web.html */
	const unsigned char *data;
	size_t size;
};

/* Makes the files that libreport gives (viewer.js, viewer.css). Returns 0 or TP_ENOMEM. */
int web_page_make(struct tp_err *err);
/* Returns the file of that path, NULL if there is none. */
const struct web_page *web_page(const char *path);
/* Returns its media type. */
const char *web_page_type(const struct web_page *page);

#endif
