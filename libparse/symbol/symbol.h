/* Names for code that a dump leaves without: from programs and libraries the user names, or that
 * lie in a folder under their build id.
 *
 * Names in the dump win; only locations without any line are looked up. For an address in a mapping
 * the file is, in this order: a --binary that has the mapping's build id; a file of the symbol path
 * that has it; a --binary with the mapping's file name; the first --binary for the first mapping
 * that has no other (with a notice where the build ids differ); a file of the symbol path with the
 * mapping's file name, where the mapping has no build id. The symbol path is a list of folders
 * separated by ':'; in each, .build-id/ab/cdef.debug and .build-id/ab/cdef are looked at, then the
 * ELF files that lie in the folder itself.
 *
 * Nothing outside of these files and folders is opened, but a supplement that one of the files
 * names itself (.gnu_debugaltlink, which dwz writes). One thread. */
#ifndef TP_SYMBOL_SYMBOL_H
#define TP_SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "decode/profile.h"
#include "symbol/frame.h"

struct tp_symbol_options {
	const char *const *binaries; /* nbinaries of them */
	size_t nbinaries;
	const char *path; /* "DIR:DIR", NULL none */
};

struct tp_symbolizer;

/* Opens the binaries: TP_ENOENT, TP_EIO, TP_EFORMAT (no ELF file), with a sentence; TP_ENOMEM.
 * Folders are looked into when an address asks for them; one that is not there is TP_ENOENT now.
 * *s is NULL after an error. The options need not outlive the call. */
int tp_symbolizer_new(struct tp_symbolizer **s, const struct tp_symbol_options *opt,
		      struct tp_err *err);
void tp_symbolizer_free(struct tp_symbolizer *s);

/* What is known of where an address lies. */
struct tp_symbol_place {
	const char *file, *build_id; /* of the mapping; "" unknown */
	uint64_t start, limit, offset;
	bool mapped; /* the three are known */
	bool first;  /* it is the first mapping: that of the program itself */
};

/* The file that names the code of a mapping: its path, NULL where there is none, and its build id
 * (GNU's, else Go's, else ""). True where the mapping has another build id than the file. */
bool tp_symbolizer_file(struct tp_symbolizer *s, const struct tp_symbol_place *place,
			const char **path, const char **id);

/* The frames at an address, innermost first; how many, 0 where nothing is known. `room` > 0. */
size_t tp_symbolizer_lookup(struct tp_symbolizer *s, const struct tp_symbol_place *place,
			    uint64_t address, struct tp_symbol *chain, size_t room);

/* What is to be said of files that could not be read to their end, else of addresses that have no
 * names still; "" when there are none. */
#define TP_SYMBOL_REMARK 256
void tp_symbol_remark(char text[TP_SYMBOL_REMARK], const struct tp_symbolizer *s, size_t named,
		      size_t unnamed);

/* Names the locations of a profile that have no lines. What it could not do, and files of another
 * build, are added to p->notices. *named, *unnamed (if not NULL): locations that got names, and
 * that have none still. TP_ENOMEM, TP_ELIMIT; TP_EFORMAT where the dictionary (of a damaged store)
 * has a string twice. The profile is as it was then. */
int tp_profile_symbolize(struct tp_profile *p, struct tp_symbolizer *s, size_t *named,
			 size_t *unnamed, struct tp_err *err);
/* Returns whether a profile has code and no location of it has a name or a line. */
bool tp_profile_nameless(const struct tp_profile *p);

#endif
