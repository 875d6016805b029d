/* One place of a timeline: what a goroutine did there, why, and its stacks over time. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/sum.h"
#include "keys.h"
#include "output/output.h"
#include "path/wake.h"
#include "tprof-web/lanes_inside.h"

#define MOST_FRAMES  200
#define MOST_WAKEUPS 100
#define MOST_LINKS   100
#define MOST_SPANS   20000

static void put_text(struct tp_buf *out, const struct tp_dict *dict, uint32_t string)
{
	struct tp_text text = tp_dict_text(dict, string);

	rep_put_json(out, text.text, text.size);
}

/* Appends [[function, file, line, is it the site?], …], the leaf first. */
static void put_stack(struct tp_buf *out, const struct tp_dict *dict, uint32_t stack)
{
	uint32_t site = stack ? rep_path_site(dict, stack) : 0;
	bool told = false;

	tp_buf_text(out, "[");
	for (uint32_t at = stack, n = 0; at && n < MOST_FRAMES; n++) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);
		struct tp_frame frame = tp_dict_frame_at(dict, node.frame);
		struct tp_function function = tp_dict_function_at(dict, frame.function);
		bool is_site = !told && site && function.name == site;

		tp_buf_text(out, n ? ",[" : "[");
		put_text(out, dict, function.name);
		tp_buf_text(out, ",");
		put_text(out, dict, function.file);
		tp_buf_printf(out, ",%" PRId64 ",%d]", (int64_t)frame.line, is_site);
		told |= is_site;
		/* A parent has a smaller index than its child, so this ends in damaged trees, too. */
		at = node.parent < at ? node.parent : 0;
	}
	tp_buf_text(out, "]");
}

static const char *outside(enum rep_path_kind ender)
{
	switch (ender) {
	case REP_PATH_NETWORK:
		return "the network poller";
	case REP_PATH_TIMER:
		return "a timer";
	case REP_PATH_COLLECTOR:
		return "the garbage collector";
	default:
		return "";
	}
}

static void put_span(struct tp_buf *out, const struct tp_dict *dict, const struct tp_span *span)
{
	enum web_show shown = web_show_of(span->state);

	tp_buf_printf(out,
		      "\"state\":\"%s\",\"start\":%" PRId64 ",\"end\":%" PRId64
		      ",\"open\":%s,\"reason\":",
		      shown == WEB_NSHOWN ? "" : web_shown[shown], span->start, span->end,
		      span->open ? "true" : "false");
	put_text(out, dict, span->reason);
}

/* The place of a request: `ns`, or with `step` a column that begins then, of the goroutine `g` or of a row. */
struct place {
	struct rep_lane lane;
	bool has_lane;
	int64_t ns, shown[WEB_NSHOWN]; /* of the column */
	uint32_t goroutine;	       /* TP_NONE: none is there */
};

/* Chooses the moment in the longest span of the state that the column's cell shows. */
static int pick(const struct web_ask *ask, struct place *at, int64_t step, struct tp_err *err)
{
	struct rep_lanes *lanes = ask->run->lanes;
	struct rep_picture p = {
	    .from = at->ns, .to = at->ns + step, .cols = 1, .row = &at->lane, .nrows = 1};
	int code = rep_lanes_draw(lanes, &p, ask->stop, err);

	if (!code)
		web_show_cell(p.cell, at->shown);
	free(p.cell);
	if (code || step == 1 || at->lane.kind != REP_LANE_GOROUTINE)
		return code;
	code = rep_lanes_longest(lanes, at->lane.index, web_show_states(web_show_most(at->shown)),
				 p.from, p.to, ask->stop, &at->ns, err);
	return code == TP_ENOENT ? 0 : code;
}

static int read_place(const struct web_ask *ask, struct place *at, struct tp_err *err)
{
	struct web_run *r = ask->run;
	int64_t g, row, step;
	const struct web_number numbers[] = {{"g", TP_NONE, 0, TP_NONE, &g},
					     {"row", -1, -1, INT64_MAX, &row},
					     {"ns", 0, -WEB_MOST_NS, WEB_MOST_NS, &at->ns},
					     {"step", 1, 1, WEB_MOST_NS, &step}};
	int code = web_numbers(ask->query, numbers, 4, err);

	if (!code)
		code = web_rows_list(ask, err);
	if (code)
		return code;
	at->lane = (struct rep_lane){.kind = REP_LANE_GOROUTINE, .index = (uint32_t)g};
	at->has_lane = g != TP_NONE;
	if (!at->has_lane && row >= 0 && (uint64_t)row < r->rows.n) {
		at->lane = r->rows.row[row];
		at->has_lane = true;
	}
	at->goroutine = at->lane.kind == REP_LANE_GOROUTINE ? at->lane.index : TP_NONE;
	if (!at->has_lane)
		return 0;
	code = pick(ask, at, step, err);
	return code || at->lane.kind == REP_LANE_GOROUTINE
		   ? code
		   : rep_lanes_on(r->lanes, &at->lane, at->ns, &at->goroutine, err);
}

