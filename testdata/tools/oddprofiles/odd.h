/* The oddities, each a profile of its own. */
#ifndef ODDPROFILES_ODD_H
#define ODDPROFILES_ODD_H

#include "oddprofiles/draft.h"

struct odd {
	const char *name;
	void (*make)(struct draft *d); /* the story is above the function */
};

extern const struct odd odd[]; /* ends with a NULL name */

/* Everything at once, by chance. */
void odd_random(struct draft *d, uint64_t seed);

#endif
