#include "spans/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "clock/when.h"

#define BIT(state) (1u << TP_ST_##state)

const struct rep_state_desc rep_states[] = {
    {"running", "executing on a P", BIT(RUNNING)},
    {"runnable", "waiting for a P", BIT(RUNNABLE)},
    {"blocked", "waiting for something", BIT(WAITING)},
    {"waiting", "the same as blocked", BIT(WAITING)},
    {"syscall", "in a system call, with or without a P", BIT(SYSCALL) | BIT(SYSCALL_BLOCKED)},
    {"syscall-blocked", "in a system call after its P was taken", BIT(SYSCALL_BLOCKED)},
    {"lost", "a damaged trace does not say", BIT(LOST)},
    {NULL, NULL, 0},
};

const char *rep_state_name(unsigned state)
{
	switch (state) {
	case TP_ST_RUNNING:
		return "running";
	case TP_ST_RUNNABLE:
		return "runnable";
	case TP_ST_WAITING:
		return "blocked";
	case TP_ST_SYSCALL:
		return "syscall";
	case TP_ST_SYSCALL_BLOCKED:
		return "syscall-blocked";
	case TP_ST_LOST:
		return "lost";
	default:
		return "";
	}
}

/* Cached answers about a string; the low bits (1 << REP_FILTER_…) say which patterns match. */
#define KNOWN	  0x80
#define FRAMES	  (1u << REP_FILTER_FOCUS | 1u << REP_FILTER_IGNORE)
#define GOROUTINE (1u << REP_FILTER_GOROUTINE)
#define REASON	  (1u << REP_FILTER_REASON)

static int compile(struct rep_filter *f, int which, const char *option, const char *text,
		   struct tp_err *err)
{
	f->given[which] = text != NULL;
	return text ? tp_regex_init(&f->pattern[which], text, option, err) : 0;
}

static int parse_states(struct rep_filter *f, const char *text, struct tp_err *err)
{
	while (text) {
		size_t n = strcspn(text, ",");
		const struct rep_state_desc *s = rep_states;

		while (s->name && (strlen(s->name) != n || memcmp(s->name, text, n)))
			s++;
		if (!s->name)
			return tp_err_set(
			    err, TP_EFORMAT, TP_OFFSET_NONE,
			    "--state: '%.*s' is not a state; the states are running, runnable, "
			    "blocked, syscall, syscall-blocked and lost",
			    (int)n, text);
		f->states |= s->states;
		text = text[n] ? text + n + 1 : NULL;
	}
	return 0;
}

int rep_filter_init(struct rep_filter *f, const struct rep_filter_text *text, struct tp_err *err)
{
	int code;

	memset(f, 0, sizeof(*f));
	f->text = *text;
	if (text->goroutine) {
		code = rep_goid_parse(text->goroutine, &f->id);
		if (code < 0)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "no goroutine has the id %s", text->goroutine);
		f->by_id = code == 1;
	}
	code = compile(f, REP_FILTER_FOCUS, "--focus", text->focus, err);
	if (!code)
		code = compile(f, REP_FILTER_IGNORE, "--ignore", text->ignore, err);
	if (!code && !f->by_id)
		code = compile(f, REP_FILTER_GOROUTINE, "--goroutine", text->goroutine, err);
	if (!code)
		code = compile(f, REP_FILTER_REASON, "--reason", text->reason, err);
	if (!code && text->own)
		code = tp_regex_init(&f->own, text->own, "--own", err);
	return code ? code : parse_states(f, text->state, err);
}

void rep_filter_release(struct rep_filter *f)
{
	for (int i = 0; i < REP_NPATTERNS; i++) {
		tp_regex_release(&f->pattern[i]);
		f->given[i] = false;
	}
	tp_regex_release(&f->own);
}

bool rep_filter_empty(const struct rep_filter *f)
{
	for (int i = 0; i < REP_NPATTERNS; i++) {
		if (f->given[i])
			return false;
	}
	return !f->by_id && !f->states && !rep_filter_inside(f);
}

bool rep_filter_inside(const struct rep_filter *f)
{
	return f->text.task || f->text.region;
}

/* Moments of the wall clock can be checked without a run; they are 0 until the run's clock is
 * known. */
int rep_filter_time(const char *text, const char *option, int64_t duration_ns, int64_t *ns,
		    struct tp_err *err)
{
	size_t n = strlen(text);
	double percent;
	char *end;

