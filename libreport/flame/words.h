/* Formats values with units for people, and as shares. */
#ifndef REP_FLAME_WORDS_H
#define REP_FLAME_WORDS_H

#include <stdbool.h>
#include <stdint.h>

enum rep_flame_kind { REP_FLAME_COUNT, REP_FLAME_TIME, REP_FLAME_SIZE };

/* How values of a sample type are formatted. */
struct rep_flame_measure {
	enum rep_flame_kind kind;
	int64_t scale; /* ns or bytes in one unit */
	char noun[64]; /* the counted things, or the unit: "ns", "bytes", "objects" */
	bool failed;   /* memory has run out: the noun is empty */
};

#define REP_FLAME_WORDS 96 /* room for any of these texts and its NUL */

struct rep_flame_measure rep_flame_measure(const char *type, const char *unit);
/* Formats a value: "1.25ms", "3.4MiB", "1,234 objects". Returns text. */
char *rep_flame_human(char text[REP_FLAME_WORDS], const struct rep_flame_measure *m, int64_t v);
/* Formats a share: "12.3%", "0.04%", "100%". Returns text. */
char *rep_flame_percent(char text[REP_FLAME_WORDS], double share);

#endif
