/* linux: include/trace/events/sched.h, raw_syscalls.h; libtraceevent: plugins/plugin_sched_switch.c.
 *
 * A comm may have any characters in it, so the parts behind it are looked for from the end. */
#include "decode/sched/tracepoint.h"

#include <string.h>

static const struct {
	const char *event;
	enum tp_tracepoint_type type;
} types[] = {
    {"sched:sched_switch", TP_TRACEPOINT_SWITCH},
    {"sched:sched_waking", TP_TRACEPOINT_WAKING},
    {"sched:sched_wakeup", TP_TRACEPOINT_WAKEUP},
    {"sched:sched_wakeup_new", TP_TRACEPOINT_WAKEUP_NEW},
    {"sched:sched_process_fork", TP_TRACEPOINT_FORK},
    {"raw_syscalls:sys_enter", TP_TRACEPOINT_CALL},
    {"raw_syscalls:sys_exit", TP_TRACEPOINT_RETURN},
};

/* Longest fields of threads. A comm has at most 15 characters. */
#define MAX_FIELDS 512

static const char enter[] = "syscalls:sys_enter_", leave[] = "syscalls:sys_exit_";

enum tp_tracepoint_type tp_tracepoint_type(struct tp_scan event)
{
	if (tp_scan_begins(event, enter))
		return TP_TRACEPOINT_CALL;
	if (tp_scan_begins(event, leave))
		return TP_TRACEPOINT_RETURN;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (tp_scan_is(event, types[i].event))
			return types[i].type;
	return TP_TRACEPOINT_OTHER;
}

/* Finds the last place of a text. Sets *before and *after to what is around it. */
static bool split(struct tp_scan s, const char *text, struct tp_scan *before, struct tp_scan *after)
{
	size_t n = strlen(text);

	if (tp_scan_left(&s) < n)
		return false;
	for (const char *at = s.end - n; at >= s.at; at--) {
		if (*at != *text || !tp_scan_begins((struct tp_scan){at, s.end}, text))
			continue;
		*before = (struct tp_scan){s.at, at};
		*after = (struct tp_scan){at + n, s.end};
		return true;
	}
	return false;
}

/* Reads a number that ends the text or is followed by a blank. */
static bool read_tid(struct tp_scan s, int64_t *tid)
{
	return tp_scan_int(&s, false, tid) == TP_NUMBER_OK && (s.at == s.end || *s.at == ' ');
}

/* Reads "comm=sh pid=7 …", where the names of the fields are `comm` and `pid`. */
static bool read_named(struct tp_scan s, const char *comm, const char *pid,
		       struct tp_tracepoint_thread *out)
{
	struct tp_scan number;

	return tp_scan_text(&s, comm) && split(s, pid, &out->comm, &number) &&
	       read_tid(number, &out->tid);
}

/* Reads "sh:7 [120] …"; *after is what follows. */
static bool read_plain(struct tp_scan s, struct tp_tracepoint_thread *out, struct tp_scan *after)
{
	struct tp_scan number, prio;
	int64_t priority;

	return split(s, " [", &s, &prio) && tp_scan_int(&prio, true, &priority) == TP_NUMBER_OK &&
	       tp_scan_text(&prio, "]") && split(s, ":", &out->comm, &number) &&
	       read_tid(number, &out->tid) && (*after = tp_scan_trim(prio), true);
}

static bool is_state(struct tp_scan s)
{
	size_t n = tp_scan_left(&s);

	tp_scan_run(&s, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz|+0123456789");
	return n && n <= 8 && s.at == s.end;
}

/* " ==> " may be in a comm, too. */
static bool read_switch(struct tp_scan all, struct tp_tracepoint *out)
{
	struct tp_scan s = all, prev, next, more;

	if (tp_scan_begins(all, "prev_comm=")) {
		if (!split(all, " ==> ", &prev, &next) ||
		    !split(prev, " prev_state=", &prev, &out->state))
			return false;
		return read_named(prev, "prev_comm=", " prev_pid=", &out->from) &&
		       read_named(next, "next_comm=", " next_pid=", &out->to) &&
		       is_state(out->state);
	}
	while (split(s, " ==> ", &prev, &next)) {
		s = prev;
		next.end = all.end;
		if (read_plain(next, &out->to, &more) && more.at == more.end &&
		    read_plain(prev, &out->from, &out->state) && is_state(out->state))
			return true;
	}
	return false;
}

static bool read_wakeup(struct tp_scan s, struct tp_tracepoint *out)
{
	struct tp_scan more;

	return read_named(s, "comm=", " pid=", &out->to) || read_plain(s, &out->to, &more);
}

static bool read_fork(struct tp_scan s, struct tp_tracepoint *out)
{
	struct tp_scan parent, child;

	return split(s, " child_pid=", &s, &child) && read_tid(child, &out->to.tid) &&
	       split(s, " child_comm=", &parent, &out->to.comm) &&
	       read_named(parent, "comm=", " pid=", &out->from);
}

static bool read_call(struct tp_scan event, struct tp_scan s, struct tp_tracepoint *out)
{
	out->number = -1;
	if (tp_scan_begins(event, enter)) {
		out->call = (struct tp_scan){event.at + strlen(enter), event.end};
		return out->call.at < out->call.end;
	}
	return tp_scan_text(&s, "NR ") && tp_scan_int(&s, false, &out->number) == TP_NUMBER_OK;
}

bool tp_tracepoint_read(struct tp_scan event, struct tp_scan fields, struct tp_tracepoint *out)
{
	memset(out, 0, sizeof(*out));
	out->type = tp_tracepoint_type(event);
	fields = tp_scan_trim(fields);
	if (out->type != TP_TRACEPOINT_OTHER && tp_scan_left(&fields) > MAX_FIELDS)
		return false;
	switch (out->type) {
	case TP_TRACEPOINT_SWITCH:
		return read_switch(fields, out);
	case TP_TRACEPOINT_WAKING:
	case TP_TRACEPOINT_WAKEUP:
	case TP_TRACEPOINT_WAKEUP_NEW:
		return read_wakeup(fields, out);
	case TP_TRACEPOINT_FORK:
		return read_fork(fields, out);
	case TP_TRACEPOINT_CALL:
		return read_call(event, fields, out);
	default:
		return true;
	}
}
