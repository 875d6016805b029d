#include "common/number.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "base/wide.h"

struct unit {
	const char *name;
	int64_t size;
};

/* clang-format off */
static const struct unit sizes[] = {
	{"", 1},          {"B", 1},
	{"K", 1LL << 10}, {"KiB", 1LL << 10}, {"kB", 1000}, {"KB", 1000},
	{"M", 1LL << 20}, {"MiB", 1LL << 20}, {"MB", 1000000},
	{"G", 1LL << 30}, {"GiB", 1LL << 30}, {"GB", 1000000000},
	{"T", 1LL << 40}, {"TiB", 1LL << 40}, {"TB", 1000000000000},
};
/* clang-format on */

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

bool cmd_parse_count(const char *text, int64_t max, int64_t *n)
{
	int64_t v = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (!digit(*text))
			return false;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *text - '0', &v))
			return false;
	}
	if (v > max)
		return false;
	*n = v;
	return true;
}

/* Reads a number such as "12.5" at *text: the whole part, and the decimals as *fraction / *scale (a power of
 * ten). Moves *text behind it. Returns false if there is no number or it does not fit. */
static bool decimal(const char **text, int64_t *whole, int64_t *fraction, int64_t *scale)
{
	const char *p = *text;

	*whole = *fraction = 0;
	*scale = 1;
	if (!digit(*p))
		return false;
	for (; digit(*p); p++)
		if (__builtin_mul_overflow(*whole, 10, whole) ||
		    __builtin_add_overflow(*whole, *p - '0', whole))
			return false;
	if (*p == '.') {
		if (!digit(*++p))
			return false;
		for (; digit(*p); p++) {
			if (*scale >= 1000000000000000)
				return false;
			*scale *= 10;
			*fraction = *fraction * 10 + (*p - '0');
		}
	}
	*text = p;
	return true;
}

/* Computes whole.fraction × size, rounded towards zero. Returns false if it does not fit. */
static bool scaled(int64_t whole, int64_t fraction, int64_t scale, int64_t size, int64_t *out)
{
	uint64_t part;

	return tp_scale((uint64_t)fraction, (uint64_t)size, (uint64_t)scale, &part) &&
	       !__builtin_mul_overflow(whole, size, out) &&
	       !__builtin_add_overflow(*out, part, out);
}

bool cmd_parse_size(const char *text, int64_t *bytes)
{
	int64_t whole, fraction, scale;

	if (!decimal(&text, &whole, &fraction, &scale))
		return false;
	for (size_t i = 0; i < COUNT(sizes); i++)
		if (strcmp(sizes[i].name, text) == 0)
			return (sizes[i].size > 1 || fraction == 0) &&
			       scaled(whole, fraction, scale, sizes[i].size, bytes);
	return false;
}

bool cmd_parse_percent(const char *text, double *percent)
{
	int64_t whole, fraction, scale;

	if (!decimal(&text, &whole, &fraction, &scale) || (*text && strcmp(text, "%") != 0))
		return false;
	*percent = (double)whole + (double)fraction / (double)scale;
	return *percent <= 100;
}

int64_t cmd_arg_count(struct argp_state *state, const char *option, const char *arg, int64_t max)
{
	int64_t n = 0;

	if (!cmd_parse_count(arg, max, &n))
		argp_error(state, "%s: '%s' is not a number from 0 to %lld", option, arg,
			   (long long)max);
	return n;
}

int64_t cmd_arg_duration(struct argp_state *state, const char *option, const char *arg)
{
	struct tp_err err;
	int64_t ns = 0;

	if (tp_ask_unit(option, arg, &err))
		argp_error(state, "%s", err.msg);
	if (tp_parse_ns(arg, &ns) || ns < 0)
		argp_error(state, "%s: '%s' is not a time like 1.5ms, 250us or 2s", option, arg);
	return ns;
}

int64_t cmd_arg_span(struct argp_state *state, const char *option, const char *arg)
{
	if (tp_lacks_unit(arg))
		argp_error(state, "%s: '%s' has no unit; give %ss, %sm, %sh or %sd", option, arg,
			   arg, arg, arg, arg);
	return cmd_arg_duration(state, option, arg);
}

int64_t cmd_arg_size(struct argp_state *state, const char *option, const char *arg)
{
	int64_t bytes = 0;

	if (!cmd_parse_size(arg, &bytes))
		argp_error(state, "%s: '%s' is not a size like 64K, 1.5MiB or 2GiB", option, arg);
	return bytes;
}

static const char *word_of(const void *table, size_t i, size_t n, size_t size)
{
	const char *word = NULL;

	if (i < n)
		memcpy(&word, (const char *)table + i * size, sizeof(word));
	return word;
}

int cmd_arg_word(struct argp_state *state, const char *option, const char *arg, const void *table,
		 size_t n, size_t size)
{
	char list[200] = "";
	const char *word;

	for (size_t i = 0; (word = word_of(table, i, n, size)); i++) {
		size_t used = strlen(list);

		if (!strcasecmp(word, arg))
			return (int)i;
		snprintf(list + used, sizeof(list) - used, "%s%s",
			 !i				  ? ""
			 : word_of(table, i + 1, n, size) ? ", "
							  : " or ",
			 word);
	}
	argp_error(state, "%s: '%s' is not %s", option, arg, list);
	return 0;
}

double cmd_arg_percent(struct argp_state *state, const char *option, const char *arg)
{
	double percent = 0;

	if (!cmd_parse_percent(arg, &percent))
		argp_error(state, "%s: '%s' is not a percentage from 0 to 100", option, arg);
	return percent;
}
