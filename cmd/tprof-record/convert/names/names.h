/* Names the code of a recorded process from the files it had mapped: functions, files, lines and
 * inlined calls, as frames of a dictionary.
 *
 * PCs of stacks are return addresses. The name is that of the call before the PC; the dump has the PC
 * itself, as pprof and Go's tools expect. */
#ifndef RECORD_CONVERT_NAMES_H
#define RECORD_CONVERT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/idmap.h"
#include "decode/dict.h"
#include "decode/profile.h"
#include "symbol/image.h"
#include "tprof-record/convert/process.h"

/* A file that was mapped; several modules may be parts of one. */
struct rec_named_file {
	uint32_t name, build_id; /* strings of the process */
	struct tp_image *image, *debug;
	bool tried, other; /* it was opened; it has another build id now */
	int code;	   /* of opening it; TP_EUNKNOWN: nothing can be opened (symbols.c) */
	bool own;	   /* of the recorder */
	bool starter;	   /* a library that starts threads or main */
	size_t unnamed;	   /* addresses */
};

/* The code at a PC. */
struct rec_place {
	uint64_t pc;
	/* From the root towards the leaf, as tp_profile_push takes them. NULL: not looked up yet. */
	const uint32_t *frames;
	uint32_t n;
	uint32_t module; /* index + 1; 0: none (the heap, a JIT, unloaded code) */
	bool own;	 /* the recorder's */
	bool starter;	 /* of a library that begins the stacks of others, such as libc */
	bool named;	 /* (FILE+0xADDRESS is no name) */
};

struct rec_names {
	const struct rec_process *p;
	struct tp_dict *dict;
	bool for_traces;
	size_t named, unnamed;

	/* The rest is private to names.c and names_stack.c. */
	struct rec_named_file *files;
	size_t nfiles;
	uint32_t *file_of; /* by module: file + 1 */
	uint32_t *order;   /* modules: loaded before unloaded, newest first */
	uint32_t nmodules;
	struct tp_idmap by_pc; /* struct rec_place, in the arena */
	uint32_t *node;	 /* by stack of the process: node of the dictionary + 1, 0 not known yet */
	uint32_t *whole; /* the same with frames below the program; NULL: not needed yet */
	uint32_t nnodes;
	struct tp_arena arena;
	struct tp_buf readable; /* scratch: a name that was mangled */
};

/* `p` and `dict` outlive it. TP_ENOMEM; then *n is NULL. A file is opened when one of its addresses is
 * looked up; a module whose file is missing, or has another build id now, has no names (see
 * rec_names_remark).
 *
 * Code without a name is called FILE+0xADDRESS (the address of the call within the file), without a system name, so
 * that readers with the symbols can tell it from code with one.
 *
 * `for_traces`: stacks begin with the program's own functions, as Go's tracer leaves out runtime.goexit and runtime.main;
 * code outside all files is called "?", as traces have no addresses. */
int rec_names_new(struct rec_names **n, const struct rec_process *p, struct tp_dict *dict,
		  bool for_traces, struct tp_err *err);
void rec_names_free(struct rec_names *n);

/* A stack with this bit is not that of the event, but the last that is known of its thread: its leaf is a frame
 * of that name. */
#define REC_LAST_STACK	    0x80000000u
#define REC_LAST_STACK_NAME "tprof._LastKnownStack"
#define REC_LAST_STACK_PC   2 /* nothing is mapped there */

/* The PC and the name of the outermost frame of a stack whose other callers are not known. */
#define REC_CUT_STACK_PC   3
#define REC_CUT_STACK_NAME "tprof._UnknownCallers"

/* Looks a PC up. The place lives as long as n. If memory is out, it is one without a name whose `pc` is
 * 0. */
const struct rec_place *rec_names_place(struct rec_names *n, uint64_t pc);
/* Like rec_names_place, but does not look up the name. Reading the debugging
 * information of libc takes longer than all else that the recording of a short program does. */
const struct rec_place *rec_names_locate(struct rec_names *n, uint64_t pc);
/* Puts a whole stack into the dictionary, without frames of the recorder; *node is its node. */
int rec_names_stack(struct rec_names *n, uint32_t stack, uint32_t *node, struct tp_err *err);
/* Returns where the function begins, inlined calls aside, that made the call before a PC; 0: not
 * known. */
uint64_t rec_names_entry(struct rec_names *n, uint64_t pc);
/* Removes those of the recorder from PCs; returns how many are left. */
size_t rec_names_drop_own(struct rec_names *n, uint64_t *pcs, size_t npcs);
/* Fills in the PCs of a stack without those of the recorder, innermost first; returns their number. */
size_t rec_names_pcs(struct rec_names *n, uint32_t stack, uint64_t *pcs, size_t room);
/* Returns the frame that names a goroutine which began at `entry` (0: not known) and has a stack
 * `stack`: its start routine or, if that belongs to a library that starts threads for others (libc,
 * libstdc++, Rust's standard library), the outermost frame of the program itself. *pc is its PC as a
 * return address. Both are 0 if nothing is known. */
uint32_t rec_names_begin(struct rec_names *n, uint64_t entry, uint32_t stack, uint64_t *pc);
/* Writes a sentence about code without names and how to get them, or "" if all code has names. */
void rec_names_remark(const struct rec_names *n, char text[200]);

#endif
