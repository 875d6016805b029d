#include "tprof-web/page.h"

#include <string.h>

#include <web_page.inc>

const struct web_page *web_page(const char *path)
{
	if (!strcmp(path, "/"))
		path = "/web.html";
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (!strcmp(pages[i].path, path))
			return &pages[i];
	return NULL;
}

const char *web_page_type(const struct web_page *page)
{
	const char *end = strrchr(page->path, '.');

	return !strcmp(end, ".html")  ? "text/html; charset=utf-8"
	       : !strcmp(end, ".css") ? "text/css; charset=utf-8"
				      : "text/javascript; charset=utf-8";
}
