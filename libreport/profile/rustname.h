/* Rust's legacy mangling: _ZN, identifiers preceded by their lengths, 17h and a hash of 16
 * hexadecimal digits, E. */
#ifndef REP_PROFILE_RUSTNAME_H
#define REP_PROFILE_RUSTNAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "decode/dict.h"

/* Appends the demangled name without its hash, and sets *put, if the name is of this kind. Returns
 * 0 or TP_ENOMEM. */
int rep_rust_demangle(struct tp_text name, struct tp_buf *out, bool *put);

#endif
