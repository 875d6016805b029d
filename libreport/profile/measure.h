/* Values with their units, as pprof shows them: "1.50s", "512.05kB", "34.5%".
 *
 * Units are texts of the profile; bytes (powers of 1024), times and GCUs are known and scaled,
 * others are shown after the number as they are. Source of names, factors and rules: pprof,
 * internal/measurement. */
#ifndef REP_PROFILE_MEASURE_H
#define REP_PROFILE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sum.h"

#define REP_MEASURE_SIZE 96 /* room for a label and its NUL; a longer unit is cut */

/* Converts a value to another unit ("KiB" is pprof's "kB"); "minimum" and "auto" pick the one that
 * suits the value. *unit
 * (may be NULL) is the unit of the result: a static text, or `to`; "" if it need not be shown. */
double rep_scale(int64_t value, const char *from, const char *to, const char **unit);
/* Returns how many of unit `to` one `from` is. */
double rep_unit_ratio(const char *from, const char *to);
/* Returns whether values can be converted from one unit to the other: both are sizes, both are
 * times …, or they are the same. */
bool rep_units_compatible(const char *a, const char *b);

/* Returns whether values in `from` cannot be shown in `to`. If so, `names` lists the units they can
 * be shown in: "B, kB, MB". */
bool rep_unit_unknown(const char *from, const char *to, char names[REP_MEASURE_SIZE]);

/* Writes "1.50s" into text and returns it. */
char *rep_scaled_label(char text[REP_MEASURE_SIZE], int64_t value, const char *from,
		       const char *to);
/* The same with sizes in KiB, MiB …, as everything has them that need not equal pprof. */
char *rep_binary_label(char text[REP_MEASURE_SIZE], int64_t value, const char *from,
		       const char *to);
/* Writes |value| of |total| as a percentage, right-aligned in six characters: "34.50%", "  100%",
 * " 0.01%". Returns text. */
#define REP_PERCENTAGE_SIZE 40
char *rep_percentage(char text[REP_PERCENTAGE_SIZE], int64_t value, int64_t total);
/* The same without leading blanks. */
char *rep_percentage_trimmed(char text[REP_PERCENTAGE_SIZE], int64_t value, int64_t total);

/* ---- whole numbers as Go calculates with them, on amd64 ---- */

/* Adds; sums wrap around. */
static inline void rep_add(int64_t *sum, int64_t value)
{
	*sum = tp_plus(*sum, value);
}

/* Returns value / count; the value itself if count is 0. */
static inline int64_t rep_mean(int64_t value, int64_t count)
{
	return !count || (value == INT64_MIN && count == -1) ? value : value / count;
}

/* Returns the absolute value; INT64_MIN stays as it is. */
static inline int64_t rep_abs(int64_t value)
{
	return value < 0 ? tp_minus(0, value) : value;
}

/* Truncates to a whole number; INT64_MIN for a number that does not fit, or NaN. */
static inline int64_t rep_truncate(double d)
{
	return d >= -0x1p63 && d < 0x1p63 ? (int64_t)d : INT64_MIN;
}

#endif
