#include "decode/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "profile/trace_stack.h"
#include "top/job.h"

#define MAX_TYPES  16
#define MAX_LABELS 8

/* Columns that become sample types of the profile, because adding up their numbers over rows makes
 * sense. A name means the same in all reports, so a new report needs an entry only for a new name. */
static const char *const additive[] = {
    "count",	       "total_ns",	     "latency_ns", "spans",   "running_ns",
    "runnable_ns",     "blocked_ns",	     "syscall_ns", "lost_ns", "nobody_ns",
    "incomplete",      "swept_bytes",	     "regions",	   "logs",    "children",
    "reclaimed_bytes", "syscall_blocked_ns",
};

/* Text columns that repeat what the row's stack says; they do not become labels. */
static const char *const of_stacks[] = {"where", "function", "location", "stack"};

struct shape {
	size_t type[MAX_TYPES], ntypes;	   /* columns */
	size_t label[MAX_LABELS], nlabels; /* columns */
	size_t name;			   /* column; SIZE_MAX: rows have stacks */
};

static bool listed(const char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(list[i], name))
			return true;
	return false;
}

/* Sorts the columns into sample types, labels, and the one that names the rows. */
static void take_shape(const struct rep_report *r, struct shape *s)
{
	bool stacks = r->ops && r->ops->stack;

	*s = (struct shape){.name = SIZE_MAX};
	for (size_t i = 0; i < r->ncolumns; i++) {
		const struct rep_column *c = &r->columns[i].column;
		bool run = !strcmp(c->name, "run");
		/* Columns that are shown tell rows apart; "most_…" and "worst_…" are about a part
		 * of a row. */
		bool tells = (run || !c->raw_only) && strncmp(c->name, "most_", 5) != 0 &&
			     strncmp(c->name, "worst_", 6) != 0 && s->nlabels < MAX_LABELS;

		if (c->table_only)
			continue;
		if (c->kind == REP_TEXT && !stacks && s->name == SIZE_MAX && !run)
			s->name = i;
		else if (c->kind == REP_TEXT &&
			 !(stacks && listed(of_stacks, TP_COUNT_OF(of_stacks), c->name)) && tells)
			s->label[s->nlabels++] = i;
		else if (c->kind == REP_ID && tells)
			s->label[s->nlabels++] = i;
		else if (listed(additive, TP_COUNT_OF(additive), c->name) && s->ntypes < MAX_TYPES)
			s->type[s->ntypes++] = i;
	}
}

int rep_top_profile_check(const struct rep_report *r, struct tp_err *err)
{
	struct shape s;

	if (!r->ops)
		return tp_err_set(
		    err, TP_EFORMAT, TP_OFFSET_NONE,
		    "the report '%s' consists of several tables, and a profile is one; "
		    "name a report of one table",
		    r->name);
	take_shape(r, &s);
	if (s.ntypes && (r->ops->stack || s.name != SIZE_MAX))
		return 0;
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "the report '%s' cannot be written as a profile: its rows have %s; use "
			  "csv, tsv or json",
			  r->name,
			  s.ntypes ? "neither stacks nor names" : "no numbers that add up");
}

static int text(struct tp_profile *p, const char *s, size_t size, uint32_t *id)
{
	return tp_dict_string(p->dict, s, size, id);
}

/* "total_ns" in nanoseconds is "total". */
static int add_type(struct rep_job *job, const struct rep_column *c, struct tp_profile *p)
{
	size_t size = strlen(c->name);
	const char *unit = "count";
	uint32_t name, id;
	bool ticks = false;
	int code;

	for (size_t i = 0; i < job->nruns; i++)
		ticks = ticks || job->runs[i].row.ticks;
	if (c->kind == REP_NS) {
		size -= 3;
		unit = ticks ? "ticks" : "nanoseconds";
	} else if (c->kind == REP_BYTES) {
		size -= 6;
		unit = "bytes";
	}
	code = text(p, c->name, size, &name);
	if (!code)
		code = text(p, unit, strlen(unit), &id);
	if (!code)
		code = tp_profile_add_type(p, name, id);
	if (!code && (!strcmp(c->name, "total_ns") || !strcmp(c->name, "latency_ns")))
		p->default_type = name;
	return code;
}

