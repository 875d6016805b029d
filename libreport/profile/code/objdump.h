/* What binutils' objdump says about a program: its symbols, where its parts are loaded, and its
 * instructions. objdump reads the program in a process of its own, so that what is wrong with a
 * program is never ours. */
#ifndef REP_PROFILE_CODE_OBJDUMP_H
#define REP_PROFILE_CODE_OBJDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "decode/dict.h"

struct rep_symbol {
	struct tp_text name;
	uint64_t start, end; /* addresses in the file: [start, end) */
};

struct rep_segment {
	uint64_t offset, address, size; /* in the file; what is loaded from there */
};

struct rep_object {
	struct rep_symbol *symbol; /* functions, as listed */
	size_t nsymbols;
	struct rep_segment *segment;
	size_t nsegments;
	/* private */
	struct tp_buf symbols, segments;
	struct tp_arena names;
};

/* Which symbols are wanted. */
typedef bool (*rep_symbol_fn)(void *ctx, const struct rep_symbol *symbol);

/* To be released in every case. TP_ENOENT where objdump is missing or the file is no regular one,
 * TP_EIO where objdump fails. */
int rep_object_read(struct rep_object *o, const char *file, rep_symbol_fn wanted, void *ctx,
		    struct tp_err *err);
void rep_object_release(struct rep_object *o);
/* Where what was loaded at `address` of a mapping is in the file. */
uint64_t rep_object_address(const struct rep_object *o, uint64_t address, uint64_t mapping_start,
			    uint64_t mapping_offset);

struct rep_instruction {
	uint64_t address;
	struct tp_text text;
	struct tp_text function, file; /* from the line table, empty where it has none */
	int64_t line;
};

struct rep_code {
	struct rep_instruction *item;
	size_t n;
	/* private */
	struct tp_buf items;
	struct tp_arena texts;
};

/* The instructions of [start, end), by address. To be released in every case; the same errors. */
int rep_code_read(struct rep_code *c, const char *file, uint64_t start, uint64_t end, bool intel,
		  struct tp_err *err);
void rep_code_release(struct rep_code *c);

#endif
