/* Names code that has no names in a dump, from programs and libraries that the user names, or that
 * are in a folder under their build id.
 *
 * Names in the dump win; only locations without any line are looked up. The file for an address in
 * a mapping is, in this order: a --binary with the mapping's build id; a file of the symbol path
 * with that id; a --binary with the mapping's file name; for the first mapping, the first --binary
 * (with a notice if the build ids differ); if the mapping has no build id, a file of the symbol
 * path with its file name. The symbol path is a list of folders separated by ':'. In each,
 * .build-id/ab/cdef.debug and .build-id/ab/cdef are tried, then the ELF files in the folder itself.
 *
 * No other files are opened, except for a supplement that one of these files names
 * (.gnu_debugaltlink, which dwz writes). For one thread. */
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
	const char *path; /* "DIR:DIR", or NULL */
};

struct tp_symbolizer;

/* Opens the binaries. Returns 0, TP_ENOENT, TP_EIO, TP_EFORMAT (not an ELF file) or TP_ENOMEM.
 * Folders must exist (TP_ENOENT), and are searched once an address needs them. *s is NULL after an
 * error. The options need not outlive the call. */
int tp_symbolizer_new(struct tp_symbolizer **s, const struct tp_symbol_options *opt,
		      struct tp_err *err);
void tp_symbolizer_free(struct tp_symbolizer *s);

/* The known facts about the mapping of an address. */
struct tp_symbol_place {
	const char *file, *build_id; /* "": unknown */
	uint64_t start, limit, offset;
	bool mapped; /* the three are known */
	bool first;  /* the first mapping, which is the program itself */
};

/* Finds the file that names the code of a mapping: its path, or NULL, and its build id (GNU's, else
 * Go's, else ""). Returns whether the mapping has another build id than the file. */
bool tp_symbolizer_file(struct tp_symbolizer *s, const struct tp_symbol_place *place,
			const char **path, const char **id);

/* Finds the frames at an address, innermost first. Returns how many, 0 if it is unknown. `room` >
 * 0. */
size_t tp_symbolizer_lookup(struct tp_symbolizer *s, const struct tp_symbol_place *place,
			    uint64_t address, struct tp_symbol *chain, size_t room);

/* Writes a remark about files whose tables need too much work, else about addresses that still have
 * no names, else "". */
#define TP_SYMBOL_REMARK 256
void tp_symbol_remark(char text[TP_SYMBOL_REMARK], const struct tp_symbolizer *s, size_t named,
		      size_t unnamed);

/* Names the locations of a profile that have no lines. Adds notices about locations that it could
 * not name, and files of another build. Sets *named and *unnamed (may be NULL) to the numbers of locations
 * that got names and that still have none. Returns 0, TP_ENOMEM, TP_ELIMIT, or TP_EFORMAT if the dictionary
 * (of a damaged store) has a string twice. After an error the profile is unchanged. */
int tp_profile_symbolize(struct tp_profile *p, struct tp_symbolizer *s, size_t *named,
			 size_t *unnamed, struct tp_err *err);
/* Returns whether a profile has code but no location has a name or a line. */
bool tp_profile_nameless(const struct tp_profile *p);

#endif
