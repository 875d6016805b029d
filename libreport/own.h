/* Tells the user's own code from libraries.
 *
 * Own is what belongs to package main, or lies below the folder of main.main's file (of main's, in
 * C), or is a Go function that is neither of the standard library nor of a module of a version
 * ("@v") nor vendored. The standard library is known by its folder (…/src/net/http/), and behind
 * -trimpath, which leaves "net/http/server.go", by the list of its packages. Code of other languages
 * outside that folder is not own. --own=REGEX takes the place of all that. */
#ifndef REP_OWN_H
#define REP_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/regex.h"
#include "decode/dict.h"

/* Keeps the answer for each function. Zero-initialised is valid; it is for one dictionary, which
 * may grow. */
struct rep_own {
	const struct tp_regex *names; /* own are functions of these names; NULL: by the rule */

	/* private */
	bool begun, failed;
	uint8_t *answer; /* by function; 0: not known yet */
	size_t nanswers;
	struct tp_text *root; /* folders of the programs' main functions */
	size_t nroots, room;
};

/* Returns whether a frame is of the user's own code. */
bool rep_own_frame(struct rep_own *o, const struct tp_dict *dict, uint32_t frame);
/* Returns the first node from `stack` towards the root that is; 0 if there is none. */
uint32_t rep_own_node(struct rep_own *o, const struct tp_dict *dict, uint32_t stack);
/* Says of a function what is known of it from elsewhere: its file may be cut in this dictionary. */
void rep_own_set(struct rep_own *o, uint32_t function, bool own);
/* Returns 0, or the first error (memory is out, --own takes too long): then answers were "no". */
int rep_own_settle(const struct rep_own *o, struct tp_err *err);
/* Returns whether a function is named like one of Go: it has a package. */
bool rep_own_is_go(struct tp_text name);
void rep_own_release(struct rep_own *o);

#endif
