/* Private to the library: stacks as text. */
#ifndef RECORD_API_TEXT_H
#define RECORD_API_TEXT_H

#include "base/buf.h"
#include "tprof-record/api/lib.h"

/* Prints the stack of the caller (`pcs`, as it took it), and with `all` those of the others. Returns 0
 * or an errno value. */
int api_text_stacks(const struct rec_host *h, const uint64_t *pcs, size_t n, bool all,
		    struct tp_buf *text);

/* Write entries of the text trace of allocations. */
void api_text_block(const struct rec_host *h, const void *block, size_t size, const char *type,
		    bool freed, const uint64_t *pcs, size_t n);
void api_text_gc(const struct rec_host *h, const uint64_t *pcs, size_t n);

#endif
