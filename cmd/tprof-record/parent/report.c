#include "tprof-record/parent/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/units.h"
#include "common/common.h"
#include "output/text.h"

/* Collects lines; failed is that memory was out once. */
struct lines {
	struct tp_buf *out;
	bool failed;
};

static void say(struct lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Prints one line, and escapes the names in it. */
static void say(struct lines *l, const char *fmt, ...)
{
	char text[PATH_MAX + 512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if (n >= (int)sizeof(text))
		n = (int)sizeof(text) - 1;
	if (rep_escape(l->out, text, (size_t)n, REP_ESCAPE_SHOWN) || tp_buf_put(l->out, "\n", 1))
		l->failed = true;
}

static void say_how_it_ended(struct lines *l, const struct rec_result *r)
{
	char time[TP_UNITS_SIZE];

	tp_fmt_ns(time, r->ran_ns);
	if (r->attached)
		say(l, "tprof-record: %s: process %d, recorded for %s%s", r->program, (int)r->pid,
		    time,
		    r->over	  ? ", until it ended"
		    : r->executed ? ", until it executed another program"
				  : "");
	else if (!r->over)
		say(l, "tprof-record: %s: recorded for %s; the program goes on unrecorded",
		    r->program, time);
	else if (WIFSIGNALED(r->status))
		say(l, "tprof-record: %s: %s, killed by signal %d (%s)", r->program, time,
		    WTERMSIG(r->status), strsignal(WTERMSIG(r->status)));
	else
		say(l, "tprof-record: %s: %s, exit status %d", r->program, time,
		    WEXITSTATUS(r->status));
}

static void say_files(struct lines *l, const struct rec_result *r,
		      const struct rec_request *request)
{
	const struct rec_dump *d = &r->last;
	char size[TP_UNITS_SIZE];

	if (d->nfiles)
		say(l, "recorded in %s:", r->folder);
	for (size_t i = 0; i < d->nfiles; i++)
		say(l, "  %-19s %8s%s%s", d->file[i].name,
		    tp_fmt_bytes(size, (int64_t)d->file[i].size), d->file[i].what[0] ? "  " : "",
		    d->file[i].what);
	if (r->snapshots)
		say(l, "  and of %u snapshot%s, *.%s%.4u.%s", r->snapshots,
		    r->snapshots > 1 ? "s" : "", r->snapshots > 1 ? "0001 to " : "", r->snapshots,
		    request->text ? "txt" : "pb.gz");
	for (unsigned i = 0; i < r->others && i < REC_SESSION_LINES; i++)
		say(l, "  %s/", r->other[i]);
	if (r->others > REC_SESSION_LINES)
		say(l, "  … and %u folders more", r->others - REC_SESSION_LINES);
}

/* Says how long threads ran, how that is known, and how long they waited for a processor. */
static void say_running(struct lines *l, const struct rec_result *r)
{
	const struct rec_dump *d = &r->last;
	/* Threads that are killed cannot say how long they waited. */
	bool more = d->more_delay || !r->over || WIFSIGNALED(r->status);
	const char *shown = !d->delay_ns || !d->exact ? ""
			    : d->wakes
				? "from each recorded wake-up on (from 5ms after the start on)"
			    : r->attached ? "only after preemptions"
					  : "only after preemptions and observed wake-ups";
	char time[TP_UNITS_SIZE], delay[TP_UNITS_SIZE];

	if (!d->running_ns)
		return;
	tp_fmt_ns(time, (int64_t)d->running_ns);
	if (d->delay_ns)
		tp_fmt_ns(delay, (int64_t)d->delay_ns);
	say(l, "CPU time: %s%s (from %s%s%s)%s%s%s%s%s%s",
	    !d->exact	       ? "at most "
	    : d->lost_switches ? "at least "
			       : "",
	    time,
	    d->exact ? "the kernel's context switches"
		     : "CPU clocks; context switches are not available",
	    !d->exact && r->no_switches[0] ? ": " : "", d->exact ? "" : r->no_switches,
	    d->delay_ns ? "; run delay: " : "", d->delay_ns && more ? "at least " : "",
	    d->delay_ns ? delay : "", *shown && !r->attached ? " since the process began" : "",
	    *shown ? "; the trace has it " : "", shown);
}

/* What was lost of `program` and its threads. */
static void say_losses_of(struct lines *l, const char *program, const struct rec_dump *d)
{
	static const char *const what[][2] = {
#define REC_X(name, text, why) {text, why},
	    REC_LOSSES(REC_X)
#undef REC_X
	};
	char n[REC_PLURAL];

	for (int i = 0; i < REC_NLOSSES; i++)
		/* Time lost waiting for the recorder itself is a sample of the mutex profile. */
		if (d->lost[i] && i != REC_LOST_CONTENTION)
			say(l, "tprof-record: %s: lost %s: %s", program,
			    rec_dump_plural(n, d->lost[i], what[i][0]), what[i][1]);
	if (d->unfinished)
		say(l, "tprof-record: %s: lost %s: %s while writing %s", program,
		    rec_dump_plural(n, d->unfinished, "event"),
		    d->unfinished == 1 ? "its thread ended" : "their threads ended",
		    d->unfinished == 1 ? "it" : "them");
	if (d->spilled)
		say(l, "tprof-record: %s: lost %s at the end: %s", program,
		    rec_dump_plural(n, d->spilled, "event"),
		    strerror(d->spill_error ? d->spill_error : ENOSPC));
	if (d->nonsense)
		say(l, "tprof-record: %s: left out %s", program,
		    rec_dump_plural(n, d->nonsense, "invalid record"));
}

static void say_losses(struct lines *l, const struct rec_result *r)
{
	/* Both have those of the whole recording so far. */
	const struct rec_dump *d =
	    r->rest.lost_switches > r->last.lost_switches ? &r->rest : &r->last;
	char n[REC_PLURAL];

	say_losses_of(l, r->program, &r->last);
	if (d->lost_switches)
		say(l, "tprof-record: %s: lost %s: %s; the trace calls these times \"not known\"",
		    r->program, rec_dump_plural(n, d->lost_switches, "context switch"),
		    d->switch_error ? strerror(d->switch_error) : "the recorder could not keep up");
	if (r->cut[0])
		say(l, "tprof-record: %s: %s", r->program, r->cut);
	say_losses_of(l, "other processes", &r->rest);
}

static void say_remarks(struct lines *l, const struct rec_result *r,
			const struct rec_request *request)
{
	uint64_t left_out = r->last.left_out + r->rest.left_out;
	char n[TP_COUNT_SIZE];

	if (left_out)
		say(l,
		    "%s tasks, regions and logs are left out: go 1.5 has none; "
		    "--trace-format=1.26 keeps them",
		    rec_dump_count(n, left_out));
	else if (r->last.nfiles && !rec_report_loses(r, request->children))
		say(l, "nothing lost");
	if (r->last.remark[0])
		say(l, "%s", r->last.remark);
	if (r->blind[0])
		say(l, "%s", r->blind);
	if (r->limits[0])
		say(l, "%s", r->limits);
}

/* Says what ended before its program did. `named` names the recorder and the program. */
static void say_end(struct lines *l, const struct rec_result *r, bool named)
{
	const char *recorder = named ? "tprof-record: " : "", *program = named ? r->program : "",
		   *colon = named ? ": " : "";
	char n[REC_PLURAL];

	if (r->ended[0])
		say(l, "%s%s%srecording ended %s", recorder, program, colon, r->ended);
	if (r->others_ended)
		say(l, "%s%s%srecording of %s ended early; the first: %s", recorder, program, colon,
		    rec_dump_plural(n, r->others_ended, "process"), r->other_ended);
	if (r->turned_away)
		say(l, "%s%s%snot recorded: %s: too many at the same time", recorder, program,
		    colon, rec_dump_plural(n, r->turned_away, "process"));
}

static void say_others(struct lines *l, const struct rec_result *r,
		       const struct rec_request *request)
{
	char n[REC_PLURAL];

	say_end(l, r, false);
	if (r->children)
		say(l, "not recorded: %s%s that %s", r->more_children ? "at least " : "",
		    rec_dump_plural(n, r->children, "process"),
		    request->children
			? "did not report to the recorder (statically linked, privileged, or cut "
			  "off by a sandbox)"
		    : r->attached ? "it started"
				  : "it started; use --follow-children");
	if (r->strangers)
		say(l, "not recorded: %s of other users",
		    rec_dump_plural(n, r->strangers, "process"));
}

static void say_troubles(struct lines *l, const struct rec_result *r)
{
	char n[REC_PLURAL];

	for (size_t i = 0; i < r->last.ntroubles; i++)
		say(l, "tprof-record: %s", r->last.trouble[i]);
	if (r->snapshot_troubles)
		say(l, "tprof-record: %s of snapshots could not be written; the first: %s",
		    rec_dump_plural(n, r->snapshot_troubles, "file"), r->snapshot_trouble);
	if (r->other_troubles)
		say(l, "tprof-record: %s of other processes could not be written",
		    rec_dump_plural(n, r->other_troubles, "file"));
	if (r->refused[0])
		say(l, "tprof-record: %s", r->refused);
	else if (!r->recorded)
		say(l,
		    "tprof-record: %s: nothing was recorded: its process did not report; check "
		    "that LD_PRELOAD reaches it",
		    r->program);
}

/* The commands for the trace and for the first profile that has something to show. */
static void say_what_next(struct lines *l, const struct rec_result *r)
{
	const char *lead = "look at it:";
	const struct rec_dump_file *trace = NULL, *profile = NULL;

	for (size_t i = 0; i < r->last.nfiles; i++) {
		const struct rec_dump_file *f = &r->last.file[i];

		if (!strcmp(f->name, "trace.out"))
			trace = f;
		else if ((!profile || (profile->empty && !f->empty)) &&
			 !strstr(f->name, ".symbols"))
			profile = f;
	}
	for (int i = 0; i < 2; i++) {
		const struct rec_dump_file *f = i ? profile : trace;
		char path[sizeof(r->folder) + sizeof(f->name) + 1];
		struct tp_buf word = {0};

		if (!f || (trace && f->empty))
			continue;
		snprintf(path, sizeof(path), "%s/%s", r->folder, f->name);
		l->failed |= cmd_quote(&word, path) || tp_buf_put(&word, "", 1);
		say(l, "%-11s tprof-top %s", lead, l->failed ? path : (char *)word.data);
		tp_buf_release(&word);
		lead = "";
	}
}

int rec_report(const struct rec_result *r, const struct rec_request *request, struct tp_buf *out)
{
	struct lines l = {.out = out};

	say_losses(&l, r);
	say_how_it_ended(&l, r);
	say_files(&l, r, request);
	say_running(&l, r);
	say_remarks(&l, r, request);
	say_others(&l, r, request);
	say_troubles(&l, r);
	say_what_next(&l, r);
	return l.failed ? TP_ENOMEM : 0;
}

int rec_report_troubles(const struct rec_result *r, struct tp_buf *out)
{
	struct lines l = {.out = out};

	say_losses(&l, r);
	say_end(&l, r, true);
	say_troubles(&l, r);
	return l.failed ? TP_ENOMEM : 0;
}

static bool loses(const struct rec_dump *d)
{
	for (int i = 0; i < REC_NLOSSES; i++)
		if (d->lost[i] && i != REC_LOST_CONTENTION)
			return true;
	return d->lost_switches || d->unfinished || d->spilled || d->nonsense || d->ntroubles;
}

bool rec_report_loses(const struct rec_result *r, bool children)
{
	return (children && r->children) || loses(&r->last) || loses(&r->rest) ||
	       r->snapshot_troubles || r->other_troubles || r->turned_away || r->refused[0] ||
	       !r->recorded || r->ended[0] || r->others_ended || r->cut[0];
}
