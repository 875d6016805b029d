/* Names for the addresses of a trace: of what lies beside it (sidecar.h), else of programs that the
 * user names (symbol.h). From those come only calls that were made, as Go's tools have it, not what
 * was inlined into their place; what lies beside a trace was made for it. */
#ifndef TP_SYMBOL_TRACE_H
#define TP_SYMBOL_TRACE_H

#include "decode/dict.h"
#include "symbol/memo.h"
#include "symbol/sidecar.h"
#include "symbol/symbol.h"

/* All 0: no names. */
struct tp_trace_names {
	struct tp_symbolizer *symbols;	/* borrowed; NULL: none */
	struct tp_sidecar *sidecar;	/* NULL: none lies beside the trace */
	char path[4096], broken[256];	/* its path; what is wrong with it, "" nothing */
	size_t named, unnamed, foreign; /* addresses; that are not the sidecar's */
	struct tp_memo texts;		/* text.h; of the one trace whose addresses are named */
};

/* Where something lies beside a trace that has no room for names ("-" has nothing beside it). What
 * cannot be read is no error but a remark; TP_ENOMEM, TP_EIO. Released in every case. */
int tp_trace_names_beside(struct tp_trace_names *t, const char *path, struct tp_err *err);
void tp_trace_names_release(struct tp_trace_names *t);

/* tp_trace_options.name_frames; ctx is the names. */
int tp_trace_names_put(void *ctx, struct tp_dict *dict, uint64_t address, struct tp_frame *frames,
		       size_t *n);

/* What is to be said once all addresses have been asked for; left as it is where that is nothing.
 */
void tp_trace_names_remark(char text[TP_SYMBOL_REMARK], const struct tp_trace_names *t);

#endif
