/* Reads pclntab, the table of functions, lines and inlined calls that every Go binary has.
 *
 * The runtime symbolizes profiles with it, so names, files and lines equal those of a profile that
 * has names. The layouts of Go 1.2, 1.16, 1.18 and 1.20 (and later) are read; inlined calls from
 * 1.18 on, if the address of functions' data (moduledata.gofunc) is known. */
#ifndef TP_SYMBOL_PCLNTAB_H
#define TP_SYMBOL_PCLNTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "symbol/frame.h"

/* Returns the bytes of the program at an address; an empty slice if it has none. */
typedef struct tp_slice (*tp_memory_fn)(void *ctx, uint64_t address);

struct tp_pclntab {
	struct tp_slice all;
	unsigned version; /* 2, 16, 18, 20 */
	bool big_endian;
	unsigned pointer, quantum; /* bytes of a pointer, of the smallest instruction */
	uint64_t text;		   /* from 1.18 on: the base of functions' entries */
	uint64_t text_header;	   /* the base in the table's header, or 0 (Go 1.26 and later) */
	uint32_t nfunctions, nfiles;
	struct tp_slice names, units, files, values, functions;
	tp_memory_fn memory; /* set by tp_pclntab_inlining */
	void *memory_ctx;
	uint64_t function_data; /* address; 0: inlined calls are unknown */
	uint64_t credit;	/* steps that look-ups may still take through tables of values */
	bool spent;		/* the credit is used up: nothing more is found */
};

/* `text`: address of the section .text, unless the table has a better one. Returns false if the
 * bytes, which must outlive *t, are not such a table. */
bool tp_pclntab_init(struct tp_pclntab *t, const void *data, size_t size, uint64_t text);

/* Tries an address for moduledata.gofunc. Returns true, and enables inlined calls, if functions'
 * tables of inlined calls are found there. */
bool tp_pclntab_inlining(struct tp_pclntab *t, uint64_t address, tp_memory_fn memory, void *ctx);

/* Finds the frames at pc, innermost first. Returns how many, at most `room`; 0 if pc is in no
 * function, or once look-ups have taken far more steps than those of real programs. */
size_t tp_pclntab_lookup(struct tp_pclntab *t, uint64_t pc, struct tp_symbol *chain, size_t room);

#endif
