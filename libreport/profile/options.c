#include "profile/options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct rep_granularity_desc rep_granularities[REP_NGRANULARITIES] = {
    [REP_FUNCTIONS] = {"functions", "functions by name"},
    [REP_FILEFUNCTIONS] = {"filefunctions", "functions by name and file"},
    [REP_FILES] = {"files", "source files"},
    [REP_LINES] = {"lines", "lines of source files"},
    [REP_ADDRESSES] = {"addresses", "addresses of the code"},
};

const struct rep_profile_option_desc rep_profile_options[REP_NPROFILE_OPTIONS] = {
#define REP_X(name, id, kind, member, arg, group, doc)                                             \
	[REP_OPTION_##                                                                             \
	    id] = {name, REP_TAKES_##kind,  offsetof(struct rep_profile_options, member),          \
		   arg,	 REP_GROUP_##group, doc},
    REP_PROFILE_OPTIONS(REP_X)
#undef REP_X
};

static int set_granularity(enum rep_granularity *g, const char *value, struct tp_err *err)
{
	for (size_t i = 0; i < REP_NGRANULARITIES; i++) {
		if (!strcmp(value, rep_granularities[i].name)) {
			*g = (enum rep_granularity)i;
			return 0;
		}
	}
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "--granularity: '%s' is not one of functions, filefunctions, files, "
			  "lines and addresses",
			  value);
}

int rep_profile_option_set(struct rep_profile_options *opt, enum rep_profile_option which,
			   const char *value, struct tp_err *err)
{
	const struct rep_profile_option_desc *o = &rep_profile_options[which];
	void *member = (char *)opt + o->offset;
	char *end;

	errno = 0;
	switch (o->kind) {
	case REP_TAKES_FLAG:
		*(bool *)member = true;
		return 0;
	case REP_TAKES_TEXT:
		/* An empty text means no filter, as in pprof. */
		*(const char **)member = *value ? value : NULL;
		return 0;
	case REP_TAKES_GRANULARITY:
		return set_granularity(member, value, err);
	case REP_TAKES_COUNT:
		*(int64_t *)member = strtoll(value, &end, 10);
		if (end == value || *end || errno)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "--%s takes a whole number, not '%s'", o->name, value);
		/* pprof takes -1 for the report's default. */
		if (*(int64_t *)member < -1)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "--%s takes a number from 0 on, not '%s'", o->name,
					  value);
		return 0;
	case REP_TAKES_NUMBER:
		*(double *)member = strtod(value, &end);
		if (end == value || *end || !isfinite(*(double *)member))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "--%s takes a number, not '%s'", o->name, value);
		if (which == REP_OPTION_DIVIDE_BY && *(double *)member == 0)
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "--divide-by takes a number that is not 0");
		if (which != REP_OPTION_DIVIDE_BY &&
		    (*(double *)member < 0 || *(double *)member > 1))
			return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
					  "--%s takes a share from 0 to 1 (0.05 is 5%%), not '%s'",
					  o->name, value);
		return 0;
	}
	return 0;
}

bool rep_profile_option_differs(const struct rep_profile_options *a,
				const struct rep_profile_options *b, enum rep_profile_option which)
{
	const struct rep_profile_option_desc *o = &rep_profile_options[which];
	const void *x = (const char *)a + o->offset, *y = (const char *)b + o->offset;
	const char *text[2];

	switch (o->kind) {
	case REP_TAKES_TEXT:
		text[0] = *(const char *const *)x;
		text[1] = *(const char *const *)y;
		return !text[0] || !text[1] ? text[0] != text[1] : strcmp(text[0], text[1]) != 0;
	case REP_TAKES_FLAG:
		return *(const bool *)x != *(const bool *)y;
	case REP_TAKES_COUNT:
		return *(const int64_t *)x != *(const int64_t *)y;
	case REP_TAKES_NUMBER:
		return memcmp(x, y, sizeof(double)) != 0;
	case REP_TAKES_GRANULARITY:
		return *(const enum rep_granularity *)x != *(const enum rep_granularity *)y;
	}
	return false;
}

/* ---- pprof's spellings ---- */

/* Names of pprof that differ from ours by more than dashes. */
static const struct {
	const char *pprof, *name, *value;
} spellings[] = {
    {"functions", "granularity", "functions"},
    {"filefunctions", "granularity", "filefunctions"},
    {"files", "granularity", "files"},
    {"lines", "granularity", "lines"},
    {"addresses", "granularity", "addresses"},
    {"inusespace", "sample-index", "inuse_space"},
    {"inuseobjects", "sample-index", "inuse_objects"},
    {"allocspace", "sample-index", "alloc_space"},
    {"allocobjects", "sample-index", "alloc_objects"},
    {"totaldelay", "sample-index", "delay"},
    {"contentions", "sample-index", "contentions"},
    {"meandelay", "sample-index", "mean_delay"},
    {"flat", "flat", NULL},
};

/* Returns whether both are equal except for dashes and underscores; a has `size` bytes. */
static bool same_letters(const char *a, size_t size, const char *b)
{
	size_t i = 0;

	for (;;) {
		while (i < size && (a[i] == '-' || a[i] == '_'))
			i++;
		while (*b == '-' || *b == '_')
			b++;
		if (i == size || !*b)
			return i == size && !*b;
		if (a[i++] != *b++)
			return false;
	}
}

/* Returns 1 or 0 for pprof's words for true and false, -1 for others. */
static int truth(const char *text)
{
	static const char *const words[][2] = {
	    {"false", "true"}, {"f", "t"}, {"no", "yes"}, {"n", "y"}, {"0", "1"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (int t = 0; t < 2; t++)
			if (!strcmp(text, words[i][t]))
				return t;
	return -1;
}

/* Reads -symbolize=local:demangle=full. All but the part on demangling is our default, and ignored.
 */
static const char *symbolize(const char *given, bool *ignored)
{
	static const char *const how[] = {"none", "full", "templates"};
	const char *demangle = given ? strstr(given, "demangle=") : NULL;

	if (given && (!strcmp(given, "none") || !strcmp(given, "no")))
		return how[0];
	for (size_t i = 0; demangle && i < 3; i++)
		if (!strncmp(demangle + strlen("demangle="), how[i], strlen(how[i])))
			return how[i];
	*ignored = true;
	return NULL;
}

bool rep_profile_option_pprof(const char *text, const char **name, const char **value,
			      bool *ignored)
{
	size_t size = strcspn(text, "=");
	const char *given = text[size] ? text + size + 1 : NULL;
	int yes = given ? truth(given) : 1;

	*ignored = false;
	*value = NULL;
	if (same_letters(text, size, "trim")) {
		*name = "no-trim";
		*ignored = yes == 1;
		return yes >= 0;
	}
	if (same_letters(text, size, "symbolize") && given) {
		*name = "demangle";
		*value = symbolize(given, ignored);
		return true;
	}
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		if (!same_letters(text, size, spellings[i].pprof))
			continue;
		*name = spellings[i].name;
		*value = spellings[i].value;
		*ignored = !yes;
		return yes >= 0;
	}
	for (size_t i = 0; i < REP_NPROFILE_OPTIONS; i++) {
		const struct rep_profile_option_desc *o = &rep_profile_options[i];

		if (!same_letters(text, size, o->name))
			continue;
		*name = o->name;
		if (o->kind != REP_TAKES_FLAG) {
			*value = given;
			return true;
		}
		*ignored = !yes;
		return yes >= 0;
	}
	return false;
}
