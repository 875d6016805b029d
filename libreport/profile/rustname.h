/* The older way Rust mangles names: _ZN, identifiers with their lengths in front, 17h and a hash of
 * 16 hexadecimal digits, E. */
#ifndef REP_PROFILE_RUSTNAME_H
#define REP_PROFILE_RUSTNAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "decode/dict.h"

/* *put: it was such a name, and is behind what is in *out, without its hash. */
int rep_rust_demangle(struct tp_text name, struct tp_buf *out, bool *put);

#endif
