#include "export/perfetto/perfetto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "export/anonymise.h"
#include "export/first.h"
#include "export/perfetto/json.h"
#include "export/perfetto/show.h"

/* Counters of goroutines change with every event; a range writes them at most this often. */
#define COUNTER_STEPS 8192

/* ---- a run ---- */

static int load(struct show *s, struct tp_store *store, int64_t run)
{
	const uint32_t columns = 1u << TP_COL(GOROUTINE, id) | 1u << TP_COL(GOROUTINE, name);
	struct rep_perfetto *p = s->p;
	struct tp_rows g = {0}, proc = {0};
	struct rep_goids goids = {0};
	uint64_t most = 0;
	int code = tp_rows_load(store, run, TP_TABLE_GOROUTINE, columns, &g, p->err);

	if (!code)
		code =
		    tp_rows_load(store, run, TP_TABLE_PROC, 1u << TP_COL(PROC, id), &proc, p->err);
	if (!code) {
		s->gs = calloc(g.nrows + 1, sizeof(*s->gs));
		s->ps = calloc(proc.nrows + 1, sizeof(*s->ps));
		code = s->gs && s->ps ? 0 : tp_nomem(p->err);
	}
	if (!code)
		code = rep_goids_load(&goids, store, run, p->err);
	for (size_t i = 0; !code && i < g.nrows; i++, s->ng++) {
		int64_t id = g.col[TP_COL(GOROUTINE, id)][i];
		struct rep_goid goid = rep_goids_name(&goids, id);

		most = id == goid.goid && (uint64_t)id > most ? (uint64_t)id : most;
		s->gs[i] = (struct g_state){
		    .id = (uint64_t)id,
		    .goid = goid,
		    .name = (uint32_t)g.col[TP_COL(GOROUTINE, name)][i],
		    .wanted = !s->opt->wanted || (i < s->opt->ngoroutines && s->opt->wanted[i]),
		    .p = TP_NONE,
		    .shown = TP_NONE,
		    .call_since = INT64_MIN,
		    .assist_since = INT64_MIN,
		    .stw_since = INT64_MIN,
		    .cause_ts = INT64_MIN,
		};
	}
	for (size_t i = 0; goids.n && i < s->ng; i++)
		if (s->gs[i].id != (uint64_t)s->gs[i].goid.goid)
			s->gs[i].id = ++most;
	rep_goids_release(&goids);
	for (size_t i = 0; !code && i < proc.nrows; i++, s->np++)
		s->ps[i] = (struct p_state){.id = proc.col[TP_COL(PROC, id)][i],
					    .in_call = TP_NONE,
					    .sweep_since = INT64_MIN};
	tp_rows_release(&g);
	tp_rows_release(&proc);
	return code;
}

static int add_stacks(struct rep_perfetto *p, struct tp_dict *dict)
{
	uint32_t n = tp_dict_stacks(dict);
	uint8_t *used = calloc(n, 1);
	struct perfetto_stacks *all =
	    used ? tp_more(p->stacks, p->nstacks + 1, sizeof(*all)) : NULL;

	if (!all) {
		free(used);
		tp_dict_free(dict);
		return tp_nomem(p->err);
	}
	p->stacks = all;
	p->stacks[p->nstacks++] =
	    (struct perfetto_stacks){.dict = dict, .used = used, .n = n, .first = p->frames};
	p->frames += n;
	return 0;
}

static void name_run(struct show *s)
{
	static const char *const sections[PERFETTO_NSECTIONS] = {
	    [PERFETTO_PS] = "Ps",
	    [PERFETTO_GS] = "goroutines",
	    [PERFETTO_TASKS] = "tasks",
	    [PERFETTO_COUNTERS] = "counters",
	};
	char name[300];

	for (unsigned i = 0; i < PERFETTO_NSECTIONS; i++) {
		int n = snprintf(name, sizeof(name), "%.200s: %s", s->opt->name, sections[i]);

		json_name(s->p, "process_name", (enum perfetto_section)i, 0, name,
			  n < 0 ? 0 : (size_t)n);
		json_begin(s->p, 'M', (enum perfetto_section)i, 0);
		json_str(s->p, "name", "process_sort_index");
		json_args(s->p);
		json_uint(s->p, "sort_index", s->p->pid + i);
		json_args_end(s->p);
		json_end(s->p);
	}
}

/* Writes states at the beginning of the range that the run records only after its end. If the range
 * extends to the end of the run, the run itself records them all. */
static int show_first(struct show *s, struct tp_store *store, const struct rep_run *run)
{
	const struct rep_first_ask ask = {
	    .since = s->to > run->row.duration_ns ? INT64_MAX : s->to,
	    .ng = s->ng,
	    .np = s->np,
	};
	struct rep_first first;
	int code = rep_first_load(&first, store, run, &ask, s->p->err);

	for (size_t i = 0; i < first.n && !code; i++) {
		first.ev[i].ts = -1;
		show_event(s, &first.ev[i]);
	}
	rep_first_release(&first);
	return code;
}

static int show_events(struct show *s, struct tp_store *store, int64_t run)
{
	struct tp_event_range range = {INT64_MIN, s->to, 0, INT64_MAX};
	struct tp_event_reader *r = NULL;
	const struct tp_event *ev;
	size_t n;
	bool done = false;
	int more = 0, code = tp_events_open(&r, store, run, &range, s->p->err);

	while (!code && !s->p->code && !done && (more = tp_events_next(r, &ev, &n, s->p->err)) > 0)
		for (size_t i = 0; i < n && !done; i++) {
			done = ev[i].ts >= s->to;
			if (!done)
				show_event(s, &ev[i]);
		}
	tp_events_close(r);
	return code ? code : more < 0 ? more : 0;
}

