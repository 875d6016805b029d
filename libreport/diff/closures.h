/* Pairs closures that two releases of Go name differently; private to libreport/diff.
 *
 * From go 1.21 to 1.26, a closure of an inlined function is called caller.callee.func1, in the
 * package of the caller; since 1.27 callee.func1, in that of the callee (cmd/compile/internal/ir,
 * closureName). Both have the file and the first line of the closure.
 *
 *	struct rep_closures c = {0};
 *
 *	code = rep_closures_add(&c, &closure);	each closure of both sides
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
	uint32_t callee;     /* private: length of the end of its name that comes from the callee */
	uint8_t sides;	     /* enum rep_side_id */
};

struct rep_closures {
	struct tp_buf all;   /* struct rep_closure */
	struct tp_buf other; /* uint32_t by name: the callee's name for the closure, or 0 */
	bool matched;
};

void rep_closures_release(struct rep_closures *c);

/* Returns whether a name, as Go writes it, belongs to a closure or to the wrapper of a go or defer
 * statement. */
bool rep_closures_is(struct tp_text name);

/* Returns the number of functions, types and closures in a name, as Go writes it, after its
 * package. It is the same for all names of a closure, except that callers in a name count, too. */
uint32_t rep_closures_depth(struct tp_text name);

/* Adds a closure. Returns 0 or TP_ENOMEM. */
int rep_closures_add(struct rep_closures *c, const struct rep_closure *closure);
/* Finds the pairs. To be called once all closures have been added. Returns 0 or TP_ENOMEM. */
int rep_closures_match(struct rep_closures *c, const struct tp_dict *names);

/* Returns false if there cannot be any pairs. */
static inline bool rep_closures_any(const struct rep_closures *c)
{
	return c->other.size != 0;
}
/* Returns the other name of the same closure, which its callee gives; 0 if there is no pair. */
uint32_t rep_closures_other(const struct rep_closures *c, uint32_t name);

#endif
