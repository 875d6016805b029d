/* The dictionary of a run: strings, functions, locations, frames, and stacks as a prefix tree.
 *
 * Ids are dense, local to the run, given in order of first appearance (a few strings are known
 * beforehand, see below); 0 is always the empty
 * string, no function, no location, no frame, the empty stack. A stack is named by its leaf node:
 * node = (parent, frame), where the parent is the caller's node, so a flame graph is one
 * bottom-up pass over the nodes (a parent's id is always smaller than its child's).
 *
 * A location is an address in a mapping; a frame is one line of it (an inlined chain is several
 * frames that share a location, the outermost nearest to the root). Traces carry frames that are
 * already expanded: there, location is the PC.
 *
 * One writer. Reading while another thread interns is not allowed.
 * Errors: TP_ENOMEM, TP_ELIMIT (more than 2^30 entries). All pointers returned live as long as the
 * dictionary. */
#ifndef TP_DECODE_DICT_H
#define TP_DECODE_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct tp_dict;

/* Strings that Go's reader knows by itself and that the tables of a run are written with before
 * its dictionary may be read: every dictionary begins with them. */
#define TP_KNOWN_STRINGS(X)                                                                        \
	X(FOREVER, "forever") /* the reason of a block that ends a goroutine */                    \
	X(GC_MARK, "GC concurrent mark phase")                                                     \
	X(GC_SWEEP, "GC incremental sweep")                                                        \
	X(MARK_ASSIST, "GC mark assist")                                                           \
	X(GOMAXPROCS, "/sched/gomaxprocs:threads")                                                 \
	X(HEAP_OBJECTS, "/memory/classes/heap/objects:bytes")                                      \
	X(HEAP_GOAL, "/gc/heap/goal:bytes")

enum tp_known_string {
	TP_STR_EMPTY,
#define TP_X(name, text) TP_STR_##name,
	TP_KNOWN_STRINGS(TP_X)
#undef TP_X
	/* The first of these that stores of version 1 do not begin with. */
	TP_STR_SINCE_2 = TP_STR_GOMAXPROCS,
};

struct tp_text {
	const char *text; /* NUL-terminated; may hold NULs and any byte of the input */
	uint32_t size;	  /* without the NUL */
};

/* Whether t begins so. */
static inline bool tp_text_begins(struct tp_text t, const char *with)
{
	size_t n = strlen(with);

	return t.size >= n && !memcmp(t.text, with, n);
}

struct tp_function {
	uint32_t name, system_name, file; /* strings */
	int64_t start_line;		  /* 0 unknown */
};

struct tp_location {
	uint64_t address;
	uint32_t mapping; /* index into the run's mappings + 1, 0 for none */
	uint32_t flags;
};

struct tp_frame {
	uint32_t function; /* 0 unknown */
	uint32_t location; /* 0 unknown */
	int64_t line;	   /* 0 unknown */
	int64_t column;	   /* 0 unknown */
	uint8_t inlined;   /* 1 when the frame is inlined into the next one towards the root */
};

struct tp_stack_node {
	uint32_t parent; /* 0 at the root */
	uint32_t frame;
	uint32_t depth; /* 1 at the root */
};

/* Lifecycle: NULL when memory is out. */
struct tp_dict *tp_dict_new(void);
/* For reading back what a store of any version has: only the strings before TP_STR_SINCE_2 are there; a
 * newer store brings the others, and they come next. */
struct tp_dict *tp_dict_new_stored(void);
void tp_dict_free(struct tp_dict *d);

/* Intern: 0 and the id in *id, or an error code; the same content gives the same id. */
int tp_dict_string(struct tp_dict *d, const void *data, size_t size, uint32_t *id);
int tp_dict_function(struct tp_dict *d, const struct tp_function *f, uint32_t *id);
int tp_dict_location(struct tp_dict *d, const struct tp_location *l, uint32_t *id);
int tp_dict_frame(struct tp_dict *d, const struct tp_frame *f, uint32_t *id);
int tp_dict_stack(struct tp_dict *d, uint32_t parent, uint32_t frame, uint32_t *id);