	if (rep_is_when(text)) {
		if (!rep_when(text, ns))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "%s '%s' is not a moment: give it like "
					  "2026-11-21T10:00:00Z (with a zone) or @1795255200.5",
					  option, text);
		*ns = 0;
		return 0;
	}
	if (n && text[n - 1] == '%' && strspn(text, "0123456789.") == n - 1) {
		percent = strtod(text, &end);
		if (end == text + n - 1 && n > 1 && percent <= 100) {
			*ns = tp_whole((double)duration_ns * (percent / 100));
			return 0;
		}
	}
	if (tp_ask_unit(option, text, err))
		return TP_EFORMAT;
	if (tp_parse_ns(text, ns) || *ns < 0)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "%s '%s' is not a time: give it like 1.5s or 250ms since the run "
				  "began, like 25%% of the run, or like 2026-11-21T10:00:00Z",
				  option, text);
	return 0;
}

static bool is_percent(const char *text)
{
	size_t n = strlen(text);

	return n && text[n - 1] == '%';
}

int rep_filter_check_unit(const char *text, const char *option, const struct rep_run *run,
			  struct tp_err *err)
{
	return is_percent(text)
		   ? 0
		   : rep_run_check_time(run, option, text, "a part of the run, like 25%, or ", err);
}

bool rep_filter_needs_clock(const struct rep_filter_text *text)
{
	return (text->from && rep_is_when(text->from)) || (text->to && rep_is_when(text->to));
}

/* Converts a valid moment to a time of the run; those far outside become just outside. */
static int64_t on_clock(const struct rep_clock *clock, const char *text, int64_t duration_ns)
{
	int64_t wall = 0, ns;

	rep_when(text, &wall);
	if (!clock)
		return 0; /* rep_filter_needs_clock tells callers to load one */
	if (!rep_clock_run(clock, wall, &ns))
		ns = wall < clock->point[0].wall_ns ? -1 : INT64_MAX;
	return ns < 0 ? 0 : ns > duration_ns && duration_ns < INT64_MAX ? duration_ns + 1 : ns;
}

/* The length of an imaginary run, so that percents keep their order. */
#define ANY_NS INT64_C(1000000000000)

/* Returns whether two percents are equal only because the run is too short to tell them apart. Such
 * a range is no error: only the user's text can be wrong, not the length of the dump. */
static bool are_rounded(const struct rep_filter_text *text)
{
	int64_t from, to;
	struct tp_err unused;

	return is_percent(text->from) && is_percent(text->to) &&
	       !rep_filter_time(text->from, "--from", ANY_NS, &from, &unused) &&
	       !rep_filter_time(text->to, "--to", ANY_NS, &to, &unused) && from < to;
}

static int check_range(const struct rep_filter_text *text, int64_t duration_ns, int64_t *from,
		       int64_t *to, struct tp_err *err)
{
	if (text->from && text->to && *from >= *to) {
		if (!are_rounded(text))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "the time range from %s to %s is empty", text->from,
					  text->to);
		*to = *from + 1;
	}
	if (text->to && *to <= 0 && duration_ns > 0)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "there is nothing before --to %s", text->to);
	return 0;
}

int rep_filter_range(const struct rep_filter_text *text, int64_t duration_ns, int64_t *from,
		     int64_t *to, struct tp_err *err)
{
	return rep_filter_range_at(text, duration_ns, NULL, from, to, err);
}

int rep_filter_range_at(const struct rep_filter_text *text, int64_t duration_ns,
			const struct rep_clock *clock, int64_t *from, int64_t *to,
			struct tp_err *err)
{
	bool moments = rep_filter_needs_clock(text);
	int64_t wall[2];
	int code = 0;

	*from = INT64_MIN;
	*to = INT64_MAX;
	if (text->from)
		code = rep_filter_time(text->from, "--from", duration_ns, from, err);
	if (!code && text->to)
		code = rep_filter_time(text->to, "--to", duration_ns, to, err);
	if (!code && moments && clock && clock->source == REP_CLOCK_NONE)
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "nothing says at what time of day it was recorded; give --from "
				  "and --to like 1.5s or 25%%");
	if (!code && !moments)
		code = check_range(text, duration_ns, from, to, err);
	else if (!code && text->from && text->to && rep_when(text->from, &wall[0]) &&
		 rep_when(text->to, &wall[1]))
		code = check_range(text, 0, &wall[0], &wall[1], err);
	if (code)
		return code;
	if (moments && !clock) {
		*from = INT64_MIN;
		*to = INT64_MAX;
		return 0;
	}
	if (text->from && rep_is_when(text->from))
		*from = on_clock(clock, text->from, duration_ns);
	if (text->to && rep_is_when(text->to))
		*to = on_clock(clock, text->to, duration_ns);
	/* If there are several runs, one may lie outside the range; nothing of it is selected. */
	if (moments && (*from >= *to || *from > duration_ns || *to <= 0)) {
		*from = duration_ns < INT64_MAX - 1 ? duration_ns + 1 : duration_ns;
		*to = *from + 1;
		return 0;
	}
	/* A range that reaches the end includes the last moment. */
	if (*from <= 0)
		*from = INT64_MIN;
	if (*to >= duration_ns)
		*to = INT64_MAX;
	return 0;
}

