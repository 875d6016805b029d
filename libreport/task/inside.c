#include "task/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/regex.h"
#include "task/choose.h"
#include "top/keys.h"

/* What a type of task or region must match; answers are kept by string. */
struct type {
	struct tp_regex pattern;
	bool given, by_id;
	int64_t id;
	uint8_t *answer; /* by string: 1 no, 2 yes */
	int unknown;	 /* 0, or why something could not be matched */
};

static int no_memory(struct tp_err *err)
{
	return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
}

/* `strings`: as many as there are to ask about. */
static int type_init(struct type *t, uint32_t strings, const char *text, const char *option,
		     bool ids, struct tp_err *err)
{
	int code;

	memset(t, 0, sizeof(*t));
	if (!text)
		return 0;
	if (ids && *text && !text[strspn(text, "0123456789")]) {
		errno = 0;
		t->id = strtoll(text, NULL, 10);
		t->by_id = true;
		return errno ? tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE, "no task has the id %s",
					  text)
			     : 0;
	}
	code = tp_regex_init(&t->pattern, text, option, err);
	if (code)
		return code;
	t->given = true;
	t->answer = calloc(strings + (size_t)1, 1);
	return t->answer ? 0 : no_memory(err);
}

static void type_release(struct type *t)
{
	tp_regex_release(&t->pattern);
	free(t->answer);
}

static bool type_matches(struct type *t, const struct rep_view *v, int64_t string)
{
	if (string < 0 || string >= tp_dict_strings(v->dict))
		string = 0;
	if (!t->answer[string]) {
		struct tp_text text = tp_dict_text(v->dict, (uint32_t)string);
		int rc = tp_regex_find(&t->pattern, text.text, text.size);

		t->answer[string] = rc == 1 ? 2 : 1;
		if (rc < 0)
			t->unknown = rc;
	}
	return t->answer[string] == 2;
}

/* ---- collecting ---- */

static int put(struct rep_inside *in, const struct rep_view *v, int64_t goroutine, int64_t from,
	       int64_t to)
{
	struct rep_interval i;
	int code;

	if (goroutine < 0 || (uint64_t)goroutine >= v->nrows[TP_TABLE_GOROUTINE])
		return 0;
	i.goroutine = (uint32_t)goroutine;
	i.from = rep_view_clip_start(v, from == TP_NULL ? 0 : from);
	i.to = to == TP_NULL || to >= v->run->row.duration_ns ? INT64_MAX : to;
	i.to = rep_view_clip_end(v, i.to);
	if (i.from >= i.to)
		return 0;
	code = rep_grow(&in->interval, &in->room, in->n, sizeof(i));
	if (!code)
		in->interval[in->n++] = i;
	return code;
}

struct ids {
	int64_t *id; /* sorted */
	size_t n;
};

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static bool has(const struct ids *ids, int64_t id)
{
	return ids->n && bsearch(&id, ids->id, ids->n, sizeof(id), by_number);
}

/* The tasks that match; the background task, which nobody began, only by its id. */
static int pick_tasks(struct ids *ids, struct type *task, const struct rep_view *v)
{
	size_t n = v->nrows[TP_TABLE_TASK];

	ids->id = tp_many(n + 1, sizeof(*ids->id));
	if (!ids->id)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int64_t id = REP_COL(v, TASK, id)[i];

		if (task->by_id ? id == task->id
				: id && type_matches(task, v, REP_COL(v, TASK, name)[i]))
			ids->id[ids->n++] = id;
	}
	qsort(ids->id, ids->n, sizeof(*ids->id), by_number);
	return 0;
}

static int put_regions(struct rep_inside *in, const struct rep_view *v, struct type *region,
		       const struct ids *tasks)
{
	int code = 0;

	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_REGION]; i++) {
		if ((tasks && !has(tasks, REP_COL(v, REGION, task)[i])) ||
		    (region->given && !type_matches(region, v, REP_COL(v, REGION, name)[i])))
			continue;
		code = put(in, v, REP_COL(v, REGION, goroutine)[i], REP_COL(v, REGION, start_ns)[i],
			   REP_COL(v, REGION, end_ns)[i]);
	}
	return code;
}

