/* Names for the addresses of a trace, from a file beside it (sidecar.h), else from programs that
 * the user names (symbol.h). Programs only name the functions that were called, as Go's tools do,
 * without inlined calls; a file beside a trace was made for it. */
#ifndef TP_SYMBOL_TRACE_H
#define TP_SYMBOL_TRACE_H

#include "decode/dict.h"
#include "symbol/memo.h"
#include "symbol/sidecar.h"
#include "symbol/symbol.h"

/* All 0: no names. */
struct tp_trace_names {
	struct tp_symbolizer *symbols;	/* borrowed; may be NULL */
	struct tp_sidecar *sidecar;	/* NULL: no file beside the trace */
	char path[4096], broken[256];	/* its path; why it cannot be read, or "" */
	size_t named, unnamed, foreign; /* addresses; foreign ones are not in the sidecar */
	struct tp_memo texts;		/* text.h; of the trace whose addresses are named */
};

/* Opens the file beside a trace, if it exists ("-" has none). A file that cannot be decoded is not an error,
 * but becomes a remark. Returns 0, TP_ENOMEM or TP_EIO. The caller releases *t in every case. */
int tp_trace_names_beside(struct tp_trace_names *t, const char *path, struct tp_err *err);
void tp_trace_names_release(struct tp_trace_names *t);

/* tp_trace_options.name_frames; ctx is the names. */
int tp_trace_names_put(void *ctx, struct tp_dict *dict, uint64_t address, struct tp_frame *frames,
		       size_t *n);

/* Writes a remark about names that are missing, after all addresses have been looked up; leaves the
 * text unchanged if no names are missing. */
void tp_trace_names_remark(char text[TP_SYMBOL_REMARK], const struct tp_trace_names *t);

#endif