int rep_filter_check_range(const struct rep_filter_text *text, struct tp_err *err)
{
	int64_t from, to;
	int code = 0;

	/* The order of "25%" and "1s" depends on the run. */
	if (!text->from || !text->to || is_percent(text->from) == is_percent(text->to))
		return rep_filter_range(text, ANY_NS, &from, &to, err);
	code = rep_filter_time(text->from, "--from", ANY_NS, &from, err);
	return code ? code : rep_filter_time(text->to, "--to", ANY_NS, &to, err);
}

int rep_filter_check_run(const struct rep_filter_text *text, const struct rep_run *run,
			 struct tp_err *err)
{
	char end[TP_UNITS_SIZE];
	int64_t from = 0, to;
	int code = rep_filter_check_range(text, err);

	if (!code && text->from)
		code = rep_filter_check_unit(text->from, "--from", run, err);
	if (!code && text->to)
		code = rep_filter_check_unit(text->to, "--to", run, err);
	if (!code)
		code = rep_filter_range(text, run->row.duration_ns, &from, &to, err);
	if (code || from <= run->row.duration_ns)
		return code;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "--from %s is after the end of the run, at %s", text->from,
			  tp_fmt_ns(end, run->row.duration_ns));
}

/* ---- matching ---- */

static uint8_t string_bits(struct rep_matcher *m, uint32_t id)
{
	struct tp_text text;
	uint8_t bits = KNOWN;

	if (id >= m->nstrings)
		id = 0;
	if (m->string[id])
		return m->string[id];
	text = tp_dict_text(m->dict, id);
	for (int i = 0; i < REP_NPATTERNS; i++) {
		int rc = tp_regex_find(&m->filter->pattern[i], text.text, text.size);

		if (rc == 1)
			bits |= (uint8_t)(1u << i);
		if (rc < 0 && !m->unknown)
			m->unknown = rc;
	}
	m->string[id] = bits;
	return bits;
}

int rep_matcher_init(struct rep_matcher *m, const struct rep_filter *f, const struct tp_dict *dict,
		     struct tp_err *err)
{
	memset(m, 0, sizeof(*m));
	m->filter = f;
	m->dict = dict;
	m->nstrings = tp_dict_strings(dict);
	m->nstacks = tp_dict_stacks(dict);
	m->string = calloc(m->nstrings ? m->nstrings : 1, 1);
	m->stack = calloc(m->nstacks ? m->nstacks : 1, 1);
	if (!m->string || !m->stack)
		return tp_nomem(err);
	if (!f->given[REP_FILTER_FOCUS] && !f->given[REP_FILTER_IGNORE])
		return 0;
	/* A parent's id is smaller than its child's, so one pass decides every stack. */
	for (uint32_t i = 1; i < m->nstacks; i++) {
		struct tp_stack_node node = tp_dict_stack_at(dict, i);
		uint8_t bits = string_bits(m, tp_dict_frame_name(dict, node.frame));

		m->stack[i] =
		    (uint8_t)((bits & FRAMES) | (node.parent < i ? m->stack[node.parent] : 0));
	}
	return rep_matcher_settle(m, err);
}

int rep_matcher_settle(const struct rep_matcher *m, struct tp_err *err)
{
	return tp_regex_unknown(m->unknown, err);
}

void rep_matcher_release(struct rep_matcher *m)
{
	free(m->string);
	free(m->stack);
	memset(m, 0, sizeof(*m));
}

bool rep_match_goroutine(struct rep_matcher *m, uint32_t entry)
{
	return !m->filter->given[REP_FILTER_GOROUTINE] || string_bits(m, entry) & GOROUTINE;
}

bool rep_match_reason(struct rep_matcher *m, uint32_t reason)
{
	return !m->filter->given[REP_FILTER_REASON] || string_bits(m, reason) & REASON;
}

bool rep_match_frames(struct rep_matcher *m, uint32_t entry, uint32_t stack)
{
	unsigned bits;

	if (!m->filter->given[REP_FILTER_FOCUS] && !m->filter->given[REP_FILTER_IGNORE])
		return true;
	bits = (stack < m->nstacks ? m->stack[stack] : 0u) | string_bits(m, entry);
	if (m->filter->given[REP_FILTER_FOCUS] && !(bits & 1u << REP_FILTER_FOCUS))
		return false;
	return !m->filter->given[REP_FILTER_IGNORE] || !(bits & 1u << REP_FILTER_IGNORE);
}

bool rep_match_span(struct rep_matcher *m, uint32_t entry, unsigned state, uint32_t reason,
		    uint32_t stack)
{
	if (m->filter->states && !(m->filter->states >> state & 1))
		return false;
	return rep_match_reason(m, reason) && rep_match_goroutine(m, entry) &&
	       rep_match_frames(m, entry, stack);
}
