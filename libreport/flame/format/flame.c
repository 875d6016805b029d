#include "flame/flame.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "flame/format/format.h"

const struct rep_flame_format_desc rep_flame_formats[REP_FLAME_NFORMATS] = {
    [REP_FLAME_SVG] = {"svg", ".svg", "a picture that browsers zoom and search"},
    [REP_FLAME_HTML] = {"html", ".html", "the same with a table, callers and callees"},
    [REP_FLAME_TEXT] = {"text", ".txt", "for terminals"},
    [REP_FLAME_FOLDED] = {"folded", ".folded", "a line for each stack, for FlameGraph and its kin"},
    [REP_FLAME_SPEEDSCOPE] = {"speedscope", ".json", "for speedscope.app"},
    [REP_FLAME_FRAMES] = {"frames", ".frames", "what tprof-web draws; may change with any version"},
};

static int (*const writers[REP_FLAME_NFORMATS])(struct rep_flame_job *job) = {
    [REP_FLAME_SVG] = rep_flame_write_svg,
    [REP_FLAME_HTML] = rep_flame_write_html,
    [REP_FLAME_TEXT] = rep_flame_write_text,
    [REP_FLAME_FOLDED] = rep_flame_write_folded,
    [REP_FLAME_SPEEDSCOPE] = rep_flame_write_speedscope,
    [REP_FLAME_FRAMES] = rep_flame_write_frames,
};

int rep_flame_format_find(const char *name, enum rep_flame_format *format, struct tp_err *err)
{
	for (int i = 0; i < REP_FLAME_NFORMATS; i++) {
		if (!strcmp(name, rep_flame_formats[i].name)) {
			*format = (enum rep_flame_format)i;
			return 0;
		}
	}
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "'%s' is not a format; use svg, html, text, folded, speedscope or frames",
			  name);
}

bool rep_flame_format_of(const char *file, enum rep_flame_format *format)
{
	size_t n = strlen(file);

	for (int i = 0; i < REP_FLAME_NFORMATS; i++) {
		size_t size = strlen(rep_flame_formats[i].ending);

		if (n > size && !strcmp(file + n - size, rep_flame_formats[i].ending)) {
			*format = (enum rep_flame_format)i;
			return true;
		}
	}
	return false;
}

int rep_flame_flush(struct rep_flame_job *job, size_t at_least)
{
	struct tp_buf *b = &job->out;
	int code = 0;

	if (tp_buf_text(b, ""))
		return tp_nomem(job->err);
	if (b->size && b->size >= at_least) {
		code = job->sink->write(job->sink->ctx, b->data, b->size, job->err);
		b->size = 0;
	}
	return code;
}

struct tp_text rep_flame_shown(const struct rep_flame_job *job, uint32_t name)
{
	size_t at = job->at[name], n = job->at[name + 1] - at;

	return (struct tp_text){(const char *)job->shown.data + at, (uint32_t)n};
}

/* Escapes every name once for display. */
static int escape_names(struct rep_flame_job *job)
{
	const struct tp_dict *names = job->tree->names;
	uint32_t n = tp_dict_strings(names);

	job->at = tp_many((size_t)n + 1, sizeof(*job->at));
	if (!job->at)
		return tp_nomem(job->err);
	for (uint32_t i = 0; i < n; i++) {
		struct tp_text text = tp_dict_text(names, i);

		job->at[i] = job->shown.size;
		if (text.size)
			rep_escape(&job->shown, text.text, text.size, REP_ESCAPE_SHOWN);
		else
			tp_buf_text(&job->shown, "(unknown)");
	}
	job->at[n] = job->shown.size;
	return tp_buf_text(&job->shown, "") ? tp_nomem(job->err) : 0;
}

int rep_flame_write(const struct rep_flame_tree *t, enum rep_flame_format format,
		    const struct rep_flame_options *opt, const struct rep_sink *sink,
		    struct tp_err *err)
{
	struct rep_flame_job job = {
	    .tree = t,
	    .opt = opt,
	    .measure = rep_flame_measure(opt->type, opt->unit),
	    .sink = sink,
	    .err = err,
	};
	int code = job.measure.failed ? tp_nomem(err) : escape_names(&job);

	if (!code)
		code = writers[format](&job);
	if (!code)
		code = rep_flame_flush(&job, 0);
	free(job.at);
	tp_buf_release(&job.shown);
	tp_buf_release(&job.out);
	return code;
}
