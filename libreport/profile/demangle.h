/* Names of C++ and Rust as somebody reads them: _ZN3app3runIiEEvi is app::run.
 *
 * As pprof does it when it loads a profile (internal/symbolizer, Demangle): names that a dump has
 * made readable itself (that differ from the system's name) stay; mangled ones are made readable;
 * of the others, those that look like C++ lose parameters and template arguments.
 *
 * _Z names are read by the run-time library of C++ (__cxa_demangle of libstdc++), which is looked
 * for when the first of them comes along. Where it is missing, and where a name is longer than 4
 * KiB or names more than 40 of its parts again (which may multiply its length), it stays as it is.
 * Names of Rust are read here: those of the older kind, _ZN…17h…E. */
#ifndef REP_PROFILE_DEMANGLE_H
#define REP_PROFILE_DEMANGLE_H

#include "base/buf.h"
#include "decode/profile.h"

enum rep_demangle {
	REP_DEMANGLE_DEFAULT,	/* neither parameters nor template arguments */
	REP_DEMANGLE_TEMPLATES, /* no parameters; also what the dump has made readable */
	REP_DEMANGLE_FULL,	/* everything; also what the dump has made readable */
	REP_DEMANGLE_NONE,	/* names are those of the dump */
};

/* How somebody types them; NULL: the default. TP_EFORMAT with a sentence. */
int rep_demangle_parse(const char *text, enum rep_demangle *how, struct tp_err *err);

/* The readable form of a system's name, put behind what is in *out. */
int rep_demangle_name(struct tp_text name, enum rep_demangle how, struct tp_buf *out);

/* All functions of a profile. TP_ENOMEM, TP_ELIMIT. */
int rep_profile_demangle(struct tp_profile *p, enum rep_demangle how, struct tp_err *err);

#endif
