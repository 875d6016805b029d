#include "task/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "output/text.h"
#include "task/workers.h"

static int latency(const char *text, const char *option, int64_t *ns, struct tp_err *err)
{
	if (text && tp_ask_unit(option, text, err))
		return TP_EFORMAT;
	if (!text || !tp_parse_ns(text, ns))
		return 0;
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "%s '%s' is not a duration: give it like 100ms or 1.5s", option, text);
}

int rep_pick_init(struct rep_pick *c, const struct rep_pick_text *text, struct tp_err *err)
{
	int code;

	memset(c, 0, sizeof(*c));
	c->text = *text;
	c->min_ns = INT64_MIN;
	c->max_ns = INT64_MAX;
	code = rep_pattern_init(&c->pattern[REP_PICK_TASK], text->task, "--task", true, err);
	if (!code)
		code = rep_pattern_init(&c->pattern[REP_PICK_REGION], text->region, "--region",
					false, err);
	if (!code)
		code = rep_pattern_init(&c->pattern[REP_PICK_LOG], text->log, "--log", false, err);
	if (!code)
		code = latency(text->min, "--min", &c->min_ns, err);
	if (!code)
		code = latency(text->max, "--max", &c->max_ns, err);
	if (!code && c->min_ns > c->max_ns)
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "--min %s is longer than --max %s", text->min, text->max);
	return code;
}

void rep_pick_release(struct rep_pick *c)
{
	for (int i = 0; i < REP_NPICKS; i++)
		rep_pattern_release(&c->pattern[i]);
	rep_request_release(&c->request);
}

int rep_pick_run(struct rep_pick *c, const struct rep_tasks *tasks, struct tp_err *err)
{
	int code = 0;

	for (int i = 0; !code && i < REP_NPICKS; i++)
		code = rep_pattern_run(&c->pattern[i], tasks->v->dict, err);
	c->tasks = tasks;
	rep_request_release(&c->request);
	if (!code && c->pattern[REP_PICK_TASK].request)
		code = rep_request_find(&c->request, tasks->v, c->text.task, err);
	return code;
}

static bool matches(struct rep_pick *c, int which, int64_t string)
{
	struct rep_pattern *p = &c->pattern[which];
	bool match = rep_pattern_matches(p, string);

	if (p->unknown)
		c->tasks->v->match.unknown = p->unknown; /* rep_matcher_settle reports it */
	return match;
}

static bool type_matches(struct rep_pick *c, uint32_t task)
{
	const struct rep_view *v = c->tasks->v;

	if (c->pattern[REP_PICK_TASK].by_id)
		return REP_AT(v, TASK, id, task) == c->pattern[REP_PICK_TASK].id;
	if (c->pattern[REP_PICK_TASK].request)
		return c->request.task[task];
	/* Only its id, 0, selects the background task, which no goroutine began. */
	return REP_AT(v, TASK, id, task) && matches(c, REP_PICK_TASK, REP_AT(v, TASK, name, task));
}

static bool region_matches(struct rep_pick *c, uint32_t region)
{
	return matches(c, REP_PICK_REGION, REP_AT(c->tasks->v, REGION, name, region));
}

static bool log_matches(struct rep_pick *c, uint32_t log)
{
	const struct rep_view *v = c->tasks->v;

	return matches(c, REP_PICK_LOG, REP_AT(v, LOG, category, log)) ||
	       matches(c, REP_PICK_LOG, REP_AT(v, LOG, message, log));
}

/* Returns whether the task to which a region or a log belongs matches. */
static bool owner_matches(struct rep_pick *c, int64_t id)
{
	const struct rep_pattern *p = &c->pattern[REP_PICK_TASK];
	uint32_t task;

	if (p->by_id)
		return id == p->id;
	if (!p->given && !p->request)
		return true;
	task = rep_tasks_find(c->tasks, id);
	return task != TP_NONE && type_matches(c, task);
}

static bool latency_matches(const struct rep_pick *c, int64_t start, int64_t end)
{
	int64_t ns = tp_minus(end, start);

	return ns >= c->min_ns && ns <= c->max_ns;
}

static bool has_region(struct rep_pick *c, uint32_t task)
{
	const struct rep_tasks *t = c->tasks;

	for (uint32_t i = t->first_region[task]; i < t->first_region[task + 1]; i++) {
		if (region_matches(c, t->region[i]))
			return true;
	}
	return false;
}

