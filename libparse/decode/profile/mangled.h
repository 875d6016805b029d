/* Names of functions as linkers see them. */
#ifndef TP_DECODE_PROFILE_MANGLED_H
#define TP_DECODE_PROFILE_MANGLED_H

#include <stdbool.h>

#include "open/lines.h"

/* Returns whether 16 characters are a hash of Rust's, which ends a name: ::h0123456789abcdef. Text with fewer
 * than five different digits belongs to a C++ name. */
#define TP_HASH_SIZE 16
bool tp_profile_is_hash(const char *text);

/* Returns whether a name of C++ or Rust is as the linker sees it, or has a hash of Rust's. Only such a name
 * is given as the system name of a function as well, which makes the reports look for a shorter name:
 * <module> and f<int> are written for people already. */
bool tp_profile_is_mangled(struct tp_scan name);

#endif
