#include "tprof-record/api/trace.h"

#include <errno.h>
#include <unistd.h>

#include "tprof-record/api/process.h"
#include "tprof-record/convert/trace/trace.h"

/* Lets waits that began before the trace begin with it, and drops records of the trace before this
 * one, which a thread was about to write when that ended. */
static int clip(struct rec_spool *s, const struct rec_event *events, uint64_t begin)
{
	for (size_t i = 0; i < s->n; i++) {
		struct rec_event e;
		uint16_t kind = atomic_load_explicit(&events[i].kind, memory_order_relaxed);
		bool early = events[i].end < begin;

		if (!early &&
		    ((kind != REC_BLOCK && kind != REC_SYSCALL) || events[i].start >= begin))
			continue;
		/* The mapping shows the change. */
		e = events[i];
		e.start = begin;
		e.kind = early ? REC_NOTHING : kind;
		if (pwrite(s->fd, &e, sizeof(e), (off_t)(i * sizeof(e))) != sizeof(e))
			return errno ? errno : ENOSPC;
	}
	return 0;
}

int api_lay_out(const struct rec_host *h, struct rec_spool *records, struct api_layout *to)
{
	enum rec_trace_format format = to->format == TPROF_GO_1_5 ? REC_GO_1_5 : REC_GO_1_26;
	struct tp_out out = api_spool_out(&to->trace);
	struct rec_process p;
	struct tp_err err = {0};
	int code, failed = api_spool_begin(&to->trace);

	if (failed)
		return failed;
	h->modules_read();
	code = api_process_copy(h, &p, &err);
	if (code)
		return api_errno(code);
	code = rec_spool_map(records, &p.events, &err);
	p.nevents = records->n;
	if (!code)
		failed = clip(records, p.events, to->begin_ns);
	if (!code && !failed)
		code = rec_trace_write(&p, format, &out, &to->symbols, NULL, &err);
	rec_process_free(&p);
	if (!failed)
		failed = to->trace.error;
	if (!failed)
		failed = api_errno(code);
	return failed;
}