static int show_annotations(struct show *s, struct tp_store *store, int64_t run)
{
	const struct tp_rows_visitor tasks = {.rows = show_tasks, .ctx = s};
	const struct tp_rows_visitor regions = {.rows = show_regions, .ctx = s};
	int code = tp_rows_visit(store, run, TP_TABLE_TASK, SHOW_TASK_COLUMNS, &tasks, s->p->err);

	return code ? code
		    : tp_rows_visit(store, run, TP_TABLE_REGION, SHOW_REGION_COLUMNS, &regions,
				    s->p->err);
}

int rep_perfetto_run(struct rep_perfetto *p, struct tp_store *store, const struct rep_run *run,
		     const struct rep_perfetto_run *opt, struct tp_err *err)
{
	struct show s = {.p = p, .opt = opt, .gc_since = INT64_MIN, .told = INT64_MIN};
	int64_t end = run->row.duration_ns;
	int code;

	p->err = err;
	s.from = opt->from_ns < 0 ? 0 : opt->from_ns;
	s.to = opt->to_ns > end ? (end < INT64_MAX ? end + 1 : end) : opt->to_ns;
	s.step = tp_minus(s.to, s.from) / COUNTER_STEPS;
	code = tp_dict_load(store, run->row.id, &s.dict, err);
	if (!code)
		code = add_stacks(p, s.dict);
	if (!code && opt->anonymise)
		code = rep_anonymise_trace(opt->anonymise, store, run->row.id, s.dict, err);
	if (!code)
		code = load(&s, store, run->row.id);
	if (!code) {
		name_run(&s);
		code = show_first(&s, store, run);
	}
	if (!code)
		code = show_events(&s, store, run->row.id);
	if (!code) {
		show_end(&s, opt->to_ns > end ? end : s.to);
		code = show_annotations(&s, store, run->row.id);
	}
	p->pid += PERFETTO_NSECTIONS;
	free(s.gs);
	free(s.ps);
	return code ? code : p->code;
}

/* ---- the file ---- */

int rep_perfetto_begin(struct rep_perfetto **out, const struct tp_out *to,
		       const struct rep_perfetto_clock *clock, struct tp_err *err)
{
	struct rep_perfetto *p = calloc(1, sizeof(*p));

	*out = NULL;
	if (!p)
		return tp_nomem(err);
	p->out = *to;
	p->err = err;
	p->pid = 1;
	p->frames = 1;
	json_raw(p, "{");
	json_str(p, "displayTimeUnit", "ns");
	json_raw(p, ",\"otherData\":{");
	json_str(p, "clock", clock->unix_time ? "unix" : "run");
	if (clock->unix_time) {
		/* As text, because 64 bits exceed a JSON number. */
		tp_buf_printf(&p->buf, ",\"base_unix_ns\":\"%lld\"", (long long)clock->base_ns);
		json_int(p, "error_ns", clock->error_ns);
	}
	json_raw(p, "},\"traceEvents\":[");
	if (tp_buf_text(&p->buf, "")) {
		rep_perfetto_free(p);
		return tp_nomem(err);
	}
	*out = p;
	return 0;
}

static void put_frames(struct rep_perfetto *p, struct perfetto_stacks *s, bool *any)
{
	/* A caller's number is smaller than that of what it calls. */
	for (uint32_t i = s->n - 1; i > 0; i--)
		if (s->used[i])
			s->used[tp_dict_stack_at(s->dict, i).parent] = 1;
	for (uint32_t i = 1; i < s->n && !p->code; i++) {
		struct tp_stack_node node = tp_dict_stack_at(s->dict, i);
		struct tp_frame f = tp_dict_frame_at(s->dict, node.frame);
		struct tp_text t = tp_dict_text(s->dict, tp_dict_frame_name(s->dict, node.frame));
		char text[320];
		int n;

		if (!s->used[i])
			continue;
		tp_buf_printf(&p->buf, "%s\"%llu\":{", *any ? ",\n" : "\n",
			      (unsigned long long)(s->first + i));
		*any = true;
		n = snprintf(text, sizeof(text), "%.*s:%lld", (int)(t.size > 250 ? 250 : t.size),
			     t.text, (long long)f.line);
		json_text(p, "name", text, n < 0 ? 0 : (size_t)n);
		if (node.parent)
			json_uint(p, "parent", s->first + node.parent);
		json_end(p);
	}
}

int rep_perfetto_end(struct rep_perfetto *p, struct tp_err *err)
{
	bool any = false;

	p->err = err;
	json_raw(p, "],\"stackFrames\":{");
	for (size_t i = 0; i < p->nstacks; i++)
		put_frames(p, &p->stacks[i], &any);
	json_raw(p, "}}\n");
	json_flush(p, 0);
	return p->code;
}

void rep_perfetto_free(struct rep_perfetto *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nstacks; i++) {
		tp_dict_free(p->stacks[i].dict);
		free(p->stacks[i].used);
	}
	free(p->stacks);
	tp_buf_release(&p->buf);
	tp_buf_release(&p->shown);
	free(p);
}
