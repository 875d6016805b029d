/* Formats and parses values of a sample type with units. */
#ifndef REP_DIFF_AMOUNT_H
#define REP_DIFF_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define REP_AMOUNT_SIZE 128

/* Formats a value by the unit of the profile ("bytes", "nanoseconds", "count"): "1.25MiB",
 * "12.3ms", "1,234"; other units follow the number. Uses the unit `show` unless that is NULL.
 * Returns text. */
char *rep_amount(char text[REP_AMOUNT_SIZE], int64_t value, const char *unit, const char *show);
/* The same with a + if it is positive. */
char *rep_amount_signed(char text[REP_AMOUNT_SIZE], int64_t value, const char *unit,
			const char *show);
/* Formats a number with three significant digits: "0.123", "1,235". Returns text. */
char *rep_amount_digits(char text[REP_AMOUNT_SIZE], double v);
/* Formats a change in percent: "+8.3%", "from nothing" for NaN. Returns text. */
char *rep_amount_percent(char text[REP_AMOUNT_SIZE], double percent);

/* Parses a number with an optional unit: "1MiB", "1.5kB", "20ms", "1000". Units of sizes are powers
 * of 1024. *unit is "" if there is none. Returns false if the text is invalid. */
#define REP_AMOUNT_UNIT 16
bool rep_amount_parse(const char *text, double *number, char unit[REP_AMOUNT_UNIT]);
/* Returns which units an amount may have: "us, ms and s"; NULL if the profile's unit is neither a time
 * nor a size, so that amounts need none. */
const char *rep_amount_units(const char *profile_unit);
/* Converts a number to the unit of a profile. Returns false if the units are incompatible. */
bool rep_amount_in(double number, const char *unit, const char *profile_unit, double *value);

#endif
