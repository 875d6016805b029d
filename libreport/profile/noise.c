#include "profile/noise.h"

#include <math.h>
#include <string.h>

static bool is(const struct tp_profile *p, uint32_t string, const char *text)
{
	return !strcmp(tp_dict_text(p->dict, string).text, text);
}

static bool has_word(const struct tp_profile *p, size_t type, const char *word)
{
	return strstr(tp_dict_text(p->dict, p->types[type].type).text, word) != NULL;
}

/* Finds the heap type with this unit that counts allocated objects or objects in use, as `like`
 * does. Returns SIZE_MAX if there is none. */
static size_t heap_type(const struct tp_profile *p, size_t like, const char *unit)
{
	for (size_t i = 0; i < p->ntypes; i++)
		if (is(p, p->types[i].unit, unit) &&
		    has_word(p, i, "alloc") == has_word(p, like, "alloc") &&
		    has_word(p, i, "inuse") == has_word(p, like, "inuse"))
			return i;
	return SIZE_MAX;
}

struct rep_noise rep_noise_of(const struct tp_profile *p, size_t type)
{
	struct rep_noise n = {.type = type, .count = type, .bytes = SIZE_MAX, .rate = 1};

	if (has_word(p, type, "alloc") || has_word(p, type, "inuse")) {
		n.count = heap_type(p, type, "count");
		n.bytes = heap_type(p, type, "bytes");
		n.rate = (double)p->period;
		n.none =
		    !is(p, p->period_type.unit, "bytes") || p->period <= 1 || n.bytes == SIZE_MAX;
		return n;
	}
	for (size_t i = 0; i < p->ntypes && !is(p, p->types[n.count].unit, "count"); i++)
		if (is(p, p->types[i].unit, "count"))
			n.count = i;
	if (is(p, p->period_type.unit, "count") && p->period > 1)
		n.rate = (double)p->period;
	n.exact = is(p, p->period_type.type, "trace") ||
		  (!strcmp(p->format, "trace") && !is(p, p->types[0].type, "samples"));
	n.none = has_word(p, type, "goroutine") || has_word(p, type, "threadcreate");
	return n;
}

/* Returns the number of samples behind a value: at least 1, because the value exists. */
static double samples(const struct rep_noise *n, const int64_t *value)
{
	double bytes, count;

	if (n->bytes == SIZE_MAX)
		return fmax(fabs((double)value[n->count]) / n->rate, 1);
	bytes = fabs((double)value[n->bytes]);
	count = n->count == SIZE_MAX ? 0 : fabs((double)value[n->count]);
	return fmax(count > 0 ? count * -expm1(-bytes / count / n->rate) : bytes / n->rate, 1);
}

double rep_noise_variance(const struct rep_noise *n, const int64_t *value)
{
	double v = (double)value[n->type];

	return n->none || v == 0 ? 0 : v * v / samples(n, value);
}

bool rep_noise_beyond(double change, double variance, double errors)
{
	return fabs(change) > errors * sqrt(variance);
}
