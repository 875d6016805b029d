/* Dumps of profiles, read right here and several at a time: that is faster than looking into a
 * cache. profiles.c begins with them, and takes stores and traces one by one. */
#ifndef CMD_DUMPS_H
#define CMD_DUMPS_H

#include "common/profiles.h"
#include "common/what.h"
#include "profile/demangle.h"
#include "symbol/symbol.h"

/* What a dump is called: as its file, or "stdin". */
const char *cmd_dump_name(const char *path);

/* ---- names for code that a profile leaves without ---- */

/* Each thread has its own. */
struct cmd_names {
	struct tp_symbolizer *symbols; /* NULL where nothing looks names up */
	enum rep_demangle demangle;
};

/* Errors are those of profile/demangle.h and symbol/symbol.h; released in every case. */
int cmd_names_init(struct cmd_names *n, const struct cmd_profiles_options *opt, struct tp_err *err);
void cmd_names_release(struct cmd_names *n);
int cmd_names_of(struct tp_profile *p, const struct cmd_names *n, struct tp_err *err);

/* ---- dumps ---- */

/* What is to be said of a dump, "" nothing. */
struct cmd_dump_note {
	char text[800];
	bool damaged;
};

/* One. *p is the caller's; it stays NULL where it turns out that the path is no dump of a profile:
 * *what then says so. `before`: NULL, or for those before it in the file. */
int cmd_dump_read(const char *path, const struct cmd_names *names, enum cmd_what *what,
		  struct tp_profile **p, struct tp_profile_dumps *before,
		  struct cmd_dump_note *note, struct tp_err *err);
void cmd_dumps_tell(const struct cmd *cmd, const char *const *paths,
		    const struct cmd_dump_note *note, size_t n);

/* All paths, as long as they are dumps of profiles; *other where one is not: then nothing has been
 * done. `add`: they are added up. 0 or an exit status (explained on stderr). */
int cmd_dumps_load(struct cmd *cmd, const char *const *paths, size_t n,
		   const struct cmd_profiles_options *opt, bool add, bool *other,
		   struct cmd_profiles *out);

#endif
