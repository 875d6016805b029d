/* Names for the code of a recorded process, out of the files it had mapped: functions, files, lines
 * and inlined calls, as frames of a dictionary.
 *
 * A PC of a stack is a return address but for an interrupted thread's first; names are those of the
 * call before it, the address in the dump stays as it is (pprof and Go's tools expect that). */
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

/* `p` and `dict` outlive it. TP_ENOMEM. Files are opened when an address asks for them; a module
 * without a file, or with another build id by now, has no names (rec_names_remark says so). */
int rec_names_new(struct rec_names **n, const struct rec_process *p, struct tp_dict *dict,
		  struct tp_err *err);
void rec_names_free(struct rec_names *n);
struct tp_dict *rec_names_dict(const struct rec_names *n);

/* From now on names are as traces want them, which have neither mappings nor an eye for what lies
 * below main: code without a name is called FILE+0xADDRESS (the file's own address of the call),
 * and stacks begin with what the program itself runs, as Go's tracer leaves out runtime.goexit and
 * runtime.main. To be said before any name is asked for. */
void rec_names_for_traces(struct rec_names *n);

/* The module of a PC: index + 1, 0 for none (the heap, a JIT, unloaded). */
uint32_t rec_names_module(const struct rec_names *n, uint64_t pc);
/* Frames at a PC, from the root towards the leaf (as tp_profile_push takes them); how many, at
 * least 1: without names it is one frame without a function. Cached by PC, and valid as long as n.
 */
size_t rec_names_frames(struct rec_names *n, uint64_t pc, const uint32_t **frames);
/* The whole stack in the dictionary, frames of the recorder itself left out; *stack is its node. */
int rec_names_stack(struct rec_names *n, uint32_t stack, uint32_t *node, struct tp_err *err);
/* Where the function begins, inlined calls aside, that made the call before a PC; 0 unknown. */
uint64_t rec_names_entry(struct rec_names *n, uint64_t pc);
/* Has the code at a PC a name (but that of its place)? */
bool rec_names_known(struct rec_names *n, uint64_t pc);
/* Is the code at a PC the recorder's own? */
bool rec_names_own(struct rec_names *n, uint64_t pc);
/* The PCs of a stack, innermost first, but those of the recorder; how many. */
size_t rec_names_pcs(struct rec_names *n, uint32_t stack, uint64_t *pcs, size_t room);
/* What a goroutine that begins at `entry` (0 unknown), one of whose stacks is `stack`, is called
 * after: its start routine or, where that is of what starts threads for others (libc, libstdc++,
 * the standard library of Rust), the outermost frame of the program itself. A frame, and its PC as
 * a return address; both 0 where nothing is known. */
uint32_t rec_names_begin(struct rec_names *n, uint64_t entry, uint32_t stack, uint64_t *pc);
/* One sentence about what has no names and how to get them; "" when nothing lacks. */
void rec_names_remark(const struct rec_names *n, char text[200]);

#endif
