/* Moments as people write them: 2026-11-21T10:00:00Z, 2026-11-21T11:00:00.25+01:00, or
 * @1795255200.25 (Unix time in seconds). The zone is required: without it the logs of different
 * machines would mean different moments. */
#ifndef REP_CLOCK_WHEN_H
#define REP_CLOCK_WHEN_H

#include <stdbool.h>
#include <stdint.h>

/* Returns whether a text looks like a moment rather than a time since the beginning of a run. */
bool rep_is_when(const char *text);
/* Reads a moment as Unix time in ns. Returns false if it is not one or is out of range. */
bool rep_when(const char *text, int64_t *wall_ns);

#define REP_WHEN_SIZE 40
/* Writes a moment like 2026-11-21T10:00:00.123456789Z to text, which is returned. */
char *rep_when_text(char text[REP_WHEN_SIZE], int64_t wall_ns);

#endif
