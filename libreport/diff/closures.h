/* Closures of one function that two releases of Go name differently; private to libreport/diff.
 *
 * From go 1.21 to 1.26 a closure of a function that is inlined is caller.callee.func1, in the
 *package of the caller; since 1.27 callee.func1, in that of the callee (cmd/compile/internal/ir,
 *closureName). Both have the file and the first line of the closure.
 *
 *	struct rep_closures c = {0};
 *
 *	code = rep_closures_add(&c, &closure);	each of both sides
 *	code = rep_closures_match(&c, names);
 *	… rep_closures_other(&c, name) …
 *	rep_closures_release(&c); */
#ifndef REP_DIFF_CLOSURES_H
#define REP_DIFF_CLOSURES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "decode/dict.h"

struct rep_closure {
	uint32_t name, file; /* canonical, of one dictionary; file 0: unknown */
	int64_t line;	     /* where it begins; 0: unknown */
	uint32_t depth;	     /* rep_closures_depth of its name */
	uint32_t callee;     /* private: length of the end of its name that the callee gives */
	uint8_t sides;	     /* enum rep_side_id */
};

struct rep_closures {
	struct tp_buf all;   /* struct rep_closure */
	struct tp_buf other; /* uint32_t by name: the name it goes by, or 0 */
	bool matched;
};

void rep_closures_release(struct rep_closures *c);

/* Does a name as Go writes it belong to a closure, or to the wrapper of a go or defer statement? */
bool rep_closures_is(struct tp_text name);

/* Returns the number of functions, types and closures that a name as Go writes it is made of,
 * behind its package: the same for all closures of a place but for the callers among them. */
uint32_t rep_closures_depth(struct tp_text name);

/* TP_ENOMEM. */
int rep_closures_add(struct rep_closures *c, const struct rep_closure *closure);
/* Finds the pairs, once: to be called when all closures are there. TP_ENOMEM. */
int rep_closures_match(struct rep_closures *c, const struct tp_dict *names);

/* Are there any pairs? */
static inline bool rep_closures_any(const struct rep_closures *c)
{
	return c->other.size != 0;
}
/* The name of the callee's closure, which this one is, too; 0 where there is none. */
uint32_t rep_closures_other(const struct rep_closures *c, uint32_t name);

#endif
