/* Tasks and regions, from their tables. */
#include <stdio.h>
#include <string.h>

#include "export/perfetto/show.h"

int show_tasks(void *ctx, const struct tp_rows *t, size_t first, struct tp_err *err)
{
	struct show *s = ctx;

	(void)first;
	(void)err;
	for (size_t i = 0; i < t->nrows; i++) {
		const int64_t *const *c = (const int64_t *const *)t->col;
		int64_t start = c[TP_COL(TASK, start_ns)][i], end = c[TP_COL(TASK, end_ns)][i];
		uint64_t id = (uint64_t)c[TP_COL(TASK, id)][i];
		uint32_t name = (uint32_t)c[TP_COL(TASK, name)][i];
		int64_t g = c[TP_COL(TASK, goroutine)][i];
		struct tp_text n = tp_dict_text(s->dict, name);
		char label[240];

		if (start == TP_NULL)
			start = 0;
		if (g >= 0 && g < s->ng && !s->gs[g].wanted)
			continue;
		s->now = end == TP_NULL ? s->to : end;
		if (start >= s->to || s->now < s->from)
			continue;
		snprintf(label, sizeof(label), "T%llu %.*s", (unsigned long long)id,
			 (int)(n.size > 200 ? 200 : n.size), n.text);
		json_name(s->p, "thread_name", PERFETTO_TASKS, id, label, strlen(label));
		if (!show_slice(s, PERFETTO_TASKS, id, start))
			continue;
		show_text(s, "name", "", name, "");
		json_stack(s->p, "sf", (uint32_t)c[TP_COL(TASK, stack)][i]);
		json_args(s->p);
		json_uint(s->p, "id", id);
		json_uint(s->p, "parent", (uint64_t)c[TP_COL(TASK, parent)][i]);
		if (g >= 0 && g < s->ng)
			show_g_arg(s, "start_g", &s->gs[g]);
		json_str(s->p, "ended", end == TP_NULL ? "no" : "yes");
		json_args_end(s->p);
		json_end(s->p);
	}
	return 0;
}

int show_regions(void *ctx, const struct tp_rows *t, size_t first, struct tp_err *err)
{
	struct show *s = ctx;

	(void)first;
	(void)err;
	for (size_t i = 0; i < t->nrows; i++) {
		const int64_t *const *c = (const int64_t *const *)t->col;
		int64_t start = c[TP_COL(REGION, start_ns)][i];
		int64_t end = c[TP_COL(REGION, end_ns)][i];
		int64_t g = c[TP_COL(REGION, goroutine)][i];
		uint32_t name = (uint32_t)c[TP_COL(REGION, name)][i];
		int64_t at[2] = {start == TP_NULL || start < s->from ? s->from : start,
				 end == TP_NULL || end > s->to ? s->to : end};

		if (!name || g < 0 || g >= s->ng || !s->gs[g].wanted || at[0] >= s->to ||
		    at[1] < s->from || at[1] < at[0])
			continue;
		show_name_g(s, &s->gs[g]);
		s->p->flows++;
		for (int k = 0; k < 2; k++) {
			json_begin(s->p, k ? 'e' : 'b', PERFETTO_GS, s->gs[g].id);
			show_ts(s, at[k]);
			show_text(s, "name", "", name, "");
			json_str(s->p, "cat", "Region");
			json_uint(s->p, "id", s->p->flows);
			if (!k)
				json_stack(s->p, "sf", (uint32_t)c[TP_COL(REGION, stack)][i]);
			json_args(s->p);
			json_int(s->p, "taskid", c[TP_COL(REGION, task)][i]);
			json_args_end(s->p);
			json_end(s->p);
		}
	}
	return 0;
}
