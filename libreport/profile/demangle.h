/* Demangles names of C++ and Rust: _ZN3app3runIiEEvi becomes app::run.
 *
 * The rules are pprof's for loading a profile (internal/symbolizer, Demangle). A name that the dump
 * itself has demangled (it differs from the system name) stays; a mangled name is demangled; any
 * other name that looks like C++ loses its parameters and template arguments. Unlike in pprof, a name of Rust
 * that was demangled as one of C++ loses its hash only.
 *
 * Names that begin with _Z are demangled by __cxa_demangle of libstdc++, which is loaded when the
 * first one is met. A name stays mangled if that library is missing, if it is longer than 4 KiB, or
 * if it refers back to its own parts more than 40 times, which may multiply its length. Rust's
 * manglings, _R… and _ZN…17h…E, are decoded here. */
#ifndef REP_PROFILE_DEMANGLE_H
#define REP_PROFILE_DEMANGLE_H

#include "base/buf.h"
#include "decode/profile.h"

enum rep_demangle {
	REP_DEMANGLE_DEFAULT,	/* neither parameters nor template arguments */
	REP_DEMANGLE_TEMPLATES, /* no parameters; also of names that the dump has demangled */
	REP_DEMANGLE_FULL,	/* everything; also of names that the dump has demangled */
	REP_DEMANGLE_NONE,	/* the names of the dump */
};

/* Parses the argument of --demangle; NULL is the default. Returns 0, or TP_EFORMAT with a sentence.
 */
int rep_demangle_parse(const char *text, enum rep_demangle *how, struct tp_err *err);

/* Appends the demangled form of a system name. Returns 0 or TP_ENOMEM. */
int rep_demangle_name(struct tp_text name, enum rep_demangle how, struct tp_buf *out);

/* Demangles the names of all functions of a profile. Errors: TP_ENOMEM, TP_ELIMIT. */
int rep_profile_demangle(struct tp_profile *p, enum rep_demangle how, struct tp_err *err);

#endif
