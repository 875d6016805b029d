/* Values with their units, as pprof shows them: "1.50s", "512.05kB", "34.5%".
 *
 * Units are texts of the profile; bytes (powers of 1024), times and GCUs are known and scaled,
 * others are shown behind the number as they are. Source of names, factors and rules: pprof,
 * internal/measurement. */
#ifndef REP_PROFILE_MEASURE_H
#define REP_PROFILE_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#define REP_MEASURE_SIZE 96 /* room for a label and its NUL; a longer unit is cut */

/* The value in another unit; "minimum" and "auto" pick the one that suits it. *unit (may be NULL)
 * is what it came out in: a name that lives forever, or `to`; "" where it need not be shown. */
double rep_scale(int64_t value, const char *from, const char *to, const char **unit);
/* How many of `to` one `from` is. */
double rep_unit_ratio(const char *from, const char *to);
/* Both are sizes, or both are times …, or the same. */
bool rep_units_compatible(const char *a, const char *b);

/* Is `to` no unit that values in `from` can be shown in? If so, those there are: "B, kB, MB". */
bool rep_unit_unknown(const char *from, const char *to, char names[REP_MEASURE_SIZE]);

/* "1.50s" into text, which is returned. */
char *rep_scaled_label(char text[REP_MEASURE_SIZE], int64_t value, const char *from,
		       const char *to);
/* Five digits and the sign, "34.50%", "  100%", " 0.01%", right-aligned in six cells: |value| of
 * |total|. Returns text. */
#define REP_PERCENTAGE_SIZE 40
char *rep_percentage(char text[REP_PERCENTAGE_SIZE], int64_t value, int64_t total);
/* The same without the blanks in front. */
char *rep_percentage_trimmed(char text[REP_PERCENTAGE_SIZE], int64_t value, int64_t total);

#endif
