#include "tprof-web/page.h"

#include <string.h>

#include "base/buf.h"
#include "flame/flame.h"

#include <web_page.inc>

#define NPAGES (sizeof(pages) / sizeof(pages[0]))

static struct web_page viewer[2];

int web_page_init(struct tp_err *err)
{
	static struct tp_buf module, style;

	rep_flame_module(&module);
	rep_flame_module_style(&style);
	viewer[0] = (struct web_page){"/viewer.js", module.data, module.size};
	viewer[1] = (struct web_page){"/viewer.css", style.data, style.size};
	return module.failed || style.failed ? tp_nomem(err) : 0;
}

const struct web_page *web_page(const char *path)
{
	if (!strcmp(path, "/"))
		path = "/web.html";
	for (size_t i = 0; i < NPAGES + 2; i++) {
		const struct web_page *page = i < NPAGES ? &pages[i] : &viewer[i - NPAGES];

		if (!strcmp(page->path, path))
			return page;
	}
	return NULL;
}

const char *web_page_type(const struct web_page *page)
{
	const char *end = strrchr(page->path, '.');

	return !strcmp(end, ".html")  ? "text/html; charset=utf-8"
	       : !strcmp(end, ".css") ? "text/css; charset=utf-8"
				      : "text/javascript; charset=utf-8";
}
