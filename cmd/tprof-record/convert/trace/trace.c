#include "tprof-record/convert/trace/trace.h"

#include "base/seed.h"
#include "tprof-record/convert/trace/legalise.h"

static int write_trace(struct rec_story *s, enum rec_trace_format format, const struct tp_out *out,
		       struct tp_err *err)
{
	int code = rec_streams_new(s);

	if (!code)
		code = rec_pairs_find(s);
	if (!code)
		code = format == REC_GO_1_5 ? rec_v1_writer_new(&s->w, s, out, err)
					    : rec_v2_writer_new(&s->w, s, out, err);
	if (!code)
		code = rec_story_tell(s);
	if (s->w)
		s->w->free(s->w);
	return code;
}

int rec_trace_write(const struct rec_process *p, struct rec_names *names,
		    enum rec_trace_format format, const struct tp_out *out,
		    struct rec_trace_result *result, struct tp_err *err)
{
	struct tp_err own = {0};
	struct rec_story s = {.p = p, .names = names, .seed = tp_seed(), .err = err ? err : &own};
	int code;

	s.err->code = 0;
	rec_names_for_traces(names);
	code = write_trace(&s, format, out, s.err);
	/* Tables tell the code only. */
	if (code && s.err->code != code)
		tp_err_full(s.err, code, "the trace has too many names or stacks");
	rec_story_release(&s);
	if (result)
		*result = s.result;
	return code;
}
