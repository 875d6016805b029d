#include "top/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "task/choose.h"

int(rep_job_fail)(struct tp_err *err, int code)
{
	return tp_err_full(err, code,
			   "too much for one report; pick fewer tasks, "
			   "goroutines or less time (--task, --goroutine, "
			   "--from, --to)");
}

int rep_top_pick(struct rep_pick *choice, const struct rep_top_options *opt, struct tp_err *err)
{
	const struct rep_pick_text text = {
	    .task = opt->filter.task,
	    .region = opt->filter.region,
	    .min = opt->min,
	    .max = opt->max,
	    .log = opt->log,
	};

	return rep_pick_init(choice, &text, err);
}

/* ---- texts ---- */

struct rep_value rep_job_goroutine(const struct rep_job *job, uint32_t run, int64_t id)
{
	return rep_goids_value(&job->goids[run], id);
}

struct rep_value rep_job_place(struct rep_job *job, unsigned state, uint32_t reason,
			       uint32_t subtask, uint32_t region)
{
	struct tp_text why = tp_dict_text(job->texts.dict, reason);
	struct tp_text type = tp_dict_text(job->texts.dict, subtask);
	struct tp_text name = tp_dict_text(job->texts.dict, region);
	const char *what = state ? rep_state_name(state) : "nobody";
	size_t size = strlen(what) + why.size + type.size + name.size + 16, n = 0;
	char *text = tp_arena_alloc(&job->texts.arena, size);

	if (!text)
		return rep_lack();
	if (state == TP_ST_WAITING && why.size) {
		memcpy(text, why.text, why.size);
		n = why.size;
	} else {
		n = strlen(what);
		memcpy(text, what, n);
		if (why.size) {
			memcpy(text + n, " (", 2);
			memcpy(text + n + 2, why.text, why.size);
			n += 2 + why.size;
			text[n++] = ')';
		}
	}
	if (type.size || name.size) {
		memcpy(text + n, " in ", 4);
		n += 4;
	}
	memcpy(text + n, type.text, type.size);
	n += type.size;
	if (type.size && name.size)
		text[n++] = '/';
	memcpy(text + n, name.text, name.size);
	return rep_text(text, n + name.size);
}

/* ---- sums ---- */

void rep_sum_add(struct rep_sum *s, int64_t count, int64_t total_ns, int64_t min_ns, int64_t max_ns)
{
	if (min_ns == TP_NULL)
		min_ns = 0;
	if (!s->count || min_ns < s->min_ns)
		s->min_ns = min_ns;
	if (!s->count || max_ns > s->max_ns)
		s->max_ns = max_ns;
	tp_sum(&s->count, count);
	tp_sum(&s->total_ns, total_ns);
}

struct rep_value rep_sum_mean(const struct rep_sum *s)
{
	int64_t n = s->count;

	/* Rounded half up, without a sum that might not fit. */
	return n > 0 ? rep_int(s->total_ns / n + (s->total_ns % n >= n - n / 2)) : rep_null();
}

struct rep_value rep_sum_percentile(const struct rep_sum *s, const struct rep_percentiles *p,
				    int which)
{
	int64_t ns = p->ns[which];

	if (!p->known)
		return rep_null();
	if (!p->exact && ns < s->min_ns)
		ns = s->min_ns;
	if (!p->exact && ns > s->max_ns)
		ns = s->max_ns;
	return rep_int(ns);
}

struct rep_value rep_share(int64_t part, int64_t whole)
{
	return whole > 0 ? rep_float((double)part / (double)whole) : rep_null();
}

int64_t rep_states_total(const int64_t *ns)
{
	int64_t sum = 0;

	for (int i = 0; i < TP_NSTATES; i++)
		tp_sum(&sum, ns[i]);
	return sum;
}

int64_t rep_states_syscall(const int64_t *ns)
{
	int64_t sum = ns[TP_ST_SYSCALL];

	tp_sum(&sum, ns[TP_ST_SYSCALL_BLOCKED]);
	return sum;
}

struct rep_value rep_exact(const struct rep_percentiles *p)
{
	return p->known ? rep_int(p->exact) : rep_null();
}
