/* Stacks and strings of a dictionary as tables show them.
 *
 * The site of a stack is the frame that tells most: the first from the leaf that is not plumbing of
 * the runtime or of a lock. */
#ifndef REP_STACK_H
#define REP_STACK_H

#include <stdbool.h>

#include "base/arena.h"
#include "decode/dict.h"
#include "output/output.h"
#include "own.h"

/* Where texts come from and are put together. Values point into it: they stay valid until the arena
 * is cleared (tp_arena_clear), which the owner does between rows. Release it at the end. */
struct rep_texts {
	struct tp_dict *dict;
	struct tp_arena arena;
	struct rep_own own;
	bool people; /* the table is for people: "(none)" in place of an empty text */
};

/* Releases them. Returns `code`, or if that is 0 what rep_own_settle() says. */
int rep_texts_end(struct rep_texts *t, int code, struct tp_err *err);

static inline struct tp_text rep_text_of(const char *s)
{
	return (struct tp_text){s, (uint32_t)strlen(s)};
}

/* Returns a string; where it is empty and the table is for people, `none`. */
struct rep_value rep_texts_string(struct rep_texts *t, uint32_t id, const char *none);

/* Returns n texts one after the other. */
struct rep_value rep_texts_join(struct rep_texts *t, const struct tp_text *part, size_t n);
/* Returns a log as "category: message". */
struct rep_value rep_texts_log(struct rep_texts *t, uint32_t category, uint32_t message);

/* Returns a function's name without the folders of its package: "pkg.(*T).M" of
 * "github.com/x/y/pkg.(*T).M". */
struct tp_text rep_stack_short(struct tp_text name);

/* Returns the node of the site and its frame; 0 for the empty stack. */
uint32_t rep_stack_site_node(const struct tp_dict *dict, uint32_t stack);
uint32_t rep_stack_site(const struct tp_dict *dict, uint32_t stack);
/* Returns the frame of the garbage collector between the leaf and the site; 0 for none. */
uint32_t rep_stack_collector(const struct tp_dict *dict, uint32_t stack);

/* Returns whether a function is the entry function of one of the runtime's own goroutines (Go:
 * internal/trace, IsSystemGoroutine). */
bool rep_entry_is_system(struct tp_text entry);

/* Returns whether a goroutine that blocked for this reason (a string) with this stack waits for a
 * mutex or a lock for readers and writers.
 *
 * Go gives the reason "sync" for everything that waits on its semaphores. Of these, only those with
 * a frame of a lock before the site count: not sync.WaitGroup, not locks of the runtime such as the
 * collector's. Where the stack has no frames of Go's own packages before the site (C programs, lost
 * stacks), the reason is all that is known, and it counts. */
bool rep_stack_waits_for_lock(const struct tp_dict *dict, uint32_t reason, uint32_t stack);

/* All of these return rep_lack() when memory has run out. */

/* Returns the node that a table shows behind `leaf`: the first of the user's own code, or else where
 * the goroutine began. 0 if the leaf is that, or the stack is not of Go. */
uint32_t rep_stack_below(struct rep_own *own, const struct tp_dict *dict, uint32_t leaf);

/* "net.(*netFD).Read << main.(*conn).query < main.(*pool).exec": functions without the folders of
 * their packages, from the site (or the collector's frame) to the root. What is between the first
 * one and rep_stack_below() is left out, and "<<" says so. */
struct rep_value rep_stack_where(struct rep_texts *t, uint32_t stack);
/* The functions of all frames from the leaf to the root, separated by semicolons: the same as SQL's
 * stack_text(). */
struct rep_value rep_stack_names(struct rep_texts *t, uint32_t stack);
/* The same, a line for each: function, tab, file:line (REP_TOP_FRAMES). */
struct rep_value rep_stack_frames(struct rep_texts *t, uint32_t stack);
/* The site's function, and its "file:line". */
struct rep_value rep_stack_function(struct rep_texts *t, uint32_t stack);
struct rep_value rep_stack_location(struct rep_texts *t, uint32_t stack);

#endif