/* ---- what it does then ---- */

static void put_wakeups(const struct web_ask *ask, const struct rep_moment *m)
{
	size_t n = m->nwakeups < MOST_WAKEUPS ? m->nwakeups : MOST_WAKEUPS;

	tp_buf_text(ask->out, ",\"wakeups\":[");
	for (size_t i = 0; i < n; i++) {
		tp_buf_printf(ask->out, "%s{\"ns\":%" PRId64 ",\"g\":", i ? "," : "",
			      m->wakeup[i].ns);
		web_rows_put_goroutine(ask->out, ask->run, m->wakeup[i].goroutine);
		tp_buf_text(ask->out, "}");
	}
	tp_buf_printf(ask->out, "],\"more\":%s",
		      n < m->nwakeups || m->more_wakeups ? "true" : "false");
}

static void put_moment(const struct web_ask *ask, const struct rep_moment *m)
{
	const struct tp_dict *dict = rep_lanes_dict(ask->run->lanes);
	struct tp_buf *out = ask->out;

	put_span(out, dict, &m->span);
	tp_buf_text(out, ",\"stack\":");
	put_stack(out, dict, m->span.stack);
	/* Only a wait that was ended by a goroutine has a waker's stack. */
	tp_buf_text(out, ",\"waker_stack\":");
	put_stack(out, dict, m->ender == REP_PATH_RUNNING ? m->span.waker_stack : 0);
	tp_buf_printf(out, ",\"outside\":\"%s\",\"cause\":", outside(m->ender));
	if (m->cause.goroutine == TP_NONE) {
		tp_buf_text(out, "null");
	} else {
		tp_buf_printf(out, "{\"ns\":%" PRId64 ",\"g\":", m->cause.ns);
		web_rows_put_goroutine(out, ask->run, m->cause.goroutine);
		tp_buf_text(out, "}");
	}
	put_wakeups(ask, m);
}

/* {"ns":…,"cell":{"running":ns, …},"g":…}, and of a goroutine what it does at `ns`. */
int web_answer_moment(const struct web_ask *ask, struct tp_err *err)
{
	struct rep_moment m = {0};
	struct place at = {0};
	int code = read_place(ask, &at, err);

	if (!code && at.goroutine != TP_NONE)
		code = rep_lanes_moment(ask->run->lanes, at.goroutine, at.ns, &m, err);
	if (!code) {
		tp_buf_printf(ask->out, "{\"ns\":%" PRId64 ",\"cell\":{", at.ns);
		for (int i = 0; i < WEB_NSHOWN; i++)
			tp_buf_printf(ask->out, "%s\"%s\":%" PRId64, i ? "," : "", web_shown[i],
				      at.shown[i]);
		tp_buf_text(ask->out, "},\"g\":");
		web_rows_put_goroutine(ask->out, ask->run, at.goroutine);
		if (at.goroutine != TP_NONE) {
			tp_buf_text(ask->out, ",");
			put_moment(ask, &m);
		}
		tp_buf_text(ask->out, "}");
	}
	rep_moment_release(&m);
	return code;
}

/* ---- the chain of wake-ups ---- */

/* {"links":[{"g":…,"state":…,"start":…,"end":…,"reason":…,"at":…}, …],"outside":…}: each goroutine was woken
 * or created at `at` by the one that follows. The last has no `at`: its cause is not known, or is outside. */
int web_answer_chain(const struct web_ask *ask, struct tp_err *err)
{
	struct web_run *r = ask->run;
	struct place at = {0};
	enum rep_path_kind ender = REP_PATH_RUNNING;
	int code = read_place(ask, &at, err);
	uint32_t goroutine = at.goroutine;
	int64_t ns = at.ns;

	tp_buf_text(ask->out, "{\"links\":[");
	for (int i = 0; i < MOST_LINKS && !code && goroutine != TP_NONE; i++) {
		struct rep_moment m = {0};

		if (ask->stop && atomic_load(ask->stop))
			return tp_err_set(err, TP_ECANCEL, TP_OFFSET_NONE, "interrupted");
		code = rep_lanes_moment(r->lanes, goroutine, ns, &m, err);
		if (!code) {
			tp_buf_text(ask->out, i ? ",{\"g\":" : "{\"g\":");
			web_rows_put_goroutine(ask->out, r, goroutine);
			tp_buf_text(ask->out, ",");
			put_span(ask->out, rep_lanes_dict(r->lanes), &m.span);
			if (m.cause.goroutine != TP_NONE)
				tp_buf_printf(ask->out, ",\"at\":%" PRId64, m.cause.ns);
			tp_buf_text(ask->out, "}");
			ender = m.ender;
		}
		/* Causes go back in time; only a damaged trace goes round. */
		goroutine = !code && (i == 0 || m.cause.ns <= ns) ? m.cause.goroutine : TP_NONE;
		ns = m.cause.ns;
		rep_moment_release(&m);
	}
	tp_buf_printf(ask->out, "],\"outside\":\"%s\"}", outside(ender));
	return code == TP_ENOENT ? 0 : code;
}

