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

struct rep_value rep_job_string(struct rep_job *job, uint32_t id, const char *none)
{
	struct tp_text t = tp_dict_text(job->dict, id);

	if (!t.size)
		return rep_str(job->opt->tables ? none : "");
	return rep_text(t.text, t.size);
}

/* Where a goroutine waits inside the runtime or a lock tells less than who waits there. */
static bool is_plumbing(struct tp_text name)
{
	static const char *const packages[] = {
	    "runtime.", "runtime/internal", "internal/",  "sync.",
	    "sync/",	"syscall.",	    "time.Sleep", "reflect."};

	for (size_t i = 0; i < REP_COUNT_OF(packages); i++) {
		if (tp_text_begins(name, packages[i]))
			return true;
	}
	return !name.size;
}

/* The stack from the site on. */
static uint32_t site_node(const struct rep_job *job, uint32_t stack)
{
	uint32_t at = stack;

	while (at) {
		struct tp_stack_node node = tp_dict_stack_at(job->dict, at);

		if (!is_plumbing(
			tp_dict_text(job->dict, tp_dict_frame_name(job->dict, node.frame))))
			return at;
		at = node.parent < at ? node.parent : 0;
	}
	return stack;
}

uint32_t rep_job_site(const struct rep_job *job, uint32_t stack)
{
	return tp_dict_stack_at(job->dict, site_node(job, stack)).frame;
}

/* "github.com/x/y/pkg.(*T).M" without "github.com/x/y/". Slashes behind the first parenthesis or
 * bracket belong to types. */
static struct tp_text without_folders(struct tp_text t)
{
	uint32_t from = 0;

	for (uint32_t i = 0; i < t.size && t.text[i] != '(' && t.text[i] != '['; i++) {
		if (t.text[i] == '/')
			from = i + 1;
	}
	return (struct tp_text){t.text + from, t.size - from};
}

static struct tp_text frame_name(const struct rep_job *job, uint32_t frame)
{
	struct tp_text t = tp_dict_text(job->dict, tp_dict_frame_name(job->dict, frame));

	return t.size ? t : (struct tp_text){"(unknown)", 9};
}

/* The frame of the garbage collector that is hidden before the site, 0 for none. Go gives 'sync' as
 * the reason for waiting on a lock of the collector; without this frame it looks like one of the
 * program's own. */
static uint32_t collector_node(const struct rep_job *job, uint32_t stack, uint32_t site)
{
	for (uint32_t at = stack; at && at != site;) {
		struct tp_stack_node node = tp_dict_stack_at(job->dict, at);
		struct tp_text name =
		    tp_dict_text(job->dict, tp_dict_frame_name(job->dict, node.frame));

		/* Its reason, "GC mark assist wait for work", says as much. */
		if (tp_text_begins(name, "runtime.gcParkAssist"))
			return 0;
		if (tp_text_begins(name, "runtime.gc"))
			return at;
		at = node.parent < at ? node.parent : 0;
	}
	return 0;
}

uint32_t rep_job_collector(const struct rep_job *job, uint32_t stack)
{
	uint32_t node = collector_node(job, stack, site_node(job, stack));

	return tp_dict_stack_at(job->dict, node).frame;
}

#define WHERE_FRAMES 4

struct rep_value rep_job_where(struct rep_job *job, uint32_t stack)
{
	uint32_t at = site_node(job, stack), collector = collector_node(job, stack, at);
	size_t size = 0;
	char *text = NULL;

	if (!stack)
		return rep_str("(no stack)");
	/* Once to measure, once to write. */
	for (int pass = 0; pass < 2; pass++) {
		uint32_t node_id = collector ? collector : at;

		for (int i = 0; node_id && i < WHERE_FRAMES; i++) {
			struct tp_stack_node node = tp_dict_stack_at(job->dict, node_id);
			struct tp_text name = without_folders(frame_name(job, node.frame));

			if (i && text)
				memcpy(text + size, " < ", 3);
			size += i ? 3 : 0;
			if (text)
				memcpy(text + size, name.text, name.size);
			size += name.size;
			if (node_id == collector)
				node_id = at;
			else
				node_id = node.parent < node_id ? node.parent : 0;
		}
		if (!pass) {
			text = tp_arena_alloc(&job->texts, size + 1);
			if (!text)
				return rep_lack();
			size = 0;
		}
	}
	return rep_text(text, size);
}