static bool has_log(struct rep_pick *c, uint32_t task)
{
	const struct rep_tasks *t = c->tasks;

	for (uint32_t i = t->first_log[task]; i < t->first_log[task + 1]; i++) {
		if (log_matches(c, t->log[i]))
			return true;
	}
	return false;
}

bool rep_choose_task(struct rep_pick *c, uint32_t row)
{
	const struct rep_tasks *t = c->tasks;

	if (!type_matches(c, row))
		return false;
	if ((c->text.min || c->text.max) &&
	    (!rep_task_complete(t, row) ||
	     !latency_matches(c, rep_task_start(t, row), rep_task_end(t, row))))
		return false;
	return (!c->pattern[REP_PICK_REGION].given || has_region(c, row)) &&
	       (!c->pattern[REP_PICK_LOG].given || has_log(c, row));
}

bool rep_choose_region(struct rep_pick *c, uint32_t row)
{
	const struct rep_view *v = c->tasks->v;

	return region_matches(c, row) &&
	       (owner_matches(c, REP_AT(v, REGION, task, row)) ||
		(c->request.region && c->request.region[row])) &&
	       ((!c->text.min && !c->text.max) ||
		latency_matches(c, rep_region_start(v, row), rep_region_end(v, row)));
}

bool rep_choose_log(struct rep_pick *c, uint32_t row)
{
	return log_matches(c, row) && (owner_matches(c, REP_AT(c->tasks->v, LOG, task, row)) ||
				       (c->request.log && c->request.log[row]));
}

#define NAMES	     6	/* limit on the names in a sentence */
#define LONGEST_NAME 40 /* bytes; longer names are cut */

int rep_pick_names(struct tp_buf *b, const struct tp_dict *dict, const struct rep_keys *names)
{
	char more[40];
	int code = 0;

	for (size_t i = 0; !code && i < names->n && i < NAMES; i++) {
		struct tp_text t = tp_dict_text(dict, names->key[i].part[0]);
		size_t n = t.size < LONGEST_NAME ? t.size : LONGEST_NAME;

		while (n < t.size && n && ((unsigned char)t.text[n] & 0xc0) == 0x80)
			n--; /* do not cut within a character */
		code = tp_buf_put(b, ", ", i ? 2 : 0);
		if (!code)
			code = rep_escape(b, t.text, n, REP_ESCAPE_SHOWN);
		if (!code)
			code = tp_buf_put(b, "...", n < t.size ? 3 : 0);
	}
	if (!code && names->n > NAMES)
		code = tp_buf_put(
		    b, more,
		    (size_t)snprintf(more, sizeof(more), " and %zu more", names->n - NAMES));
	return code;
}

bool rep_has_tasks(const struct rep_view *v)
{
	bool known = rep_view_has(v, TP_TABLE_TASK, TP_COL(TASK, id));

	for (size_t i = 0; known && i < v->nrows[TP_TABLE_TASK]; i++)
		if (REP_AT(v, TASK, id, i))
			return true;
	return false;
}

const char *rep_pick_hint(const struct rep_view *v, bool regions, char *text, size_t size)
{
	enum tp_table_id table = regions ? TP_TABLE_REGION : TP_TABLE_TASK;
	int column = regions ? TP_COL(REGION, name) : TP_COL(TASK, name);
	bool known = rep_view_has(v, table, column);
	bool ids = !regions && rep_view_has(v, table, TP_COL(TASK, id));
	const char *what = regions ? "regions" : "tasks";
	struct rep_keys types = {0};
	struct tp_buf b = {0};
	bool any = false;
	uint32_t at;

	for (size_t i = 0; known && i < v->nrows[table]; i++) {
		int64_t name = rep_view_at(v, table, column, i);

		any = any || !ids || REP_AT(v, TASK, id, i); /* 0: the background task */
		if (name > 0 && rep_keys_add(&types, (uint32_t)name, 0, 0, 0, &at))
			break;
	}
	if (types.n && !rep_pick_names(&b, v->dict, &types))
		snprintf(text, size, "there are %s of the type%s %.*s", what,
			 types.n > 1 ? "s" : "", (int)b.size, (const char *)b.data);
	else if (any)
		snprintf(text, size, "the types of the trace's %s are lost%s", what,
			 regions ? "" : "; --task=ID takes one, 'tprof-top FILE task' lists them");
	else
		snprintf(text, size, "the trace has no %s", what);
	tp_buf_release(&b);
	rep_keys_release(&types);
	return text;
}
