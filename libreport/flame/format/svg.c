/* --format=svg: the picture as a file of its own. */
#include "flame/format/format.h"

/* Limit on frames with their names; the script and the still picture are additional. */
#define DATA_BUDGET ((size_t)1600 << 10)
#define DATA_FRAME  14
#define DIFF_FRAME  30

int rep_flame_layout_all(struct rep_flame_job *job, struct rep_flame_layout *all)
{
	struct rep_flame_layout_options opt = {
	    .by_name = job->opt->by_name,
	    .every_fold = true,
	    .min_width = job->opt->min_width,
	    .noise = job->opt->noise,
	    .budget = job->opt->budget ? job->opt->budget : DATA_BUDGET,
	    .per_frame = job->tree->opt.compared ? DIFF_FRAME : DATA_FRAME,
	};

	/* An explicit limit is obeyed, whatever the size. */
	if (opt.min_width >= 0)
		opt.budget = 0;
	else
		opt.min_width = 0;
	return rep_flame_layout(job->tree, &opt, all, job->err);
}

void rep_flame_put_style(struct rep_flame_job *job, bool page)
{
	struct tp_text style = rep_flame_asset(REP_FLAME_STYLE);
	struct tp_text more = rep_flame_asset(REP_FLAME_PAGE_STYLE);
	struct tp_buf *h = &job->out;

	tp_buf_text(h, "<style>\n");
	tp_buf_put(h, style.text, style.size);
	rep_flame_put_colours(h, job->tree->opt.compared, "");
	if (page)
		tp_buf_put(h, more.text, more.size);
	tp_buf_text(h, "</style>");
}

/* Several pictures on a page share its script. */
static const char borrowed[] =
    "const s=document.createElement('script');"
    "s.textContent=parent.document.getElementById('flame-script').textContent;"
    "document.body.append(s);";

static void put_script(struct tp_buf *h, bool page)
{
	struct tp_text script = rep_flame_asset(REP_FLAME_SCRIPT);
	struct tp_text more = rep_flame_asset(REP_FLAME_PAGE_SCRIPT);

	tp_buf_put(h, script.text, script.size);
	if (page)
		tp_buf_put(h, more.text, more.size);
}

static void put_start(struct tp_buf *h)
{
	tp_buf_text(
	    h, "openPicture(JSON.parse(document.getElementById('tprof-data').textContent));\n");
}

void rep_flame_script(struct tp_buf *h)
{
	put_script(h, true);
	put_start(h);
}

void rep_flame_module(struct tp_buf *h)
{
	put_script(h, true);
	tp_buf_text(h, "return {openPicture, leavePicture, recall, renderAll, onKeyDown};\n");
}

void rep_flame_module_style(struct tp_buf *h)
{
	struct tp_text style = rep_flame_asset(REP_FLAME_STYLE);
	struct tp_text more = rep_flame_asset(REP_FLAME_PAGE_STYLE);

	tp_buf_text(h, ".flame{\n");
	tp_buf_put(h, style.text, style.size);
	tp_buf_put(h, more.text, more.size);
	tp_buf_text(h, "}\n");
	rep_flame_put_colours(h, false, ".flame ");
	rep_flame_put_colours(h, true, ".flame.compared ");
}

/* A script is text in HTML but markup in XML; a CDATA section hidden in comments of the script
 * satisfies both. */
void rep_flame_put_script(struct rep_flame_job *job, bool page)
{
	struct tp_buf *h = &job->out;

	tp_buf_text(h, "<script>");
	if (job->opt->inside) {
		tp_buf_text(h, borrowed);
	} else {
		tp_buf_text(h, "//<![CDATA[\n");
		put_script(h, page);
		put_start(h);
		tp_buf_text(h, "//]]>");
	}
	tp_buf_text(h, "</script>");
}

int rep_flame_write_svg(struct rep_flame_job *job)
{
	struct rep_flame_layout all = {0};
	int code = rep_flame_layout_all(job, &all);

	if (!code) {
		tp_buf_text(&job->out, "<?xml version=\"1.0\"?>\n");
		code = rep_flame_put_picture(job, true, &all);
	}
	if (!code)
		code = rep_flame_put_data(job, &all, false);
	if (!code) {
		rep_flame_put_script(job, false);
		tp_buf_text(&job->out, "</svg>\n");
	}
	rep_flame_layout_release(&all);
	return code;
}