struct rep_value rep_job_stack(struct rep_job *job, uint32_t stack)
{
	size_t size = 0;
	char *text = NULL;

	if (!stack)
		return rep_str("");
	/* Once to measure, once to write. */
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t at = stack; at;) {
			struct tp_stack_node node = tp_dict_stack_at(job->dict, at);
			struct tp_text name =
			    tp_dict_text(job->dict, tp_dict_frame_name(job->dict, node.frame));

			if (!name.size)
				name = (struct tp_text){"?", 1};
			for (uint32_t i = 0; text && i < name.size; i++)
				text[size + i] = name.text[i] == ';' ? ':' : name.text[i];
			size += name.size;
			if (text)
				text[size] = ';';
			size++;
			at = node.parent < at ? node.parent : 0;
		}
		if (!pass) {
			text = tp_arena_alloc(&job->texts, size);
			if (!text)
				return rep_lack();
			size = 0;
		}
	}
	return rep_text(text, size - 1);
}

struct rep_value rep_job_frames(struct rep_job *job, uint32_t stack)
{
	struct tp_buf b = {0};
	int failed = 0;
	size_t size;
	char *text;

	for (uint32_t at = stack; at && !failed;) {
		struct tp_stack_node node = tp_dict_stack_at(job->dict, at);
		struct tp_frame frame = tp_dict_frame_at(job->dict, node.frame);
		struct tp_function f = tp_dict_function_at(job->dict, frame.function);
		struct tp_text name = frame_name(job, node.frame),
			       file = tp_dict_text(job->dict, f.file);
		char line[24];

		failed |= tp_buf_put(&b, "\n", b.size > 0);
		failed |= tp_buf_put(&b, name.text, name.size) | tp_buf_put(&b, "\t", 1);
		if (file.size) {
			int n = snprintf(line, sizeof(line), ":%lld", (long long)frame.line);

			failed |= tp_buf_put(&b, file.text, file.size);
			failed |= tp_buf_put(&b, line, (size_t)n);
		}
		at = node.parent < at ? node.parent : 0;
	}
	size = b.size;
	text = failed ? NULL : tp_arena_strndup(&job->texts, b.data, size);
	tp_buf_release(&b);
	return text ? rep_text(text, size) : rep_lack();
}

struct rep_value rep_job_function(struct rep_job *job, uint32_t stack)
{
	struct tp_text t = frame_name(job, rep_job_site(job, stack));

	return stack ? rep_text(t.text, t.size) : rep_null();
}

struct rep_value rep_job_location(struct rep_job *job, uint32_t stack)
{
	struct tp_frame frame = tp_dict_frame_at(job->dict, rep_job_site(job, stack));
	struct tp_text file =
	    tp_dict_text(job->dict, tp_dict_function_at(job->dict, frame.function).file);
	char line[32];
	char *text;
	int n;

	if (!file.size)
		return rep_null();
	n = snprintf(line, sizeof(line), ":%lld", (long long)frame.line);
	text = tp_arena_alloc(&job->texts, file.size + (size_t)n + 1);
	if (!text)
		return rep_lack();
	memcpy(text, file.text, file.size);
	memcpy(text + file.size, line, (size_t)n);
	return rep_text(text, file.size + (size_t)n);
}

struct rep_value rep_job_place(struct rep_job *job, unsigned state, uint32_t reason,
			       uint32_t subtask, uint32_t region)
{
	struct tp_text why = tp_dict_text(job->dict, reason);
	struct tp_text type = tp_dict_text(job->dict, subtask);
	struct tp_text name = tp_dict_text(job->dict, region);
	const char *what = state ? rep_state_name(state) : "nobody";
	size_t size = strlen(what) + why.size + type.size + name.size + 16, n = 0;
	char *text = tp_arena_alloc(&job->texts, size);

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
