#include "tprof-record/parent/dump.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "tprof-record/core/core.h"
#include "tprof-record/parent/cut.h"
#include "tprof-record/parent/file.h"
#include "tprof-record/parent/live/leak.h"
#include "tprof-record/parent/live/threads.h"
#include "tprof-record/parent/outside.h"
#include "tprof-record/parent/switches.h"

pthread_mutex_t rec_dump_tracing = PTHREAD_MUTEX_INITIALIZER;

/* If the disk is full, a quarter of the records is dropped to make room for the trace of the others. */
enum { KEEP = 3, OF = 4, ATTEMPTS = 8 };

/* The files of an image that are being made. */
struct making {
	const struct rec_request *request;
	struct rec_image *image;
	struct rec_dump *dump;
	const struct rec_process *process;
	struct rec_live live;
	unsigned number; /* of the snapshot, 0: the last files */
};

static void trouble(struct rec_dump *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void trouble(struct rec_dump *d, const char *fmt, ...)
{
	va_list ap;

	if (d->ntroubles == REC_DUMP_TROUBLES)
		return;
	va_start(ap, fmt);
	vsnprintf(d->trouble[d->ntroubles++], sizeof(d->trouble[0]), fmt, ap);
	va_end(ap);
}

char *rec_dump_count(char text[TP_COUNT_SIZE], uint64_t n)
{
	return tp_fmt_count(text, n < INT64_MAX ? (int64_t)n : INT64_MAX);
}

char *rec_dump_plural(char text[REC_PLURAL], uint64_t n, const char *what)
{
	char count[TP_COUNT_SIZE], last = what[strlen(what) - 1];

	snprintf(text, REC_PLURAL, "%s %.14s%s", rec_dump_count(count, n), what,
		 n == 1			      ? ""
		 : last == 's' || last == 'h' ? "es"
					      : "s");
	return text;
}

static struct rec_dump_file *add_file(struct rec_dump *d, const char *name, uint64_t size)
{
	struct rec_dump_file *f;

	if (d->nfiles == REC_DUMP_FILES)
		return NULL;
	f = &d->file[d->nfiles++];
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->size = size;
	return f;
}

/* If the error was a full disk, drops a quarter of the records to make room. Returns whether it did. */
static bool make_room(struct making *m, const struct tp_err *err)
{
	struct rec_spool *s = &m->image->spool;

	if (err->code != TP_EIO || !strstr(err->msg, strerror(ENOSPC)) || m->number || s->n < OF)
		return false;
	rec_spool_keep(s, s->n / OF * KEEP);
	return true;
}

/* ---- profiles ---- */

static int64_t total(const struct tp_profile *p, size_t type)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->nsamples; i++)
		sum += p->value[i * p->ntypes + type];
	return sum;
}

static void describe(char what[96], enum rec_profile_kind kind, const struct tp_profile *p)
{
	char a[TP_UNITS_SIZE], b[TP_UNITS_SIZE], c[REC_PLURAL], d[TP_UNITS_SIZE];

	if (kind == REC_PROFILE_CPU && !p->nsamples)
		snprintf(what, 96, "no samples%s", p->nnotices ? "" : ": it used little CPU time");
	else if (kind == REC_PROFILE_CPU && p->ntypes >= 2)
		snprintf(what, 96, "%s on a processor, %s", tp_fmt_ns(a, total(p, 1)),
			 rec_dump_plural(c, (uint64_t)total(p, 0), "sample"));
	else if (kind == REC_PROFILE_HEAP && !p->nsamples && p->period > 1)
		snprintf(what, 96, "no samples: it allocated little; --heap=1 samples everything");
	else if (kind == REC_PROFILE_HEAP && p->ntypes >= 6)
		snprintf(what, 96, "%s in use, %s at the peak, %s allocated in %s",
			 tp_fmt_bytes(a, total(p, 3)), tp_fmt_bytes(d, total(p, 5)),
			 tp_fmt_bytes(b, total(p, 1)),
			 rec_dump_plural(c, (uint64_t)total(p, 0), "block"));
	else if ((kind == REC_PROFILE_BLOCK || kind == REC_PROFILE_MUTEX) && p->ntypes >= 2)
		snprintf(what, 96, "%s, %s", rec_dump_plural(c, (uint64_t)total(p, 0), "wait"),
			 tp_fmt_ns(b, total(p, 1)));
	else if (p->ntypes)
		rec_dump_plural(what, (uint64_t)total(p, 0), "thread");
}