/* Gives a function another name, whoever refers to it. Interning neither what it was nor what it is
 * now need find it: that makes a function of its own. To be done before hashes of stacks are asked
 * for. TP_EFORMAT: one of the two is not there. */
int tp_dict_rename_function(struct tp_dict *d, uint32_t function, uint32_t name);

/* Gives a string another text, whoever refers to it; the same holds for interning and hashes.
 * TP_EFORMAT: it is not there, or empty. */
int tp_dict_retext(struct tp_dict *d, uint32_t string, const void *data, size_t size);

/* For reading back a dictionary that is known to hold each entry once: appends, *id being the next
 * one, without looking for it. The look-up tables are made up for when something of that kind is
 * first interned; until then reading costs none. (Were an entry there twice, the first would be
 * found.) TP_EFORMAT, and nothing appended, when the entry names one that is not there. */
int tp_dict_append_string(struct tp_dict *d, const void *data, size_t size, uint32_t *id);
int tp_dict_append_function(struct tp_dict *d, const struct tp_function *f, uint32_t *id);
int tp_dict_append_location(struct tp_dict *d, const struct tp_location *l, uint32_t *id);
int tp_dict_append_frame(struct tp_dict *d, const struct tp_frame *f, uint32_t *id);
/* Puts n frames on a stack, root first: node[i] becomes the node of frame[i]. Ids that are not
 * there stand for the empty entry. */
int tp_dict_append_path(struct tp_dict *d, uint32_t parent, const uint32_t *frame, size_t n,
			uint32_t *node);
/* n at once; a parent must come before its child. */
int tp_dict_append_stacks(struct tp_dict *d, const int64_t *parent, const int64_t *frame, size_t n);

/* Room for these numbers of entries altogether, where they are known beforehand (0: unknown). */
struct tp_dict_sizes {
	size_t strings, functions, locations, frames, stacks;
};
int tp_dict_reserve(struct tp_dict *d, const struct tp_dict_sizes *n);

/* Numbers of entries, the empty one (id 0) included. */
uint32_t tp_dict_strings(const struct tp_dict *d);
uint32_t tp_dict_functions(const struct tp_dict *d);
uint32_t tp_dict_locations(const struct tp_dict *d);
uint32_t tp_dict_frames(const struct tp_dict *d);
uint32_t tp_dict_stacks(const struct tp_dict *d);

/* Look-ups; an id out of range gives the entry 0. */
struct tp_text tp_dict_text(const struct tp_dict *d, uint32_t string);
struct tp_function tp_dict_function_at(const struct tp_dict *d, uint32_t id);
struct tp_location tp_dict_location_at(const struct tp_dict *d, uint32_t id);
struct tp_frame tp_dict_frame_at(const struct tp_dict *d, uint32_t id);
struct tp_stack_node tp_dict_stack_at(const struct tp_dict *d, uint32_t id);

/* All nodes, tp_dict_stacks of them, for loops over many; until the next one is added. */
const struct tp_stack_node *tp_dict_stack_nodes(const struct tp_dict *d);

/* The name of a frame's function as a string id (0 when unknown). */
uint32_t tp_dict_frame_name(const struct tp_dict *d, uint32_t frame);
/* The stack's outermost (root) frame, 0 for the empty stack. Walks there. */
uint32_t tp_dict_stack_root(const struct tp_dict *d, uint32_t stack);

/* 64-bit content hashes (XXH3): of a string; of a stack over the names, files and lines of its
 * frames, root first. Equal content in two runs has equal hashes. Those of all stacks are made when
 * the first is asked for: not from several threads at once. (0 when memory is out.) */
uint64_t tp_dict_string_hash(const struct tp_dict *d, uint32_t string);
uint64_t tp_dict_stack_hash(const struct tp_dict *d, uint32_t stack);

#endif
