/* Rows, and how states are shown. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "output/output.h"
#include "tprof-web/lanes_inside.h"

#define MOST_UNFOLDED 1000
#define MOST_COLS     8192

/* ---- states ---- */

const char *const web_shown[WEB_NSHOWN] = {"running", "runnable", "syscall",
					   "blocked", "lost",	  "idle"};

enum web_show web_show_of(unsigned state)
{
	static const uint8_t shown[TP_NSTATES] = {
	    [TP_ST_NONE] = WEB_NSHOWN,
	    [TP_ST_UNDETERMINED] = WEB_LOST,
	    [TP_ST_NOT_EXIST] = WEB_NSHOWN,
	    [TP_ST_RUNNABLE] = WEB_RUNNABLE,
	    [TP_ST_RUNNING] = WEB_RUNNING,
	    [TP_ST_WAITING] = WEB_BLOCKED,
	    [TP_ST_SYSCALL] = WEB_SYSCALL,
	    [TP_ST_IDLE] = WEB_IDLE,
	    [TP_ST_SYSCALL_BLOCKED] = WEB_SYSCALL,
	    [TP_ST_LOST] = WEB_LOST,
	};

	return state < TP_NSTATES ? (enum web_show)shown[state] : WEB_NSHOWN;
}

uint32_t web_show_states(enum web_show shown)
{
	uint32_t states = 0;

	for (unsigned i = 0; i < TP_NSTATES; i++)
		states |= (uint32_t)(web_show_of(i) == shown) << i;
	return states;
}

void web_show_cell(const struct rep_cell *cell, int64_t ns[WEB_NSHOWN])
{
	for (int i = 0; i < WEB_NSHOWN; i++)
		ns[i] = 0;
	for (unsigned i = 0; i < TP_NSTATES; i++) {
		if (cell->ns[i] && web_show_of(i) != WEB_NSHOWN)
			tp_sum(&ns[web_show_of(i)], cell->ns[i]);
	}
}

enum web_show web_show_most(const int64_t ns[WEB_NSHOWN])
{
	int most = WEB_NSHOWN;

	for (int i = WEB_RUNNING; i <= WEB_SYSCALL; i++) {
		if (ns[i] > (most == WEB_NSHOWN ? 0 : ns[most]))
			most = i;
	}
	for (int i = WEB_BLOCKED; i <= WEB_IDLE && most >= WEB_BLOCKED; i++) {
		if (ns[i] > (most == WEB_NSHOWN ? 0 : ns[most]))
			most = i;
	}
	return (enum web_show)most;
}

/* ---- parameters ---- */

int web_number(const struct web_query *q, const char *name, int64_t missing, int64_t least,
	       int64_t most, int64_t *value, struct tp_err *err)
{
	const char *text = web_query_get(q, name);
	char *end = NULL;

	*value = missing;
	if (!text)
		return 0;
	errno = 0;
	*value = strtoll(text, &end, 10);
	if (errno || end == text || *end || (*text != '-' && (*text < '0' || *text > '9')) ||
	    *value < least || *value > most)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "%s is not a whole number from %" PRId64 " to %" PRId64, name,
				  least, most);
	return 0;
}

int web_numbers(const struct web_query *q, const struct web_number *number, size_t n,
		struct tp_err *err)
{
	int code = 0;

	for (size_t i = 0; i < n && !code; i++)
		code = web_number(q, number[i].name, number[i].missing, number[i].least,
				  number[i].most, number[i].value, err);
	return code;
}

int web_window_read(const struct web_ask *ask, struct web_window *w, struct tp_err *err)
{
	int64_t cols;
	const struct web_number numbers[] = {
	    {"from", 0, -WEB_MOST_NS, WEB_MOST_NS, &w->from},
	    {"cols", 1, 1, MOST_COLS, &cols},
	    {"step", 1, 1, WEB_MOST_NS / MOST_COLS, &w->step},
	};
	int code = web_numbers(ask->query, numbers, 3, err);

	w->cols = code ? 1 : (int)cols;
	return code;
}

static int read_options(const struct web_query *q, struct rep_lanes_options *o, uint32_t *unfolded,
			struct tp_err *err)
{
	const char *kind = web_query_get(q, "kind"), *at = web_query_get(q, "unfold");
	const struct web_number range[] = {{"lo", INT64_MIN, INT64_MIN, INT64_MAX, &o->from},
					   {"hi", INT64_MAX, INT64_MIN, INT64_MAX, &o->to}};
	int code = web_numbers(q, range, 2, err);

	if (code)
		return code;
	while (kind && o->kind < REP_NLANE_KINDS && strcmp(kind, rep_lane_kinds[o->kind]) != 0)
		o->kind++;
	if (o->kind == REP_NLANE_KINDS)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "kind: '%.40s' is no kind of rows", kind);
	o->unfolded = unfolded;
	while (at && *at) {
		char *end;
		unsigned long string = strtoul(at, &end, 10);

		if (*at < '0' || *at > '9' || string > UINT32_MAX || (*end && *end != ',') ||
		    o->nunfolded == MOST_UNFOLDED)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "unfold: '%.40s' is not a list of at most %d groups", at,
					  MOST_UNFOLDED);
		unfolded[o->nunfolded++] = (uint32_t)string;
		at = end + (*end == ',');
	}
	return 0;
}

