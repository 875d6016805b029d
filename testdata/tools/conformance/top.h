/* What `pprof -top` prints for each sample type, and what we do. */
#ifndef CONFORMANCE_TOP_H
#define CONFORMANCE_TOP_H

#include "conformance/profile.h"

/* `expected` is a text of sections, each headed by "== sample_index=TYPE". Rows are facts, lines
 * above them checks. Nodes with the same name and flat value are in no order in pprof. */
int top_facts(struct facts *f, const struct profile_run *run, const struct tp_buf *expected,
	      struct tp_err *err);

#endif
