/* The table that every Go binary carries to name its own code: functions, lines, inlined calls.
 *
 * It is what the runtime symbolizes profiles with, so names, files and lines are those of a profile
 * that came with names. Read are the layouts of Go 1.2, 1.16, 1.18 and 1.20 (and later); inlined
 * calls from 1.18 on, given where functions' data (moduledata.gofunc) lies. */
#ifndef TP_SYMBOL_PCLNTAB_H
#define TP_SYMBOL_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "symbol/frame.h"

/* Bytes of the program at an address: an empty slice where there are none. */
typedef struct tp_slice (*tp_memory_fn)(void *ctx, uint64_t address);

struct tp_pclntab {
	struct tp_slice all;
	unsigned version; /* 2, 16, 18, 20 */
	bool big_endian;
	unsigned pointer, quantum; /* bytes of a pointer, of the least instruction */
	uint64_t text;		   /* from 1.18 on: what entries of functions count from */
	uint64_t text_header;	   /* what the table says that is, 0 nothing (Go 1.26 and later) */
	uint32_t nfunctions, nfiles;
	struct tp_slice names, units, files, values, functions;
	tp_memory_fn memory; /* set by tp_pclntab_inlining */
	void *memory_ctx;
	uint64_t function_data; /* address; 0: inlined calls are not known */
	uint64_t credit;	/* steps through tables of values that lookups may still take */
	bool spent;		/* one was cut short: nothing is found any more */
};

/* `text`: address of the section .text, replaced by what is known better. False where it is no such
 * table. The bytes must outlive *t. */
bool tp_pclntab_init(struct tp_pclntab *t, const void *data, size_t size, uint64_t text);

/* Tries an address for moduledata.gofunc: true, and inlined calls are known from now on, when the
 * functions' tables of inlined calls are found there. */
bool tp_pclntab_inlining(struct tp_pclntab *t, uint64_t address, tp_memory_fn memory, void *ctx);

/* The frames at pc, innermost first: how many there are, at most `room`; 0 where no function is,
 * and once lookups have taken far more steps than those of real programs do. */
size_t tp_pclntab_lookup(struct tp_pclntab *t, uint64_t pc, struct tp_symbol *chain, size_t room);

#endif