/* Tasks in which nobody began a region. */
static int put_bare_tasks(struct rep_inside *in, const struct rep_view *v, const struct ids *tasks)
{
	size_t n = v->nrows[TP_TABLE_REGION];
	struct ids busy = {.id = tp_many(n + 1, sizeof(int64_t)), .n = n};
	int code = 0;

	if (!busy.id)
		return TP_ENOMEM;
	if (n)
		memcpy(busy.id, REP_COL(v, REGION, task), n * sizeof(*busy.id));
	qsort(busy.id, busy.n, sizeof(*busy.id), by_number);
	for (size_t i = 0; !code && i < v->nrows[TP_TABLE_TASK]; i++) {
		int64_t id = REP_COL(v, TASK, id)[i];

		if (has(tasks, id) && !has(&busy, id))
			code = put(in, v, REP_COL(v, TASK, goroutine)[i],
				   REP_COL(v, TASK, start_ns)[i], REP_COL(v, TASK, end_ns)[i]);
	}
	free(busy.id);
	return code;
}

/* ---- in order ---- */

static int by_place(const void *a, const void *b)
{
	const struct rep_interval *x = a, *y = b;

	if (x->goroutine != y->goroutine)
		return x->goroutine < y->goroutine ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int put_in_order(struct rep_inside *in, const struct rep_view *v, bool as_go)
{
	size_t n = 0, g = 0;

	if (in->n)
		qsort(in->interval, in->n, sizeof(*in->interval), by_place);
	for (size_t i = 0; i < in->n; i++) {
		struct rep_interval *last = n ? &in->interval[n - 1] : NULL;
		const struct rep_interval *next = &in->interval[i];

		if (!last || last->goroutine != next->goroutine || next->from > last->to)
			in->interval[n++] = *next;
		else if (as_go && next->from == last->to)
			in->interval[n++] = *next;
		else if (!as_go && next->to > last->to)
			last->to = next->to;
	}
	in->n = n;
	in->ngoroutines = v->nrows[TP_TABLE_GOROUTINE];
	in->first = tp_many(in->ngoroutines + 1, sizeof(*in->first));
	if (!in->first)
		return TP_ENOMEM;
	for (size_t i = 0; g <= in->ngoroutines; g++) {
		while (i < n && in->interval[i].goroutine < g)
			i++;
		in->first[g] = i;
	}
	return 0;
}

/* Nothing there is what was asked for: told with what there is. */
static int no_such(const struct rep_view *v, const char *option, const char *text, bool regions,
		   struct tp_err *err)
{
	char hint[200];

	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE, "nothing matches %s=%s; %s", option, text,
			  rep_pick_hint(v, regions, hint, sizeof(hint)));
}

static bool any_region(const struct rep_view *v, struct type *region)
{
	for (size_t i = 0; i < v->nrows[TP_TABLE_REGION]; i++) {
		if (type_matches(region, v, REP_COL(v, REGION, name)[i]))
			return true;
	}
	return false;
}

