/* Rust's two manglings. The legacy one is _ZN, identifiers preceded by their lengths, 17h and a hash of 16
 * hexadecimal digits, E. That of RFC 2603 ("v0") begins with _R. */
#ifndef REP_PROFILE_RUSTNAME_H
#define REP_PROFILE_RUSTNAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "decode/dict.h"

/* Append the demangled name, without hashes and suffixes of compilers, and set *put, if the name is of this kind.
 * A v0 name that is nested too deeply, or would be longer than 16 KiB, is none. Unless `whole`, arguments of generics in
 * v0 names are left out: a::f::<>. Return 0 or TP_ENOMEM. */
int rep_rust_demangle(struct tp_text name, bool whole, struct tp_buf *out, bool *put);
int rep_rust_demangle_v0(struct tp_text name, bool whole, struct tp_buf *out, bool *put);

/* Returns the length of the hash at the end of a name that was demangled as one of C++, "::h0123456789abcdef";
 * 0 if there is none. */
uint32_t rep_rust_hash(struct tp_text name);

#endif
