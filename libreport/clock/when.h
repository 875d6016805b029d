/* Moments as people write them: 2026-11-21T10:00:00Z, 2026-11-21T11:00:00.25+01:00, or
 * @1795255200.25 (Unix time in seconds). A moment without a zone is none: logs of different
 * machines would mean different ones. */
#ifndef REP_CLOCK_WHEN_H
#define REP_CLOCK_WHEN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether a text means to be a moment, and not a time that counts from somewhere. */
bool rep_is_when(const char *text);
/* Unix time in ns; false where it is no moment, or out of range. */
bool rep_when(const char *text, int64_t *wall_ns);

#define REP_WHEN_SIZE 40
/* "2026-11-21T10:00:00.123456789Z" into text, which is returned. */
char *rep_when_text(char text[REP_WHEN_SIZE], int64_t wall_ns);

#endif
