/* Parses numbers, times and sizes in arguments strictly: the whole text must be valid. */
#ifndef CMD_NUMBER_H
#define CMD_NUMBER_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>

/* Parses decimal digits, a number of at most max. */
bool cmd_parse_count(const char *text, int64_t max, int64_t *n);
/* Parses a size in bytes: "4096", "64K", "1.5MiB" (powers of 1024), "10MB" (powers of 1000). */
bool cmd_parse_size(const char *text, int64_t *bytes);
/* Parses a percentage from 0 to 100: "12.5%" or "12.5". */
bool cmd_parse_percent(const char *text, double *percent);

/* Return the value of the named option ("--from"); a wrong one is a usage error, which ends the command.
 * Durations are parsed by tp_parse_ns, need a unit, and must not be negative. */
int64_t cmd_arg_count(struct argp_state *state, const char *option, const char *arg, int64_t max);
int64_t cmd_arg_duration(struct argp_state *state, const char *option, const char *arg);
/* Does the same for durations in the range of minutes or days: the error suggests other units. */
int64_t cmd_arg_span(struct argp_state *state, const char *option, const char *arg);
int64_t cmd_arg_size(struct argp_state *state, const char *option, const char *arg);
/* Returns the index of a word in a table of n rows, each of `size` bytes and beginning with a word
 * (const char *); a row whose word is NULL ends it. The error lists all words. */
int cmd_arg_word(struct argp_state *state, const char *option, const char *arg, const void *table,
		 size_t n, size_t size);
#define CMD_ARG_WORD(state, option, arg, table)                                                    \
	cmd_arg_word(state, option, arg, table, sizeof(table) / sizeof((table)[0]),                \
		     sizeof((table)[0]))
double cmd_arg_percent(struct argp_state *state, const char *option, const char *arg);

#endif
