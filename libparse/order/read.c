#include "order/read.h"

#include <string.h>

#include "base/err.h"

int tp_trace_read(struct tp_input *in, const struct tp_trace_options *opt, struct tp_trace *trace,
		  const struct tp_sink *sink, struct tp_err *err)
{
	struct tp_recognition seen;
	int code;

	memset(trace, 0, sizeof(*trace));
	code = tp_recognise(in->data, in->size, &seen, err);
	if (code)
		return code;
	if (seen.format == TP_FORMAT_PROFILE || seen.format == TP_FORMAT_STORE)
		return tp_err_set(err, TP_EUNKNOWN, 0, "this is a %s, not an execution trace",
				  seen.name);
	trace->dict = tp_dict_new();
	if (!trace->dict)
		return tp_nomem(err);
	trace->version = seen.version;
	if (seen.format == TP_FORMAT_TRACE_V1)
		return tp_v1_read(in, opt, trace, sink, err);
	if (seen.format == TP_FORMAT_TRACE_SCHED)
		return tp_sched_read(in, opt, trace, sink, err);
	return tp_v2_read(in, opt, trace, sink, err);
}
