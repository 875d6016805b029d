/* The instructions of a program, disassembled by binutils' objdump. */
#ifndef REP_PROFILE_CODE_OBJDUMP_H
#define REP_PROFILE_CODE_OBJDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "decode/dict.h"

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

/* Reads the instructions of [start, end), which are addresses in the file, in the order of their
 * addresses. `file` must be a regular file. Returns TP_EIO if objdump is missing or fails. *c must
 * be released in every case. */
int rep_code_read(struct rep_code *c, const char *file, uint64_t start, uint64_t end, bool intel,
		  struct tp_err *err);
void rep_code_release(struct rep_code *c);

#endif
