/* --format=html: one page with the picture, a table that can be sorted, and the callers and callees
 * of a function.
 *
 * The text is both well-formed XML and valid HTML: elements with content have end tags, and style,
 * data and script contain nothing that either language would take for markup. */
#include "flame/format/format.h"
#include "output/html.h"
#include "output/policy.h"

static void put_head(struct rep_flame_job *job)
{
	struct tp_buf *h = &job->out;

	tp_buf_text(h,
		    "<!DOCTYPE html>\n"
		    "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head>"
		    "<meta charset=\"utf-8\"/>"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"" REP_PAGE_POLICY "\"/>"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>"
		    "<title>");
	html_str(h, *job->opt->title ? job->opt->title : "flame graph");
	tp_buf_text(h, "</title>");
	rep_flame_put_style(job, true);
	tp_buf_text(h, "</head>");
}

int rep_flame_write_html(struct rep_flame_job *job)
{
	struct rep_flame_layout all = {0};
	struct tp_buf *h = &job->out;
	int code = rep_flame_layout_all(job, &all);

	if (!code) {
		put_head(job);
		tp_buf_text(h, "<body><header><div id=\"heading\"><h1>");
		html_str(h, job->opt->title);
		tp_buf_text(h, "</h1><p>");
		html_str(h, job->opt->subtitle);
		tp_buf_text(h, "</p></div><div id=\"tools\"></div><nav id=\"forms\"></nav></header>"
			       "<main><section id=\"graph\">");
		code = rep_flame_put_picture(job, false, &all);
	}
	if (!code) {
		tp_buf_text(h, "</svg></section><section id=\"table\"></section>"
			       "<section id=\"sandwich\"></section></main>");
		code = rep_flame_put_data(job, &all, true);
	}
	if (!code) {
		rep_flame_put_script(job, true);
		tp_buf_text(h, "</body></html>\n");
	}
	rep_flame_layout_release(&all);
	return code;
}
