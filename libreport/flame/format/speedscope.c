/* --format=speedscope: JSON for speedscope.app (github.com/jlfwong/speedscope,
 * src/lib/file-format-spec.ts): a "sampled" profile. Its samples are stacks of indices into the
 * frames, root first, with their weights. */
#include "flame/format/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/ops.h"

static void put_string(struct tp_buf *b, const char *text, size_t size)
{
	tp_buf_text(b, "\"");
	rep_escape(b, text, size, REP_ESCAPE_JSON);
	tp_buf_text(b, "\"");
}

/* Returns speedscope's unit: "none", "nanoseconds", "microseconds", "milliseconds", "seconds" or
 * "bytes". */
static const char *unit_of(const struct rep_flame_measure *m)
{
	static const struct {
		int64_t scale;
		const char *name;
	} times[] = {{1, "nanoseconds"}, {1000, "microseconds"}, {1000000, "milliseconds"}};

	if (m->kind == REP_FLAME_SIZE && m->scale == 1)
		return "bytes";
	for (size_t i = 0; m->kind == REP_FLAME_TIME && i < sizeof(times) / sizeof(times[0]); i++)
		if (m->scale == times[i].scale)
			return times[i].name;
	return m->kind == REP_FLAME_TIME ? "seconds" : "none";
}

/* Writes frames in the order of their names; index[name] is the place of a used name. */
static int put_frames(struct rep_flame_job *job, uint32_t *index)
{
	const struct rep_flame_tree *t = job->tree;
	struct tp_buf *b = &job->out;
	uint32_t n = 0;
	int code = 0;

	tp_buf_text(b, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		       "\"shared\":{\"frames\":[");
	for (uint32_t i = 1; i < t->n; i++)
		index[t->node[i].name] = 1;
	for (uint32_t i = 0; i < tp_dict_strings(t->names) && !code; i++) {
		struct tp_text name = rep_flame_shown(job, i);

		if (!index[i])
			continue;
		index[i] = n++;
		tp_buf_text(b, index[i] ? ",\n{\"name\":" : "\n{\"name\":");
		put_string(b, name.text, name.size);
		tp_buf_text(b, "}");
		code = rep_flame_flush(job, (size_t)64 << 10);
	}
	return code;
}

static int put_samples(struct rep_flame_job *job, const struct rep_flame_layout *l,
		       const uint32_t *index, uint32_t *path)
{
	const struct rep_flame_tree *t = job->tree;
	struct tp_buf *b = &job->out;
	bool first = true;
	int code = 0;

	for (size_t i = 0; i < l->n && !code; i++) {
		const struct rep_flame_node *n = &t->node[l->frame[i].node];

		path[n->depth] = index[n->name];
		if (!l->frame[i].rest[REP_FLAME_NEW])
			continue;
		tp_buf_text(b, first ? "\n[" : ",\n[");
		for (uint32_t d = 1; d <= n->depth; d++) {
			if (d > 1)
				tp_buf_text(b, ",");
			rep_put_int(b, path[d]);
		}
		tp_buf_text(b, "]");
		first = false;
		code = rep_flame_flush(job, (size_t)64 << 10);
	}
	return code;
}

static void put_weights(const struct rep_flame_layout *l, struct tp_buf *b)
{
	bool first = true;

	tp_buf_text(b, "],\n\"weights\":[");
	for (size_t i = 0; i < l->n; i++) {
		if (!l->frame[i].rest[REP_FLAME_NEW])
			continue;
		if (!first)
			tp_buf_text(b, ",");
		rep_put_int(b, l->frame[i].rest[REP_FLAME_NEW]);
		first = false;
	}
	tp_buf_text(b, "]}]}\n");
}

static int write_all(struct rep_flame_job *job, const struct rep_flame_layout *l, uint32_t *index,
		     uint32_t *path)
{
	const char *title = *job->opt->title ? job->opt->title : "profile";
	struct tp_buf *b = &job->out;
	int code = put_frames(job, index);

	if (code)
		return code;
	tp_buf_text(b, "]},\n\"name\":");
	put_string(b, title, strlen(title));
	tp_buf_text(b, ",\"exporter\":\"tprof\",\"activeProfileIndex\":0,\n\"profiles\":[{"
		       "\"type\":\"sampled\",\"name\":");
	put_string(b, title, strlen(title));
	tp_buf_printf(b,
		      ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRId64 ",\n\"samples\":[",
		      unit_of(&job->measure), rep_flame_total(job->tree, 0, REP_FLAME_NEW));
	code = put_samples(job, l, index, path);
	if (!code)
		put_weights(l, b);
	return code;
}

int rep_flame_write_speedscope(struct rep_flame_job *job)
{
	struct rep_flame_layout_options opt = {.by_name = true, .everything = true};
	struct rep_flame_layout l;
	uint32_t *path, *index;
	int code;

	if (job->tree->opt.compared || rep_flame_has_negative(job->tree))
		return tp_err_set(job->err, TP_ENOENT, TP_OFFSET_NONE,
				  "speedscope's format cannot show %s; use svg, html or folded",
				  job->tree->opt.compared ? "differences" : "negative values");
	code = rep_flame_layout(job->tree, &opt, &l, job->err);
	if (!code) {
		path = calloc((size_t)l.levels + 1, sizeof(*path));
		index = calloc(tp_dict_strings(job->tree->names), sizeof(*index));
		code = path && index ? write_all(job, &l, index, path) : tp_nomem(job->err);
		free(path);
		free(index);
	}
	rep_flame_layout_release(&l);
	return code;
}
