/* svg: the picture of the call graph, drawn by graphviz. */
#include "profile/report/dot.h"
#include "profile/report/reports.h"
#include "profile/code/tool.h"

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	static const char *const argv[] = {"dot", "-Tsvg", NULL};
	struct rep_graph *g = NULL;
	struct tp_buf text = {0};
	const struct rep_sink collect = rep_sink_buf(&text);
	struct rep_writer out;
	int code = rep_graph_new(&g, v, err);

	(void)arg;
	if (!code) {
		rep_writer_init(&out, &collect);
		rep_dot_put(&out, g, v);
		code = rep_writer_finish(&out, err);
	}
	if (!code) {
		code = rep_tool_run(argv, &text, sink, err);
		if (code == TP_ENOENT)
			code = tp_err_set(
			    err, TP_EIO, TP_OFFSET_NONE,
			    "graphviz, which draws the picture, is not installed (Debian: "
			    "apt-get install graphviz); --format=dot writes what it needs, "
			    "and tprof-flame draws without it");
	}
	tp_buf_release(&text);
	rep_graph_free(g);
	return code;
}

const struct rep_profile_report rep_profile_report_svg = {
    .name = "svg",
    .doc = "The call graph as a picture (needs graphviz)",
    .format = true,
    .traits = {.visual = true, .call_tree = true, .edges = true},
    .print = print,
};
