/* A regular expression on the names of a profile, which remembers its answer for each string;
 * private to the filters. */
#ifndef REP_PROFILE_MATCH_H
#define REP_PROFILE_MATCH_H

#include "decode/profile.h"
#include "base/regex.h"

struct rep_match {
	struct tp_regex re;
	bool given;
	bool simplified; /* names are matched without their arguments (pprof: simplifyFunc) */
	bool found;	 /* set by the filters: it has matched */
	const struct tp_profile *p;
	uint8_t *known; /* by string: 0 not yet tried, 1 no, 2 yes */
	uint32_t nknown;
};

/* Compiles `pattern`; NULL means not given. Errors: TP_EFORMAT, TP_ENOMEM. *m must be released in
 * every case. */
int rep_match_init(struct rep_match *m, const struct tp_profile *p, const char *pattern,
		   const char *option, struct tp_err *err);
void rep_match_release(struct rep_match *m);
/* Call it after all matching. Returns 0, or the error that left some strings undecided (TP_ENOMEM,
 * TP_ELIMIT). */
int rep_match_settle(const struct rep_match *m, struct tp_err *err);

bool rep_match_string(struct rep_match *m, uint32_t string);
/* Returns whether the function of a line matches by name or file; false for a line without a
 * function. */
bool rep_match_line(struct rep_match *m, uint32_t frame);
/* Returns whether it matches by name; an empty name never does. */
bool rep_match_name(struct rep_match *m, uint32_t frame);
/* Returns whether the object file of a frame's location matches. */
bool rep_match_mapping(struct rep_match *m, uint32_t frame);

#endif
