/* Reads dumps of profiles, several at a time, without the cache: decoding one is faster than a look
 * into the cache. profiles.c uses it for all files first, and reads stores and traces one by one. */
#ifndef CMD_DUMPS_H
#define CMD_DUMPS_H

#include "common/profiles.h"
#include "common/what.h"
#include "profile/demangle.h"
#include "symbol/symbol.h"

/* ---- names for code without names ---- */

/* Settings for names; each thread needs its own. */
struct cmd_names {
	struct tp_symbolizer *symbols; /* NULL: neither --binary nor --symbol-path is given */
	enum rep_demangle demangle;
};

/* Sets it up from cmd->profile. Returns errors of profile/demangle.h and symbol/symbol.h. The caller
 * releases it in every case. */
int cmd_names_init(struct cmd_names *n, const struct cmd *cmd, struct tp_err *err);
void cmd_names_release(struct cmd_names *n);
int cmd_names_of(struct tp_profile *p, const struct cmd_names *n, struct tp_err *err);

/* ---- dumps ---- */

/* A note about a dump, or "". */
struct cmd_dump_note {
	char text[800];
	bool damaged;
};

/* Reads a dump, as `how` says. *p belongs to the caller. If the file is not a profile, *p stays NULL and
 * *what says what it is. Returns 0 or an error code. */
int cmd_dump_read(const char *path, const struct cmd_names *names, struct tp_profile_options how,
		  enum cmd_what *what, struct tp_profile **p, struct cmd_dump_note *note,
		  struct tp_err *err);
void cmd_dumps_tell(const struct cmd *cmd, const char *const *paths,
		    const struct cmd_dump_note *note, size_t n);

/* Loads all paths if all are dumps of profiles; else sets *other and loads nothing. `each_dump` as in
 * struct cmd_profiles_options; `add`: adds them up. Returns a status. */
int cmd_dumps_load(struct cmd *cmd, const char *const *paths, size_t n, bool each_dump, bool add,
		   bool *other, struct cmd_profiles *out);

#endif
