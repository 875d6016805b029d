/* Readable names of C++, made shorter. */
#ifndef REP_PROFILE_CPPNAME_H
#define REP_PROFILE_CPPNAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "decode/dict.h"

/* What is left of a name. Without ALL, those parameters go that tell the functions apart in which
 * something is local: "f()::x". */
enum rep_cpp_parts {
	REP_CPP_PARAMETERS = 1, /* and the type that is returned */
	REP_CPP_TEMPLATES = 2,	/* arguments of templates */
	REP_CPP_ALL = 7,
};

/* `name` is what __cxa_demangle gave. */
int rep_cpp_simplify(const char *name, enum rep_cpp_parts parts, struct tp_buf *out);

/* Of names somebody else has made readable, by pprof's rule of thumb (looksLikeDemangledCPlusPlus):
 * everything in parentheses goes, and everything in angle brackets if `templates`. Unlike pprof,
 * generic functions of Go do not look like C++: their parentheses hold receivers, and parameters of
 * function types. */
bool rep_cpp_looks_like(struct tp_text name);
int rep_cpp_strip(struct tp_text name, bool templates, struct tp_buf *out);

#endif