static void write_profile(struct making *m, enum rec_profile_kind kind)
{
	const char *title = rec_profile_name(kind), *ending;
	struct tp_profile *made = NULL;
	struct tp_buf data = {0};
	struct tp_err err = {0};
	char name[40];
	int code;

	ending = rec_profile_is_text(kind, m->request->text) ? "txt" : "pb.gz";
	if (m->number)
		snprintf(name, sizeof(name), "%s.%04u.%s", title, m->number, ending);
	else
		snprintf(name, sizeof(name), "%s.%s", title, ending);
	code = rec_profile_write(m->process, kind, &m->live, m->request->text, &data, &made, &err);
	for (int i = 0; !code; i++) {
		code = rec_file_put(m->image->folder, name, data.data, data.size, &err);
		if (!code || i == ATTEMPTS || !make_room(m, &err))
			break;
		code = 0;
	}
	if (code) {
		trouble(m->dump, "%s/%s: %s", m->image->folder, name, err.msg);
	} else {
		struct rec_dump_file *f = add_file(m->dump, name, data.size);

		if (f && made) {
			describe(f->what, kind, made);
			f->empty = !made->nsamples;
		}
	}
	tp_profile_free(made);
	tp_buf_release(&data);
}

static void write_profiles(struct making *m)
{
	for (int kind = 0; kind < REC_NPROFILES; kind++)
		if (m->request->profile[kind])
			write_profile(m, (enum rec_profile_kind)kind);
}

/* Takes the stacks of running threads, and finds leaked ones, if the process is alive. */
static void look_at_threads(struct making *m)
{
	const bool *wanted = m->request->profile;
	struct rec_dump *d = m->dump;
	struct tp_err err = {0};
	int code = 0;

	if (!m->process->alive)
		return;
	pthread_mutex_lock(&rec_dump_tracing);
	if (wanted[REC_PROFILE_GOROUTINE])
		code = rec_live_stacks(m->image->pid, m->process, &m->live, &err);
	if (!code && wanted[REC_PROFILE_LEAK])
		code = rec_live_leaks(m->image->pid, m->process, &m->live, &err);
	pthread_mutex_unlock(&rec_dump_tracing);
	if (code)
		snprintf(d->blind, sizeof(d->blind), "%s", err.msg);
}

/* ---- the trace ---- */

static int try_trace(struct making *m, const struct rec_process *p, struct rec_trace_result *result,
		     uint64_t *size, struct tp_err *err)
{
	static const char beside[] = "trace.out.symbols";
	struct tp_buf symbols = {0};
	struct rec_file f;
	int code = rec_file_begin(&f, m->image->folder, "trace.out", err);

	if (!code)
		code = rec_file_end(
		    &f, rec_trace_write(p, m->request->trace_format, &f.out, &symbols, result, err),
		    err);
	*size = f.size;
	if (!code && symbols.size) {
		code = rec_file_put(m->image->folder, beside, symbols.data, symbols.size, err);
		if (!code)
			add_file(m->dump, beside, symbols.size);
	}
	tp_buf_release(&symbols);
	return code;
}

/* Returns whether the program has called tprof_trace_start. */
static bool traced_itself(struct rec_image *image)
{
	const struct rec_event *events;

	if (rec_spool_map(&image->spool, &events, NULL))
		return false;
	for (size_t i = 0; i < image->spool.n; i++)
		if (events[i].kind == REC_TRACE_START)
			return true;
	return false;
}

/* Adds the kernel's switches to a process. */
static void add_switches(struct making *m, struct rec_process *p)
{
	static const struct rec_event none;
	struct rec_switches *s = m->image->switches;
	struct rec_switches_list list;
	struct tp_err err = {0};
	bool denied = false;

	if (!s)
		return;
	if (rec_switches_map(s, p->arena.header->start_ns, p->end_ns, &list, &err))
		trouble(m->dump, "switches of threads: %s", err.msg);
	else
		p->switches = list.events ? list.events : &none;
	rec_outside_put(m->image->looks, p, &denied);
	if (denied)
		snprintf(m->dump->blind, sizeof(m->dump->blind),
			 "process %d may not be looked at (ptrace, process_vm_readv): the stacks "
			 "of waits that no hook sees are the last known ones",
			 (int)m->image->pid);
	p->nswitches = list.n;
	p->switches_end_ns = list.end_ns;
	m->dump->lost_switches = list.lost;
	m->dump->wakes = list.wakes;
	m->dump->switch_error = list.error;
	m->dump->exact = p->switches != NULL;
}

