/* Durations and sizes in words that a person reads at a glance, and back.
 *
 * At most three significant digits, rounded half away from zero, trailing zeros left out; never
 * wider than eight columns, plain ASCII (micro is "us", as pprof writes it). Rounding carries into
 * the next unit: 999.6 us is "1ms", 59.96 s is "1m00s". */
#ifndef TP_BASE_UNITS_H
#define TP_BASE_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define TP_UNITS_SIZE 12 /* room for any of these texts and its NUL */
#define TP_COUNT_SIZE 28 /* … and for a count */

/* "980ns" "1.25ms" "12.3s" "2m05s" "3h07m" "12d04h" "1000d"; INT64_MIN (no value) is "". Returns
 * text. */
char *tp_fmt_ns(char text[TP_UNITS_SIZE], int64_t ns);

/* "512B" "3.4MiB", in powers of 1024; INT64_MIN is "". Returns text. */
char *tp_fmt_bytes(char text[TP_UNITS_SIZE], int64_t bytes);

/* "1,234,567": all digits. Returns text. */
char *tp_fmt_count(char text[TP_COUNT_SIZE], int64_t n);

/* The opposite of tp_fmt_ns for what people type: "1.25ms", "2m05s", "-3us", "µs" too; a number
 * without a unit is ns. TP_EFORMAT when it is none (empty text, unknown unit, something behind it),
 * TP_ELIMIT when it does not fit; *ns is then unchanged. */
int tp_parse_ns(const char *text, int64_t *ns);

/* Does a number stand at the end with no unit behind it, which is not 0? Whoever types "30" means
 * anything but nanoseconds. */
bool tp_lacks_unit(const char *text);
/* TP_EFORMAT with "--min: 30 has no unit; write …" where one is lacking, for what is typed about
 * traces; otherwise 0, whatever the text is. */
int tp_ask_unit(const char *option, const char *text, struct tp_err *err);

#endif
