/* Shortens demangled names of C++. */
#ifndef REP_PROFILE_CPPNAME_H
#define REP_PROFILE_CPPNAME_H

#include <stdbool.h>

#include "base/buf.h"
#include "decode/dict.h"

/* The parts of a name that are kept. Without ALL, a function that has something local also loses
 * its parameters: "f()::x". */
enum rep_cpp_parts {
	REP_CPP_PARAMETERS = 1, /* and the return type */
	REP_CPP_TEMPLATES = 2,	/* arguments of templates */
	REP_CPP_ALL = 7,
};

/* Appends the short form of what __cxa_demangle returned. Returns 0 or TP_ENOMEM. */
int rep_cpp_simplify(const char *name, enum rep_cpp_parts parts, struct tp_buf *out);

/* Returns whether a name looks like demangled C++, by pprof's rule of thumb
 * (looksLikeDemangledCPlusPlus). Unlike in pprof, generic functions of Go do not: their parentheses
 * hold receivers, and parameters of function types. */
bool rep_cpp_looks_like(struct tp_text name);
/* Appends such a name without everything in parentheses, and without everything in angle brackets
 * if `templates`. Returns 0 or TP_ENOMEM. */
int rep_cpp_strip(struct tp_text name, bool templates, struct tp_buf *out);

#endif
