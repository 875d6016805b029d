/* What binutils' objdump says about a program: its functions and its instructions. objdump reads
 * the program in a process of its own, so that what is wrong with a program is never ours. */
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

struct rep_object {
	struct rep_symbol *symbol; /* functions, as listed */
	size_t nsymbols;
	/* private */
	struct tp_buf symbols;
	struct tp_arena names;
};

/* A regular file; else TP_ENOENT with a sentence. */
int rep_object_check(const char *file, struct tp_err *err);

/* Which symbols are wanted. */
typedef bool (*rep_symbol_fn)(void *ctx, const struct rep_symbol *symbol);

/* To be released in every case. TP_ENOENT where the file is no regular one, TP_EIO where objdump is
 * missing or fails. */
int rep_object_read(struct rep_object *o, const char *file, rep_symbol_fn wanted, void *ctx,
		    struct tp_err *err);
void rep_object_release(struct rep_object *o);
struct rep_instruction {
	uint64_t address;
	struct tp_text text;
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