static int put_label(struct rep_job *job, struct tp_profile *p, size_t row, size_t column,
		     struct tp_label *label, size_t *n)
{
	const char *name = job->report->columns[column].column.name;
	struct rep_value v = rep_job_value(job, row, column);
	int code;

	if (v.type == REP_TYPE_NULL || (v.type == REP_TYPE_TEXT && !v.text.size))
		return 0;
	*label = (struct tp_label){.numeric = v.type != REP_TYPE_TEXT};
	code = text(p, name, strlen(name), &label->key);
	if (!code && label->numeric)
		label->number = v.i;
	else if (!code)
		code = text(p, v.text.data, v.text.size, &label->text);
	*n += !code;
	return code;
}

/* A frame that has a name and nothing else. */
static int push_name(struct tp_profile *p, struct rep_value v, uint32_t *stack)
{
	struct tp_function f = {0};
	struct tp_frame frame = {0};
	uint32_t id;
	int code;

	if (v.type != REP_TYPE_TEXT)
		v = rep_str("(unknown)");
	code = text(p, v.text.data, v.text.size, &f.name);
	f.system_name = f.name;
	if (!code)
		code = tp_dict_function(p->dict, &f, &frame.function);
	if (!code)
		code = tp_dict_frame(p->dict, &frame, &id);
	return code ? code : tp_dict_stack(p->dict, 0, id, stack);
}

static int add_row(struct rep_job *job, const struct shape *s, struct rep_trace_stacks *stacks,
		   size_t row)
{
	const struct rep_report_ops *ops = job->report->ops;
	static const struct rep_trace_leaf none;
	struct tp_label labels[MAX_LABELS];
	int64_t values[MAX_TYPES];
	uint32_t stack = 0, set = 0;
	size_t n = 0;
	int code;

	if (ops->stack) {
		stack = rep_trace_stack(stacks, 0, ops->stack(job, row), &none);
		code = stacks->code;
	} else {
		code = push_name(stacks->to, rep_job_value(job, row, s->name), &stack);
	}
	for (size_t i = 0; !code && i < s->nlabels; i++)
		code = put_label(job, stacks->to, row, s->label[i], &labels[n], &n);
	if (!code && n)
		code = tp_profile_label_set(stacks->to, labels, n, &set);
	for (size_t i = 0; i < s->ntypes; i++) {
		struct rep_value v = rep_job_value(job, row, s->type[i]);

		values[i] = v.type == REP_TYPE_INT ? v.i : 0;
	}
	return code ? code : tp_profile_add_sample(stacks->to, stack, set, values);
}

static int describe(struct rep_job *job, struct tp_profile *p, uint32_t *mapping)
{
	/* All names are known, so the program is not needed to find them. */
	const struct tp_mapping m = {.flags = TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES |
					      TP_MAPPING_LINES | TP_MAPPING_INLINES};
	const struct tp_run *run = &job->runs[0].row;

	snprintf(p->format, sizeof(p->format), "%s", "trace");
	if (run->wall_ns != TP_NULL)
		p->time_ns = run->wall_ns;
	p->duration_ns = run->ticks ? 0 : job->length_ns;
	return tp_profile_add_mapping(p, &m, mapping);
}

int rep_job_profile(struct rep_job *job, const uint32_t *rows, size_t n, struct tp_profile *p,
		    struct tp_err *err)
{
	struct rep_trace_stacks stacks = {.from = job->texts.dict, .to = p};
	struct shape s;
	int code = 0;

	take_shape(job->report, &s);
	for (size_t i = 0; !code && i < s.ntypes; i++)
		code = add_type(job, &job->report->columns[s.type[i]].column, p);
	if (!code)
		code = describe(job, p, &stacks.mapping);
	for (size_t i = 0; !code && i < n; i++)
		code = add_row(job, &s, &stacks, rows[i]);
	rep_trace_stacks_release(&stacks);
	return code ? rep_job_fail(err, code) : 0;
}