static int init(struct rep_inside *in, struct rep_view *v, const char *task, const char *region,
		bool as_go, struct tp_err *err)
{
	struct type task_type, region_type = {0};
	struct ids tasks = {0};
	uint32_t strings = tp_dict_strings(v->dict);
	bool by_task = task;
	int code;

	memset(in, 0, sizeof(*in));
	code = type_init(&task_type, strings, task, "--task", true, err);
	if (!code)
		code = type_init(&region_type, strings, region, "--region", false, err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_GOROUTINE, REP_BIT(GOROUTINE, name), err);
	if (!code)
		code = rep_view_load(v, TP_TABLE_REGION,
				     REP_BIT(REGION, name) | REP_BIT(REGION, task) |
					 REP_BIT(REGION, goroutine) | REP_BIT(REGION, start_ns) |
					 REP_BIT(REGION, end_ns),
				     err);
	if (!code && by_task)
		code = rep_view_load(v, TP_TABLE_TASK,
				     REP_BIT(TASK, id) | REP_BIT(TASK, name) |
					 REP_BIT(TASK, goroutine) | REP_BIT(TASK, start_ns) |
					 REP_BIT(TASK, end_ns),
				     err);
	if (code)
		goto done;
	if (by_task)
		code = pick_tasks(&tasks, &task_type, v);
	if (!code && task_type.unknown) {
		code = tp_regex_unknown(task_type.unknown, err);
		goto done;
	}
	if (!code && by_task && !tasks.n) {
		code = no_such(v, "--task", task, false, err);
		goto done;
	}
	if (!code && region && !any_region(v, &region_type) && !region_type.unknown) {
		code = no_such(v, "--region", region, true, err);
		goto done;
	}
	if (!code)
		code = put_regions(in, v, &region_type, by_task ? &tasks : NULL);
	if (!code && by_task && !region)
		code = put_bare_tasks(in, v, &tasks);
	if (!code)
		code = put_in_order(in, v, as_go);
	if (code)
		no_memory(err);
	else
		code = tp_regex_unknown(region_type.unknown, err);
done:
	free(tasks.id);
	type_release(&task_type);
	type_release(&region_type);
	return code;
}

int rep_inside_init(struct rep_inside *in, struct rep_view *v, const char *task, const char *region,
		    struct tp_err *err)
{
	return init(in, v, task, region, false, err);
}

int rep_inside_init_go(struct rep_inside *in, struct rep_view *v, const char *task,
		       const char *region, struct tp_err *err)
{
	return init(in, v, task, region, true, err);
}

int rep_inside_check(const char *task, const char *region, struct tp_err *err)
{
	struct type type;
	int code = type_init(&type, 0, task, "--task", true, err);

	type_release(&type);
	if (code)
		return code;
	code = type_init(&type, 0, region, "--region", false, err);
	type_release(&type);
	return code;
}

void rep_inside_release(struct rep_inside *in)
{
	free(in->interval);
	free(in->first);
	memset(in, 0, sizeof(*in));
}

bool rep_inside_clip(const struct rep_inside *in, int64_t goroutine, int64_t start, int64_t end,
		     int64_t *ns)
{
	bool any = false;
	size_t low, high;

	*ns = 0;
	if (goroutine < 0 || (uint64_t)goroutine >= in->ngoroutines)
		return false;
	low = in->first[goroutine];
	high = in->first[goroutine + 1];
	for (size_t last = high; low < last;) { /* the first that ends after `start` */
		size_t mid = low + (last - low) / 2;

		if (in->interval[mid].to > start)
			last = mid;
		else
			low = mid + 1;
	}
	for (; low < high; low++) {
		const struct rep_interval *i = &in->interval[low];
		int64_t from = start > i->from ? start : i->from;
		int64_t to = end < i->to ? end : i->to;

		if (i->from >= end && !(start == end && i->from == start))
			break;
		any = true;
		*ns = (int64_t)((uint64_t)*ns + (uint64_t)to - (uint64_t)from);
	}
	return any;
}

int rep_inside_segments(const struct rep_inside *in, const struct rep_view *v, bool *wanted)
{
	int64_t *begin = calloc(v->nsegments + 1, sizeof(*begin)), open = 0;

	if (!begin)
		return TP_ENOMEM;
	for (size_t i = 0; v->nsegments && i < in->n; i++) {
		const struct rep_interval *interval = &in->interval[i];
		size_t low = 0, last = v->nsegments - 1;

		while (low < last) { /* the first whose end is not before `from` */
			size_t mid = low + (last - low) / 2;

			if (v->segments[mid].to_ns >= interval->from)
				last = mid;
			else
				low = mid + 1;
		}
		begin[low]++;
		for (last = v->nsegments; low + 1 < last;) { /* the last that begins before `to` */
			size_t mid = low + (last - low) / 2;

			if (v->segments[mid].from_ns < interval->to)
				low = mid;
			else
				last = mid;
		}
		begin[low + 1]--;
	}
	for (size_t s = 0; s < v->nsegments; s++) {
		open += begin[s];
		wanted[s] = wanted[s] || open > 0;
	}
	free(begin);
	return 0;
}
