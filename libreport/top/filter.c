#include "top/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

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

/* What is known of a string; the low bits say whether a pattern (1 << REP_FILTER_…) matches. */
#define KNOWN	  0x80
#define FRAMES	  (1u << REP_FILTER_FOCUS | 1u << REP_FILTER_IGNORE)
#define GOROUTINE (1u << REP_FILTER_GOROUTINE)
#define REASON	  (1u << REP_FILTER_REASON)

static int compile(struct rep_filter *f, int which, const char *option, const char *text,
		   struct tp_err *err)
{
	char why[128];
	int code;

	if (!text)
		return 0;
	code = regcomp(&f->pattern[which], text, REG_EXTENDED | REG_NOSUB);
	if (code) {
		regerror(code, &f->pattern[which], why, sizeof(why));
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "%s '%s' is not a regular expression: %s", option, text, why);
	}
	f->given[which] = true;
	return 0;
}

static int parse_states(struct rep_filter *f, const char *text, struct tp_err *err)
{
	while (text) {
		size_t n = strcspn(text, ",");
		const struct rep_state_desc *s = rep_states;

		while (s->name && (strlen(s->name) != n || memcmp(s->name, text, n)))
			s++;
		if (!s->name)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "no state '%.*s'; there are running, runnable, blocked, "
					  "syscall, syscall-blocked and lost",
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
	if (text->goroutine && *text->goroutine &&
	    text->goroutine[strspn(text->goroutine, "0123456789")] == '\0') {
		errno = 0;
		f->id = strtoll(text->goroutine, NULL, 10);
		f->by_id = true;
		if (errno)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "no goroutine has the id %s", text->goroutine);
	}
	code = compile(f, REP_FILTER_FOCUS, "--focus", text->focus, err);
	if (!code)
		code = compile(f, REP_FILTER_IGNORE, "--ignore", text->ignore, err);
	if (!code && !f->by_id)
		code = compile(f, REP_FILTER_GOROUTINE, "--goroutine", text->goroutine, err);
	if (!code)
		code = compile(f, REP_FILTER_REASON, "--reason", text->reason, err);
	return code ? code : parse_states(f, text->state, err);
}

void rep_filter_release(struct rep_filter *f)
{
	for (int i = 0; i < REP_NPATTERNS; i++) {
		if (f->given[i])
			regfree(&f->pattern[i]);
		f->given[i] = false;
	}
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

int rep_filter_time(const char *text, const char *option, int64_t duration_ns, int64_t *ns,
		    struct tp_err *err)
{
	size_t n = strlen(text);
	double percent;
	char *end;

	if (n && text[n - 1] == '%' && strspn(text, "0123456789.") == n - 1) {
		percent = strtod(text, &end);
		if (end == text + n - 1 && n > 1 && percent <= 100) {
			*ns = (int64_t)((double)duration_ns * (percent / 100));
			return 0;
		}
	}
	if (tp_parse_ns(text, ns) || *ns < 0)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "%s '%s' is not a time: give it like 1.5s or 250ms since the run "
				  "began, or like 25%% of the run",
				  option, text);
	return 0;
}

int rep_filter_range(const struct rep_filter_text *text, int64_t duration_ns, int64_t *from,
		     int64_t *to, struct tp_err *err)
{
	int code = 0;

	*from = INT64_MIN;
	*to = INT64_MAX;
	if (text->from)
		code = rep_filter_time(text->from, "--from", duration_ns, from, err);
	if (!code && text->to)
		code = rep_filter_time(text->to, "--to", duration_ns, to, err);
	if (code)
		return code;
	if (text->from && text->to && *from >= *to)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "the time range from %s to %s is empty", text->from, text->to);
	if (text->to && *to <= 0 && duration_ns > 0)
		return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "there is nothing before --to %s", text->to);
	/* The last moment belongs to a range that reaches the end. */
	if (*from <= 0)
		*from = INT64_MIN;
	if (*to >= duration_ns)
		*to = INT64_MAX;
	return 0;
}

/* ---- matching ---- */

static uint8_t string_bits(struct rep_matcher *m, uint32_t id)
{
	const char *text;
	uint8_t bits = KNOWN;

	if (id >= m->nstrings)
		id = 0;
	if (m->string[id])
		return m->string[id];
	text = tp_dict_text(m->dict, id).text;
	for (int i = 0; i < REP_NPATTERNS; i++) {
		if (m->filter->given[i] && !regexec(&m->filter->pattern[i], text, 0, NULL, 0))
			bits |= (uint8_t)(1u << i);
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
		return tp_err_set(err, TP_ENOMEM, TP_OFFSET_NONE, "out of memory");
	if (!f->given[REP_FILTER_FOCUS] && !f->given[REP_FILTER_IGNORE])
		return 0;
	/* A parent's id is smaller than its child's: one pass decides every stack. */
	for (uint32_t i = 1; i < m->nstacks; i++) {
		struct tp_stack_node node = tp_dict_stack_at(dict, i);
		uint8_t bits = string_bits(m, tp_dict_frame_name(dict, node.frame));

		m->stack[i] =
		    (uint8_t)((bits & FRAMES) | (node.parent < i ? m->stack[node.parent] : 0));
	}
	return 0;
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
	if (m->filter->given[REP_FILTER_REASON] && !(string_bits(m, reason) & REASON))
		return false;
	return rep_match_goroutine(m, entry) && rep_match_frames(m, entry, stack);
}