/* ---- lists ---- */

int web_rows_list(const struct web_ask *ask, struct tp_err *err)
{
	const char *unfold = web_query_get(ask->query, "unfold");
	struct web_run *r = ask->run;
	uint32_t unfolded[MOST_UNFOLDED];
	struct rep_lanes_options o = {.kind = REP_LANE_GROUP};
	int code = read_options(ask->query, &o, unfolded, err);

	unfold = unfold ? unfold : "";
	if (code)
		return code;
	if (r->unfold && !strcmp(r->unfold, unfold) && r->listed.kind == o.kind &&
	    r->listed.from == o.from && r->listed.to == o.to)
		return 0;
	rep_lane_rows_release(&r->rows);
	free(r->unfold);
	r->unfold = NULL;
	code = rep_lanes_rows(r->lanes, &o, &r->rows, err);
	if (code)
		return code;
	r->listed = o;
	r->listed.unfolded = NULL;
	r->unfold = strdup(unfold);
	return r->unfold ? 0 : tp_nomem(err);
}

/* ---- output ---- */

static void put_id(struct tp_buf *out, const struct rep_lane *row)
{
	char text[REP_GOID_SIZE];

	if (row->kind == REP_LANE_GOROUTINE)
		tp_buf_printf(out, "\"%s\"", rep_goid_text(&row->goid, text));
	else
		tp_buf_printf(out, "\"%" PRId64 "\"", row->id);
}

void web_rows_put(struct tp_buf *out, const struct rep_lane *row)
{
	tp_buf_printf(out, "[%d,%" PRIu32 ",", (int)row->kind, row->index);
	put_id(out, row);
	tp_buf_printf(out, ",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", row->depth,
		      row->from, row->to, row->busy_ns, row->id);
	rep_put_json(out, row->name, row->name_size);
	tp_buf_text(out, "]");
}

void web_rows_put_goroutine(struct tp_buf *out, const struct web_run *r, uint32_t goroutine)
{
	struct rep_goid goid = rep_lanes_goid(r->lanes, goroutine);
	uint32_t entry = rep_lanes_entry(r->lanes, goroutine);
	struct tp_text name = {.text = "", .size = 0};
	char text[REP_GOID_SIZE];

	if (goroutine == TP_NONE || !rep_goid_is(&goid)) {
		tp_buf_text(out, "null");
		return;
	}
	if (entry != TP_NONE)
		name = tp_dict_text(rep_lanes_dict(r->lanes), entry);
	tp_buf_printf(out, "{\"index\":%" PRIu32 ",\"id\":\"%s\",\"name\":", goroutine,
		      rep_goid_text(&goid, text));
	rep_put_json(out, name.text, name.size);
	tp_buf_text(out, "}");
}

static bool is_called(const struct rep_lanes *lanes, uint32_t goroutine,
		      const struct rep_goid *name)
{
	struct rep_goid goid = rep_lanes_goid(lanes, goroutine);

	return goid.goid == name->goid &&
	       (!name->life || goid.life == name->life || (name->life == 1 && !goid.life));
}

/* {"duration":…,"total":…,"row":…,"group":…,"g":…,"lane":…}: the number of rows, and where the goroutine `index`, or
 * the one called `id`, has its row: -1 if that is folded or does not exist in the time asked for. */
int web_answer_rows(const struct web_ask *ask, struct tp_err *err)
{
	struct web_run *r = ask->run;
	const char *id = web_query_get(ask->query, "id");
	struct rep_goid goid = REP_GOID_NONE;
	int64_t index, row = -1;
	int code = web_number(ask->query, "index", TP_NONE, 0, TP_NONE, &index, err);

	if (!code && id && rep_goid_parse(id, &goid) != 1)
		code =
		    tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "id: '%.40s' is no goroutine", id);
	if (!code)
		code = web_rows_list(ask, err);
	if (code)
		return code;
	for (uint32_t g = 0; id && g < rep_lanes_goroutines(r->lanes) && index == TP_NONE; g++) {
		if (rep_lanes_entry(r->lanes, g) != TP_NONE && is_called(r->lanes, g, &goid))
			index = g;
	}
	tp_buf_printf(ask->out, "{\"duration\":%" PRId64 ",\"total\":%zu",
		      rep_lanes_duration(r->lanes), r->rows.n);
	for (size_t i = 0; i < r->rows.n && row < 0; i++) {
		if (r->rows.row[i].kind == REP_LANE_GOROUTINE && r->rows.row[i].index == index) {
			row = (int64_t)i;
			tp_buf_text(ask->out, ",\"lane\":");
			web_rows_put(ask->out, &r->rows.row[i]);
		}
	}
	tp_buf_printf(ask->out, ",\"row\":%" PRId64, row);
	if (rep_lanes_entry(r->lanes, (uint32_t)index) != TP_NONE) {
		tp_buf_printf(ask->out, ",\"group\":%" PRIu32 ",\"g\":",
			      rep_lanes_entry(r->lanes, (uint32_t)index));
		web_rows_put_goroutine(ask->out, r, (uint32_t)index);
	}
	return tp_buf_text(ask->out, "}");
}
