#include "tprof-web/page.h"

#include <string.h>

#include "base/buf.h"
#include "flame/flame.h"

static const unsigned char document[] = {
#include <web.html.inc>
    0};
static const unsigned char style[] = {
#include <web.css.inc>
    0};
/* define['NAME'] = own => {…}; for each module. */
static const unsigned char modules[] = {
#include <web.js.inc>
    0};

/* A module runs once, when the first one needs it. If it throws, so does every later need() of it. */
static const char first[] = "const define = {}, made = {}, failed = {};\n"
			    "export function need(name) {\n"
			    "if (failed[name]) throw failed[name].error;\n"
			    "if (!made[name])\n"
			    "try { define[name](made[name] = {}); }\n"
			    "catch (error) { failed[name] = {error}; throw error; }\n"
			    "return made[name];\n"
			    "}\n";
/* The viewer of flame graphs is that of tprof-flame's files. */
static const char viewer[] = "define.viewer = own => Object.assign(own, (() => {\n";
static const char last[] = "})());\n"
			   "need(self.document ? 'main' : 'timeline/worker');\n";

enum { DOCUMENT, STYLE, SCRIPT, VIEWER_STYLE, NPAGES };

static struct web_page pages[NPAGES] = {
    [DOCUMENT] = {"/", "text/html; charset=utf-8", document, sizeof(document) - 1},
    [STYLE] = {"/web.css", "text/css; charset=utf-8", style, sizeof(style) - 1},
    [SCRIPT] = {.path = "/web.js", .type = "text/javascript; charset=utf-8"},
    [VIEWER_STYLE] = {.path = "/viewer.css", .type = "text/css; charset=utf-8"},
};

/* Takes over the text, for as long as the server runs. */
static int keep(struct web_page *page, struct tp_buf *text, struct tp_err *err)
{
	if (text->failed) {
		tp_buf_release(text);
		return tp_nomem(err);
	}
	page->data = text->data;
	page->size = text->size;
	return 0;
}

int web_page_make(struct tp_err *err)
{
	struct tp_buf script = {0}, css = {0};
	int code;

	tp_buf_text(&script, first);
	tp_buf_put(&script, modules, sizeof(modules) - 1);
	tp_buf_text(&script, viewer);
	rep_flame_module(&script);
	tp_buf_text(&script, last);
	rep_flame_module_style(&css);
	code = keep(&pages[SCRIPT], &script, err);
	return code ? code : keep(&pages[VIEWER_STYLE], &css, err);
}

const struct web_page *web_page(const char *path)
{
	for (size_t i = 0; i < NPAGES; i++)
		if (!strcmp(pages[i].path, path))
			return &pages[i];
	return NULL;
}
