/* A regular expression on the names of a profile, with its answers kept by string; private to the
 * filters. */
#ifndef REP_PROFILE_MATCH_H
#define REP_PROFILE_MATCH_H

#include "decode/profile.h"
#include "base/regex.h"

struct rep_match {
	struct tp_regex re;
	bool given;
	bool simplified; /* names are matched without their arguments (pprof: simplifyFunc) */
	bool found;	 /* anything yet; the filters set it */
	const struct tp_profile *p;
	uint8_t *known; /* by string: 0 not yet asked, 1 no, 2 yes */
	uint32_t nknown;
};

/* A NULL pattern is not given. TP_EFORMAT, TP_ENOMEM. Released in every case. */
int rep_match_init(struct rep_match *m, const struct tp_profile *p, const char *pattern,
		   const char *option, struct tp_err *err);
void rep_match_release(struct rep_match *m);
/* Behind all questions: 0, or why there was no answer to some (TP_ENOMEM, TP_ELIMIT). */
int rep_match_settle(const struct rep_match *m, struct tp_err *err);

bool rep_match_string(struct rep_match *m, uint32_t string);
/* The function of a line, by name or file; false for a line without one. */
bool rep_match_line(struct rep_match *m, uint32_t frame);
/* The same by name alone, and never for an empty one. */
bool rep_match_name(struct rep_match *m, uint32_t frame);
/* The object file of the location that a frame belongs to. */
bool rep_match_mapping(struct rep_match *m, uint32_t frame);

#endif