static void write_trace(struct making *m)
{
	struct rec_process p = *m->process;
	struct rec_trace_result result = {0};
	struct rec_spool *s = &m->image->spool;
	struct rec_dump_file *f;
	struct tp_err err = {0};
	char events[TP_COUNT_SIZE], threads[REC_PLURAL];
	uint64_t size = 0;
	int code = 0;

	add_switches(m, &p);
	for (int i = 0; i < ATTEMPTS; i++) {
		code = rec_spool_map(s, &p.events, &err);
		p.nevents = s->n;
		if (!code && s->lost)
			p.events_end_ns = s->n ? p.events[s->n - 1].end : 1;
		if (!code)
			code = try_trace(m, &p, &result, &size, &err);
		if (!code || !make_room(m, &err))
			break;
	}
	if (code) {
		trouble(m->dump, "%s/trace.out: %s", m->image->folder, err.msg);
		return;
	}
	f = add_file(m->dump, "trace.out", size);
	if (f)
		snprintf(f->what, sizeof(f->what), "%s events of %s%s",
			 rec_dump_count(events, result.events),
			 rec_dump_plural(threads, result.goroutines, "thread"),
			 m->request->trace_format == REC_GO_1_5 &&
				 m->request->profile[REC_PROFILE_CPU]
			     ? "; go 1.5 has no CPU samples"
			     : "");
	m->dump->running_ns = result.running_ns;
	m->dump->delay_ns = result.delay_ns;
	m->dump->more_delay = result.more_delay;
	m->dump->exact = m->dump->exact && result.exact;
	m->dump->nonsense += result.contradictions;
	m->dump->left_out = result.left_out;
	memcpy(m->dump->remark, result.remark, sizeof(result.remark));
}

/* ---- all of it ---- */

static void count_losses(struct rec_dump *d, const struct rec_image *image,
			 const struct rec_process *p)
{
	for (int i = 0; i < REC_NLOSSES; i++)
		d->lost[i] = p->arena.header->lost[i];
	d->unfinished = image->drain.given_up;
	d->spilled = image->spool.lost;
	d->spill_error = image->spool.error;
	d->nonsense += image->drain.nonsense;
}

void rec_dump_add_losses(struct rec_dump *sum, const struct rec_dump *d)
{
	for (int i = 0; i < REC_NLOSSES; i++)
		sum->lost[i] += d->lost[i];
	/* Those of the whole recording: the kernel does not say of which process. */
	if (sum->lost_switches < d->lost_switches) {
		sum->lost_switches = d->lost_switches;
		sum->switch_error = d->switch_error;
	}
	sum->unfinished += d->unfinished;
	sum->spilled += d->spilled;
	if (d->spill_error)
		sum->spill_error = d->spill_error;
	sum->nonsense += d->nonsense;
	sum->left_out += d->left_out;
}

void rec_dump_nothing(const struct rec_image *image, const struct tp_err *err, struct rec_dump *d)
{
	memset(d, 0, sizeof(*d));
	trouble(d, "process %d (%s): %s", (int)image->pid, image->program, err->msg);
}

void rec_dump_write(struct rec_image *image, bool final, const struct rec_request *r,
		    struct rec_images *images, struct rec_dump *d)
{
	struct rec_process p;
	struct making m = {.request = r, .image = image, .dump = d, .process = &p};
	struct tp_err err = {0};
	size_t wrong = 0;

	memset(d, 0, sizeof(*d));
	if (!final && r->profile[REC_PROFILE_HEAP])
		rec_heap_publish(&image->arena);
	if (rec_image_copy(image, &p, &wrong, &err)) {
		rec_dump_nothing(image, &err, d);
		return;
	}
	p.images = images;
	if (final) {
		if (image->alive)
			rec_image_silence(image);
		d->nonsense = wrong;
		/* On the checked copy, which only we read. */
		rec_heap_publish(&p.arena);
	} else {
		m.number = ++image->snapshots;
	}
	look_at_threads(&m);
	write_profiles(&m);
	if (final && (r->trace || traced_itself(image)))
		write_trace(&m);
	if (final && rec_cut_pages())
		snprintf(
		    d->remark, sizeof(d->remark),
		    "a file was truncated while names were read from it; some names are missing");
	/* Only now, as make_room may have dropped records. */
	if (final)
		count_losses(d, image, &p);
	rec_live_release(&m.live);
	rec_process_free(&p);
}
