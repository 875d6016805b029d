/* The dictionary of a run: strings, functions, locations, frames, and stacks as a prefix tree.
 * Ids are dense, local to the run, and given in order of first appearance (a few strings have fixed
 * ids, see below). Id 0 is always the empty string, no function, no location, no frame, the empty
 * stack. The id of a stack is that of its leaf node: node = (parent, frame), where the parent is
 * the caller's node, so a flame graph is one bottom-up pass over the nodes (a parent's id is always
 * smaller than its child's).
 * A location is an address in a mapping; a frame is one line of it (an inlined chain is several
 * frames that share a location, the outermost nearest to the root). The frames of a trace are
 * already expanded; their location is the PC.
 * A dictionary has one writer, and no other thread may read it while the writer interns. Errors:
 * TP_ENOMEM, TP_ELIMIT (more than 2^30 entries). All pointers returned live as long as the
 * dictionary. */
#ifndef TP_DECODE_DICT_H
#define TP_DECODE_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

struct tp_dict;

/* Strings with fixed ids: every dictionary begins with them. Go's reader uses them without reading
 * them from a trace, and a run's tables use them before its dictionary has been read. */
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
	/* The first string that dictionaries in stores of version 1 lack. */
	TP_STR_SINCE_2 = TP_STR_GOMAXPROCS,
};

struct tp_text {
	const char *text; /* NUL-terminated; may hold NULs and any byte of the input */
	uint32_t size;	  /* without the NUL */
};

/* Returns whether t begins with the string `with`. */
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

/* Both return NULL when memory is out. The second is for reading a dictionary back from a store of
 * any version: it begins with the strings before TP_STR_SINCE_2 only, and newer stores contain the
 * others as the next ones. */
struct tp_dict *tp_dict_new(void);
struct tp_dict *tp_dict_new_stored(void);
void tp_dict_free(struct tp_dict *d);

/* Each interns an entry and sets *id: the same content gives the same id. Returns 0 or an error
 * code. */
int tp_dict_string(struct tp_dict *d, const void *data, size_t size, uint32_t *id);
int tp_dict_function(struct tp_dict *d, const struct tp_function *f, uint32_t *id);
int tp_dict_location(struct tp_dict *d, const struct tp_location *l, uint32_t *id);
int tp_dict_frame(struct tp_dict *d, const struct tp_frame *f, uint32_t *id);
int tp_dict_stack(struct tp_dict *d, uint32_t parent, uint32_t frame, uint32_t *id);

/* Renames a function for all frames that refer to it. Interning its old or new content afterwards
 * may add another function. Must be called before the first tp_dict_stack_hash(). Returns 0, or
 * TP_EFORMAT if an id is out of range. */
int tp_dict_rename_function(struct tp_dict *d, uint32_t function, uint32_t name);

/* Replaces the text of a string for everything that refers to it; restrictions as for
 * tp_dict_rename_function(). Returns 0, TP_ENOMEM, or TP_EFORMAT if the id is 0 or out of range, or
 * the text too long. */
int tp_dict_retext(struct tp_dict *d, uint32_t string, const void *data, size_t size);

/* For reading many small profiles one after the other into one dictionary, as profiles of a program
 * have most names in common. Returns whether it may serve another profile: no entry has been
 * renamed, and it is not large. */
bool tp_dict_lasts(const struct tp_dict *d);
/* Removes all stacks. */
void tp_dict_drop_stacks(struct tp_dict *d);

/* For reading back a dictionary in which each entry is unique: appends the entry as the next *id,
 * without looking for an equal one. Look-up tables are built when an entry of that kind is first
 * interned. (Of equal entries the first would be found.) Returns TP_EFORMAT, and appends nothing,
 * if the entry refers to an id out of range. */
int tp_dict_append_string(struct tp_dict *d, const void *data, size_t size, uint32_t *id);
int tp_dict_append_function(struct tp_dict *d, const struct tp_function *f, uint32_t *id);
int tp_dict_append_location(struct tp_dict *d, const struct tp_location *l, uint32_t *id);
int tp_dict_append_frame(struct tp_dict *d, const struct tp_frame *f, uint32_t *id);
/* Appends a node for each of n frames on top of `parent`, root first, and sets node[i] to that of
 * frame[i]. Ids out of range count as 0. */
int tp_dict_append_path(struct tp_dict *d, uint32_t parent, const uint32_t *frame, size_t n,
			uint32_t *node);
/* Appends n nodes; each parent's id must be smaller than its child's. */
int tp_dict_append_stacks(struct tp_dict *d, const int64_t *parent, const int64_t *frame, size_t n);

/* Reserves room for these total numbers of entries (0: unknown). Returns 0 or an error code. */
struct tp_dict_sizes {
	size_t strings, functions, locations, frames, stacks;
};
int tp_dict_reserve(struct tp_dict *d, const struct tp_dict_sizes *n);

/* Return the number of entries, including the empty one (id 0). */
uint32_t tp_dict_strings(const struct tp_dict *d);
uint32_t tp_dict_functions(const struct tp_dict *d);
uint32_t tp_dict_locations(const struct tp_dict *d);
uint32_t tp_dict_frames(const struct tp_dict *d);
uint32_t tp_dict_stacks(const struct tp_dict *d);

/* Return the entry of an id; entry 0 if it is out of range. */
struct tp_text tp_dict_text(const struct tp_dict *d, uint32_t string);
struct tp_function tp_dict_function_at(const struct tp_dict *d, uint32_t id);
struct tp_location tp_dict_location_at(const struct tp_dict *d, uint32_t id);
struct tp_frame tp_dict_frame_at(const struct tp_dict *d, uint32_t id);
struct tp_stack_node tp_dict_stack_at(const struct tp_dict *d, uint32_t id);

/* Returns the array of all tp_dict_stacks() nodes; valid until the next one is added. */
const struct tp_stack_node *tp_dict_stack_nodes(const struct tp_dict *d);

/* Returns the name of a frame's function as a string id, 0 if unknown. */
uint32_t tp_dict_frame_name(const struct tp_dict *d, uint32_t frame);
/* Returns the stack's outermost (root) frame, 0 for the empty stack. Takes time in proportion to
 * its depth. */
uint32_t tp_dict_stack_root(const struct tp_dict *d, uint32_t stack);

/* Return 64-bit content hashes (XXH3), which are equal for equal content in two runs: of a string;
 * of a stack, over the names, files and lines of its frames, root first. The first call for a stack
 * hashes all stacks, so it must not run in several threads at once. 0 when memory is out. */
uint64_t tp_dict_string_hash(const struct tp_dict *d, uint32_t string);
uint64_t tp_dict_stack_hash(const struct tp_dict *d, uint32_t stack);

#endif
