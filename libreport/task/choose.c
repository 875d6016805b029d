#include "task/choose.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "output/text.h"
#include "task/workers.h"

static int compile(struct rep_pick *c, int which, const char *option, const char *text,
		   struct tp_err *err)
{
	c->given[which] = text != NULL;
	return text ? tp_regex_init(&c->pattern[which], text, option, err) : 0;
}

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
	if (text->task && *text->task && !text->task[strspn(text->task, "0123456789")]) {
		errno = 0;
		c->id = strtoll(text->task, NULL, 10);
		c->by_id = true;
		if (errno)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "no task has the id %s",
					  text->task);
	}
	code = c->by_id ? 0 : compile(c, REP_PICK_TASK, "--task", text->task, err);
	if (!code)
		code = compile(c, REP_PICK_REGION, "--region", text->region, err);
	if (!code)
		code = compile(c, REP_PICK_LOG, "--log", text->log, err);
	if (!code)
		code = latency(text->min, "--min", &c->min_ns, err);
	if (!code)
		code = latency(text->max, "--max", &c->max_ns, err);
	if (!code && c->min_ns > c->max_ns)
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "no latency is from --min %s to --max %s", text->min, text->max);
	return code;
}

static void forget(struct rep_pick *c)
{
	for (int i = 0; i < REP_NPICKS; i++) {
		free(c->answer[i]);
		c->answer[i] = NULL;
	}
	c->tasks = NULL;
}

void rep_pick_release(struct rep_pick *c)
{
	forget(c);
	for (int i = 0; i < REP_NPICKS; i++) {
		tp_regex_release(&c->pattern[i]);
		c->given[i] = false;
	}
}

int rep_pick_run(struct rep_pick *c, const struct rep_tasks *tasks, struct tp_err *err)
{
	forget(c);
	c->nstrings = tp_dict_strings(tasks->v->dict);
	for (int i = 0; i < REP_NPICKS; i++) {
		c->answer[i] = c->given[i] ? calloc(c->nstrings + (size_t)1, 1) : NULL;
		if (c->given[i] && !c->answer[i])
			return tp_nomem(err);
	}
	c->tasks = tasks;
	return 0;
}

static bool matches(struct rep_pick *c, int which, int64_t string)
{
	uint8_t *answer = c->answer[which];

	if (string < 0 || string >= c->nstrings)
		string = 0;
	if (!answer[string]) {
		struct tp_text text = tp_dict_text(c->tasks->v->dict, (uint32_t)string);
		int rc = tp_regex_find(&c->pattern[which], text.text, text.size);

		answer[string] = rc == 1 ? 2 : 1;
		if (rc < 0)
			c->tasks->v->match.unknown = rc; /* rep_matcher_settle tells */
	}
	return answer[string] == 2;
}

static bool type_matches(struct rep_pick *c, uint32_t task)
{
	const struct rep_view *v = c->tasks->v;

	if (c->by_id)
		return REP_COL(v, TASK, id)[task] == c->id;
	if (!REP_COL(v, TASK, id)[task]) /* the background task: nobody began it */
		return false;
	return !c->given[REP_PICK_TASK] || matches(c, REP_PICK_TASK, REP_COL(v, TASK, name)[task]);
}

static bool region_matches(struct rep_pick *c, uint32_t region)
{
	return !c->given[REP_PICK_REGION] ||
	       matches(c, REP_PICK_REGION, REP_COL(c->tasks->v, REGION, name)[region]);
}

static bool log_matches(struct rep_pick *c, uint32_t log)
{
	const struct rep_view *v = c->tasks->v;

	return !c->given[REP_PICK_LOG] ||
	       matches(c, REP_PICK_LOG, REP_COL(v, LOG, category)[log]) ||
	       matches(c, REP_PICK_LOG, REP_COL(v, LOG, message)[log]);
}

/* Of a task that somebody else (a region, a log) belongs to. */
static bool owner_matches(struct rep_pick *c, int64_t id)
{
	uint32_t task;

	if (c->by_id)
		return id == c->id;
	if (!c->given[REP_PICK_TASK])
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
	return (!c->given[REP_PICK_REGION] || has_region(c, row)) &&
	       (!c->given[REP_PICK_LOG] || has_log(c, row));
}

bool rep_choose_region(struct rep_pick *c, uint32_t row)
{
	const struct rep_view *v = c->tasks->v;

	return region_matches(c, row) && owner_matches(c, REP_COL(v, REGION, task)[row]) &&
	       ((!c->text.min && !c->text.max) ||
		latency_matches(c, rep_region_start(v, row), rep_region_end(v, row)));
}

bool rep_choose_log(struct rep_pick *c, uint32_t row)
{
	return log_matches(c, row) && owner_matches(c, REP_COL(c->tasks->v, LOG, task)[row]);
}

#define HINT_TYPES 6

const char *rep_pick_hint(const struct rep_view *v, bool regions, char *text, size_t size)
{
	enum tp_table_id table = regions ? TP_TABLE_REGION : TP_TABLE_TASK;
	const int64_t *name = v->col[table][regions ? TP_COL(REGION, name) : TP_COL(TASK, name)];
	uint32_t shown[HINT_TYPES];
	struct rep_keys types = {0};
	size_t n = 0, at = 0;

	*text = '\0';
	for (size_t i = 0; name && i < v->nrows[table]; i++) {
		uint32_t type;

		if (name[i] <= 0 || rep_keys_add(&types, (uint32_t)name[i], 0, 0, 0, &type))
			continue;
		if (type == n && n < HINT_TYPES)
			shown[n++] = (uint32_t)name[i];
	}
	if (n)
		at = (size_t)snprintf(text, size, "there are %s of the type%s ",
				      regions ? "regions" : "tasks", types.n > 1 ? "s" : "");
	for (size_t i = 0; i < n; i++) {
		struct tp_buf b = {0};
		struct tp_text t = tp_dict_text(v->dict, shown[i]);
		const char *between = i == 0 ? "" : ", ";

		if (rep_escape(&b, t.text, t.size < 40 ? t.size : 40, REP_ESCAPE_SHOWN))
			break;
		if (at < size)
			at += (size_t)snprintf(text + at, size - at, "%s%.*s", between, (int)b.size,
					       (const char *)b.data);
		tp_buf_release(&b);
	}
	if (types.n > n && at < size)
		snprintf(text + at, size - at, " and %zu more", types.n - n);
	if (!n && v->nrows[table])
		snprintf(text, size, "the types of the trace's %s are lost%s",
			 regions ? "regions" : "tasks",
			 regions ? "" : "; --task=ID takes one task");
	else if (!n)
		snprintf(text, size, "the trace has %s", regions ? "no regions" : "no tasks");
	rep_keys_release(&types);
	return text;
}
