/* --format=folded: a line for each stack with a value of its own, as Brendan Gregg's FlameGraph
 * reads them: frames from the root with semicolons between them, a blank, the value. A difference
 * has both values, as in his difffolded.pl: the old one, then the new one. All frames are written;
 * lines are in the order of their names. */
#include "flame/format/format.h"

#include <stdlib.h>
#include <string.h>

#include "output/ops.h"

/* Writes a frame without characters that would end the frame or the line. */
static void put_frame(struct tp_buf *b, struct tp_text name)
{
	if (tp_buf_reserve(b, name.size))
		return;
	for (uint32_t i = 0; i < name.size; i++)
		b->data[b->size++] = (uint8_t)(name.text[i] == ';' ? ':' : name.text[i]);
}

static int write_stacks(struct rep_flame_job *job, const struct rep_flame_layout *l, size_t *length)
{
	const struct rep_flame_tree *t = job->tree;
	struct tp_buf path = {0}, *out = &job->out;
	int code = 0;

	/* path holds the frames down to a depth, length[depth] bytes of it. */
	for (size_t i = 0; i < l->n && !code; i++) {
		const struct rep_flame_node *n = &t->node[l->frame[i].node];
		int64_t now = l->frame[i].rest[REP_FLAME_NEW];
		int64_t old = l->frame[i].rest[REP_FLAME_OLD];

		path.size = n->depth ? length[n->depth - 1] : 0;
		if (n->depth > 1)
			tp_buf_text(&path, ";");
		if (n->depth)
			put_frame(&path, rep_flame_shown(job, n->name));
		length[n->depth] = path.size;
		if (tp_buf_text(&path, ""))
			code = tp_nomem(job->err);
		if (code || (!now && !old))
			continue;
		if (n->depth)
			tp_buf_put(out, path.data, path.size);
		else
			tp_buf_text(out, "(no stack)");
		tp_buf_text(out, " ");
		if (t->opt.compared) {
			rep_put_int(out, old);
			tp_buf_text(out, " ");
		}
		rep_put_int(out, now);
		tp_buf_text(out, "\n");
		code = rep_flame_flush(job, (size_t)64 << 10);
	}
	tp_buf_release(&path);
	return code;
}

int rep_flame_write_folded(struct rep_flame_job *job)
{
	struct rep_flame_layout_options opt = {.by_name = true, .everything = true};
	struct rep_flame_layout l;
	size_t *length;
	int code = rep_flame_layout(job->tree, &opt, &l, job->err);

	if (!code) {
		length = calloc((size_t)l.levels + 1, sizeof(*length));
		code = length ? write_stacks(job, &l, length) : tp_nomem(job->err);
		free(length);
	}
	rep_flame_layout_release(&l);
	return code;
}
