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

#include "base/err.h"
#include "decode/dict.h"
#include "decode/profile.h"
#include "tprof-record/convert/process.h"

struct rec_names;

/* `p` and `dict` outlive it. TP_ENOMEM. A file is opened when one of its addresses is looked up; a
 * module whose file is missing, or has another build id now, has no names (see rec_names_remark). */
int rec_names_new(struct rec_names **n, const struct rec_process *p, struct tp_dict *dict,
		  struct tp_err *err);
void rec_names_free(struct rec_names *n);
struct tp_dict *rec_names_dict(const struct rec_names *n);

/* Makes names for traces, which have no mappings: code without a name is called FILE+0xADDRESS (the
 * address of the call within the file), and stacks begin with the program's own functions, as Go's
 * tracer leaves out runtime.goexit and runtime.main. Must be called before the first look-up. */
void rec_names_for_traces(struct rec_names *n);

/* Returns the module of a PC: index + 1, or 0 for none (the heap, a JIT, unloaded code). */
uint32_t rec_names_module(const struct rec_names *n, uint64_t pc);
/* Returns the number of frames at a PC, at least 1: without names it is one frame without a function.
 * *frames goes from the root towards the leaf, as tp_profile_push takes it, and lives as long as n. */
size_t rec_names_frames(struct rec_names *n, uint64_t pc, const uint32_t **frames);
/* Puts a whole stack into the dictionary, without frames of the recorder; *node is its node. */
int rec_names_stack(struct rec_names *n, uint32_t stack, uint32_t *node, struct tp_err *err);
/* Returns where the function begins, inlined calls aside, that made the call before a PC; 0: not
 * known. */
uint64_t rec_names_entry(struct rec_names *n, uint64_t pc);
/* Returns whether the code at a PC has a name (FILE+0xADDRESS is not one). */
bool rec_names_known(struct rec_names *n, uint64_t pc);
/* Returns whether the code at a PC is the recorder's own. */
bool rec_names_own(struct rec_names *n, uint64_t pc);
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
