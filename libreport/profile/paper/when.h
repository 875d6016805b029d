/* Times and durations as Go writes them (package time: Time.String, Duration.String), which is how
 * pprof's raw text shows them. In UTC, wherever one looks from. */
#ifndef REP_PROFILE_PAPER_WHEN_H
#define REP_PROFILE_PAPER_WHEN_H

#include <stdint.h>

#define REP_WHEN_SIZE 80

/* "2026-11-21 10:18:16.751040898 +0000 UTC"; Unix time in ns. Returns text. */
char *rep_when_exact(char text[REP_WHEN_SIZE], int64_t unix_ns);
/* "1h2m3.5s", "12.5ms", "0s" */
char *rep_when_duration(char text[REP_WHEN_SIZE], int64_t ns);

#endif
