/* Values of a sample type as texts with units, and back. */
#ifndef REP_DIFF_AMOUNT_H
#define REP_DIFF_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define REP_AMOUNT_SIZE 128

/* "1.25MiB", "12.3ms", "1,234": by the unit of the profile ("bytes", "nanoseconds", "count"); other
 * units stand behind the number. In the unit `show` where that is not NULL. Returns text. */
char *rep_amount(char text[REP_AMOUNT_SIZE], int64_t value, const char *unit, const char *show);
/* The same with a + where it is positive. */
char *rep_amount_signed(char text[REP_AMOUNT_SIZE], int64_t value, const char *unit,
			const char *show);
/* Three digits that tell: "0.123", "1,235". Returns text. */
char *rep_amount_digits(char text[REP_AMOUNT_SIZE], double v);
/* "+8.3%" of a change in percent, "from nothing" for NaN. Returns text. */
char *rep_amount_percent(char text[REP_AMOUNT_SIZE], double percent);

/* "1MiB", "1.5kB", "20ms", "1000": a number and perhaps a unit. False when it is none. Sizes are
 * powers of 1024. *unit stays "" without one. */
#define REP_AMOUNT_UNIT 16
bool rep_amount_parse(const char *text, double *number, char unit[REP_AMOUNT_UNIT]);
/* In the unit of a profile; false when it cannot be. */
bool rep_amount_in(double number, const char *unit, const char *profile_unit, double *value);

#endif
