/* Identifiers of Rust that are not ASCII, in mangled names. */
#ifndef REP_PROFILE_PUNYCODE_H
#define REP_PROFILE_PUNYCODE_H

#include <stddef.h>

#include "decode/dict.h"

#define REP_PUNYCODE_ROOM 1024

/* Decodes RFC 3492 with "_" for "-" into UTF-8. Returns its size; 0: it is wrong, has control characters, or more
 * than 256 characters. */
size_t rep_punycode(struct tp_text id, char text[REP_PUNYCODE_ROOM]);

#endif
