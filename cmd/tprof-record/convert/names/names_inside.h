/* Private to names.c and names_stack.c. */
#ifndef RECORD_CONVERT_NAMES_INSIDE_H
#define RECORD_CONVERT_NAMES_INSIDE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/table.h"
#include "symbol/image.h"
#include "tprof-record/convert/names/names.h"

/* A file that was mapped; several modules may be parts of one. */
struct rec_named_file {
	uint32_t name, build_id; /* strings of the process */
	struct tp_image *image, *debug;
	bool tried, other; /* it was opened; it has another build id now */
	bool own;	   /* of the recorder */
	bool starter;	   /* a library that starts threads or main */
	size_t unnamed;	   /* addresses */
};

struct rec_place { /* a PC that was looked up */
	uint64_t pc;
	const uint32_t *frames;
	uint32_t n;
	uint32_t module; /* + 1 */
	bool own, named;
};

struct rec_names {
	const struct rec_process *p;
	struct tp_dict *dict;
	struct rec_named_file *files;
	size_t nfiles;
	uint32_t *file_of; /* by module: file + 1 */
	uint32_t *order;   /* modules: loaded before unloaded, newest first */
	uint32_t nmodules;
	struct rec_place *places;
	size_t nplaces, place_room;
	struct tp_table by_pc; /* of places */
	uint64_t seed;
	uint32_t *node;	 /* by stack of the process: node of the dictionary + 1, 0 not known yet */
	uint32_t *whole; /* the same with frames below the program; NULL: not needed yet */
	uint32_t nnodes;
	struct tp_arena arena;
	struct tp_buf readable; /* scratch: a name that was mangled */
	size_t named, unnamed;
	bool for_traces; /* rec_names_for_traces */
};

/* Looks a PC up; NULL: out of memory. */
const struct rec_place *rec_names_place(struct rec_names *n, uint64_t pc);

static inline bool rec_place_is_starter(const struct rec_names *n, const struct rec_place *p)
{
	return p->module && n->files[n->file_of[p->module - 1] - 1].starter;
}

#endif