/* ---- stacks over time ---- */

struct stacks {
	const struct web_ask *ask;
	uint32_t goroutine;
	struct rep_keys stacks, functions; /* stacks; names of functions */
	size_t n;
	bool more, nomem;
};

/* Returns the number of a stack in the answer, 0 for none. */
static uint32_t number_of(struct stacks *s, uint32_t stack)
{
	uint32_t at = 0;

	if (!stack)
		return 0;
	s->nomem |= rep_keys_add(&s->stacks, stack, 0, 0, 0, &at) != 0;
	return at + 1;
}

static int put_stack_span(void *ctx, const struct tp_span *span)
{
	struct stacks *s = ctx;
	enum web_show shown = web_show_of(span->state);

	if (s->n == MOST_SPANS)
		s->more = true;
	if (s->more || s->nomem)
		return 1;
	tp_buf_printf(s->ask->out, "%s[%" PRId64 ",%" PRId64 ",%d,%" PRIu32 ",", s->n++ ? "," : "",
		      span->start, span->end, (int)shown,
		      /* A runnable goroutine has no stack of its own. */
		      span->state == TP_ST_RUNNABLE ? 0 : number_of(s, span->stack));
	put_text(s->ask->out, rep_lanes_dict(s->ask->run->lanes), span->reason);
	tp_buf_text(s->ask->out, "]");
	return 0;
}

static int put_sample(void *ctx, const struct rep_mark *mark)
{
	struct stacks *s = ctx;

	if (mark->goroutine != s->goroutine)
		return 0;
	if (s->n == MOST_SPANS)
		s->more = true;
	if (s->more || s->nomem)
		return 1;
	tp_buf_printf(s->ask->out, "%s[%" PRId64 ",%" PRIu32 "]",
		      s->ask->out->data[s->ask->out->size - 1] == '[' ? "" : ",", mark->from,
		      number_of(s, mark->stack));
	s->n++;
	return 0;
}

/* Appends for each stack the numbers of its functions, the root first, then the names of functions. */
static int put_functions(struct stacks *s)
{
	const struct tp_dict *dict = rep_lanes_dict(s->ask->run->lanes);
	struct tp_buf *out = s->ask->out;

	tp_buf_text(out, "],\"stacks\":[[]");
	for (uint32_t i = 0; i < s->stacks.n; i++) {
		uint32_t name[MOST_FRAMES], n = 0;

		for (uint32_t at = s->stacks.key[i].part[0]; at && n < MOST_FRAMES;) {
			struct tp_stack_node node = tp_dict_stack_at(dict, at);
			struct tp_frame frame = tp_dict_frame_at(dict, node.frame);
			uint32_t string = tp_dict_function_at(dict, frame.function).name;

			s->nomem |= rep_keys_add(&s->functions, string, 0, 0, 0, &name[n++]) != 0;
			at = node.parent < at ? node.parent : 0;
		}
		tp_buf_text(out, ",[");
		while (n-- > 0 && !s->nomem)
			tp_buf_printf(out, "%" PRIu32 "%s", name[n], n ? "," : "");
		tp_buf_text(out, "]");
	}
	tp_buf_text(out, "],\"functions\":[");
	for (uint32_t i = 0; i < s->functions.n; i++) {
		tp_buf_text(out, i ? "," : "");
		put_text(out, dict, s->functions.key[i].part[0]);
	}
	tp_buf_printf(out, "],\"more\":%s}", s->more ? "true" : "false");
	return s->nomem || out->failed ? TP_ENOMEM : 0;
}

/* {"spans":[[from, to, shown state, stack, reason], …],"samples":[[ns, stack], …],"stacks":[[function, …], …],
 * "functions":[…],"more":…} of the goroutine `g`. Stack 0 is unknown. */
int web_answer_stacks(const struct web_ask *ask, struct tp_err *err)
{
	struct stacks s = {.ask = ask};
	int64_t from, to, g;
	const struct web_number numbers[] = {{"g", TP_NONE, 0, TP_NONE, &g},
					     {"from", 0, INT64_MIN, INT64_MAX, &from},
					     {"to", INT64_MAX, INT64_MIN, INT64_MAX, &to}};
	int code = web_numbers(ask->query, numbers, 3, err);

	if (code)
		return code;
	s.goroutine = (uint32_t)g;
	tp_buf_text(ask->out, "{\"spans\":[");
	code = rep_lanes_spans(ask->run->lanes, s.goroutine, from, to, put_stack_span, &s,
			       ask->stop, err);
	if (code == TP_ELIMIT) {
		s.more = true;
		code = 0;
	}
	tp_buf_text(ask->out, "],\"samples\":[");
	if (!code)
		code = rep_lanes_marks(ask->run->lanes, 1u << REP_MARK_SAMPLE, from, to, put_sample,
				       &s, ask->stop, err);
	if (!code && put_functions(&s))
		code = tp_nomem(err);
	rep_keys_release(&s.stacks);
	rep_keys_release(&s.functions);
	return code;
}
