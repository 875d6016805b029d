/* traces: every sample with its labels and its stack, leaf first (pprof: printTraces).
 *
 *	File: webapp                           the heading
 *	-----------+-------------------------
 *	      tier:  gold
 *	      10ms   runtime.mallocgc
 *	             main.worker (inline)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/writer/heading.h"
#include "profile/writer/lines.h"
#include "profile/writer/writer.h"
#include "profile/report/reports.h"

#define SEPARATOR  "-----------+-------------------------------------------------------\n"
#define REMEMBERED ((size_t)64 << 20) /* bytes of names that are cached */

/* A frame's name as it is written, cached because stacks share most of their frames. */
struct known {
	size_t at;
	uint32_t size; /* 0: not cached yet */
};

struct traces {
	const struct rep_profile_view *v;
	struct rep_writer out;
	struct rep_lines lines;
	struct tp_buf names, name;
	struct known *known; /* by frame */
	uint32_t nknown;
};

static void join_value(struct traces *t, const struct tp_label *l)
{
	const struct tp_profile *p = t->v->profile;
	struct tp_text text = tp_dict_text(p->dict, l->text);
	char number[REP_MEASURE_SIZE];

	if (l->numeric) {
		rep_scaled_label(number, l->number, rep_label_unit(&t->v->units, p, l->key),
				 "auto");
		text = (struct tp_text){number, (uint32_t)strlen(number)};
	}
	tp_buf_put(&t->lines.bytes, text.text, text.size);
}

static void put_labels(struct traces *t, const struct tp_label_set *set, bool numeric)
{
	const struct tp_profile *p = t->v->profile;
	const struct tp_label *l = set->n ? p->labels + set->first : NULL;

	rep_lines_clear(&t->lines);
	for (size_t i = 0, n; l && i < set->n; i += n) {
		struct tp_text key = tp_dict_text(p->dict, l[i].key);
		size_t runes = rep_writer_runes(key.text, key.size);

		n = rep_labels_of_key(p, set, i);
		if (l[i].numeric != numeric)
			continue;
		rep_lines_begin(&t->lines);
		for (; runes < 10; runes++)
			tp_buf_text(&t->lines.bytes, " ");
		tp_buf_put(&t->lines.bytes, key.text, key.size);
		tp_buf_text(&t->lines.bytes, ":  ");
		for (size_t k = 0; k < n; k++) {
			if (k)
				tp_buf_text(&t->lines.bytes, " ");
			join_value(t, &l[i + k]);
		}
	}
	rep_writer_fail(&t->out, rep_lines_sort(&t->lines));
	for (size_t i = 0; i < rep_lines_n(&t->lines); i++) {
		rep_writer_string(&t->out, rep_lines_at(&t->lines, i));
		rep_writer_put(&t->out, "\n");
	}
}

static void put_name(struct traces *t, uint32_t frame)
{
	struct known *k = frame < t->nknown ? &t->known[frame] : NULL;
	struct rep_node_info info;

	if (k && k->size) {
		rep_writer_text(&t->out, (char *)t->names.data + k->at, k->size);
		return;
	}
	t->name.size = 0;
	rep_writer_fail(&t->out, rep_view_frame(t->v, frame, &info));
	if (!rep_writer_failed(&t->out))
		rep_writer_fail(&t->out, rep_node_info_name(&info, &t->name));
	if (rep_writer_failed(&t->out))
		return;
	rep_writer_text(&t->out, (char *)t->name.data, t->name.size);
	if (k && t->name.size && t->names.size + t->name.size <= REMEMBERED) {
		*k = (struct known){t->names.size, (uint32_t)t->name.size};
		rep_writer_fail(&t->out, tp_buf_put(&t->names, t->name.data, t->name.size));
	}
}

static void put_stack(struct traces *t, uint32_t node, const char *value)
{
	const struct tp_dict *d = t->v->profile->dict;

	while (node && !rep_writer_failed(&t->out)) {
		struct tp_stack_node s = tp_dict_stack_at(d, node);
		bool inlined = s.parent && tp_dict_frame_at(d, s.frame).inlined;

		node = s.parent;
		if (inlined && t->v->opt.no_inlines)
			continue;
		rep_writer_printf(&t->out, "%10s   ", value);
		put_name(t, s.frame);
		rep_writer_put(&t->out, inlined ? " (inline)\n" : "\n");
		value = "";
	}
}

static void put_sample(struct traces *t, size_t sample)
{
	const struct tp_profile *p = t->v->profile;
	const struct tp_label_set *set = &p->sets[p->label_set[sample]];
	int64_t value = rep_mean(rep_view_value(t->v, sample), rep_view_divisor(t->v, sample));
	char label[REP_MEASURE_SIZE];

	if (!p->stack[sample])
		return;
	rep_writer_put(&t->out, SEPARATOR);
	put_labels(t, set, false);
	put_labels(t, set, true);
	put_stack(t, p->stack[sample], rep_view_label(t->v, value, label));
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	struct traces t = {.v = v, .nknown = tp_dict_frames(v->profile->dict)};

	(void)arg;
	rep_writer_init(&t.out, sink);
	t.known = calloc((size_t)t.nknown + 1, sizeof(*t.known));
	if (!t.known)
		rep_writer_fail(&t.out, TP_ENOMEM);
	else
		rep_writer_fail(&t.out, rep_view_heading(v, rep_heading_line, &t.out, NULL));
	for (size_t i = 0; i < v->profile->nsamples && !rep_writer_failed(&t.out); i++)
		put_sample(&t, i);
	rep_writer_put(&t.out, SEPARATOR);
	free(t.known);
	rep_lines_release(&t.lines);
	tp_buf_release(&t.names);
	tp_buf_release(&t.name);
	return rep_writer_finish(&t.out, err);
}

const struct rep_profile_report rep_profile_report_traces = {
    .name = "traces",
    .doc = "Every sample with its labels and its stack",
    .traits = {.whole_stacks = true},
    .print = print,
};
