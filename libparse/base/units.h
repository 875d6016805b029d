/* Formats durations and sizes with units, and parses durations.
 *
 * Texts have at most three significant digits, rounded half away from zero, without trailing zeros;
 * they are ASCII and at most eight columns wide (micro is "us", as in pprof). Rounding carries into
 * the next unit: 999.6 us is "1ms", 59.96 s is "1m00s". */
#ifndef TP_BASE_UNITS_H
#define TP_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define TP_UNITS_SIZE 12 /* room for a duration or size and its NUL */
#define TP_COUNT_SIZE 28 /* room for a count and its NUL */

/* "980ns" "1.25ms" "12.3s" "2m05s" "3h07m" "12d04h" "1000d"; INT64_MIN (no value) is "". Returns
 * text. */
char *tp_fmt_ns(char text[TP_UNITS_SIZE], int64_t ns);

/* "512B" "3.4MiB", in powers of 1024; INT64_MIN is "". Returns text. */
char *tp_fmt_bytes(char text[TP_UNITS_SIZE], int64_t bytes);

/* "1,234,567": all digits. Returns text. */
char *tp_fmt_count(char text[TP_COUNT_SIZE], int64_t n);

/* Parses a duration: "1.25ms", "2m05s", "-3us", also "µs"; a number without a unit is ns. Returns
 * 0, TP_EFORMAT if it is invalid (empty, unknown unit, text after it) or TP_ELIMIT if it does not
 * fit; *ns is then unchanged. */
int tp_parse_ns(const char *text, int64_t *ns);

/* Returns whether the text ends in a nonzero number without a unit. Users hardly mean nanoseconds
 * by that. */
bool tp_lacks_unit(const char *text);
/* Returns TP_EFORMAT with "--min: 30 has no unit; write …" if tp_lacks_unit(), otherwise 0, even if
 * the text is invalid. */
int tp_ask_unit(const char *option, const char *text, struct tp_err *err);

#endif
