#include "tprof-web/page.h"

#include <string.h>

#include "base/buf.h"
#include "flame/flame.h"

#include <web_page.inc>

/* The viewer of flame graphs is that of tprof-flame's files. */
static struct web_page viewer[] = {{.path = "/viewer.js"}, {.path = "/viewer.css"}};

int web_page_make(struct tp_err *err)
{
	static void (*const make[])(struct tp_buf * out) = {rep_flame_module,
							    rep_flame_module_style};

	for (size_t i = 0; i < sizeof(viewer) / sizeof(viewer[0]); i++) {
		struct tp_buf text = {0};

		make[i](&text);
		if (tp_buf_text(&text, ""))
			return tp_nomem(err);
		viewer[i].data = text.data; /* for as long as the server runs */
		viewer[i].size = text.size;
	}
	return 0;
}

const struct web_page *web_page(const char *path)
{
	if (!strcmp(path, "/"))
		path = "/web.html";
	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (!strcmp(pages[i].path, path))
			return &pages[i];
	for (size_t i = 0; i < sizeof(viewer) / sizeof(viewer[0]); i++)
		if (viewer[i].data && !strcmp(viewer[i].path, path))
			return &viewer[i];
	return NULL;
}

const char *web_page_type(const struct web_page *page)
{
	const char *end = strrchr(page->path, '.');

	return !strcmp(end, ".html")  ? "text/html; charset=utf-8"
	       : !strcmp(end, ".css") ? "text/css; charset=utf-8"
				      : "text/javascript; charset=utf-8";
}
