/* The folder "profiles" of a corpus: dumps, and beside them what pprof says of them (profile.h). */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/check.h"
#include "conformance/profile.h"
#include "conformance/raw.h"
#include "import.h"
#include "open/input.h"

/* Numbers of a text that are altered in a check of the check: all, or so many spread over it. */
#define MOST_ALTERED 400

static const char *const suffixes[] = {".raw.txt", ".raw.sha256", ".top.txt"};

static bool ends(const char *name, const char *suffix)
{
	size_t n = strlen(name), m = strlen(suffix);

	return n > m && !strcmp(name + n - m, suffix);
}

static int is_dump(const struct dirent *d)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (ends(d->d_name, suffixes[i]))
			return 0;
	return d->d_name[0] != '.';
}

/* Names of dumps, sorted; their number, 0 where there is no such folder. */
static int list(const char *dir, struct dirent ***names)
{
	char path[4096];
	int n;

	*names = NULL;
	snprintf(path, sizeof(path), "%s/profiles", dir);
	n = scandir(path, names, is_dump, alphasort);
	return n < 0 ? 0 : n;
}

static void free_names(struct dirent **names, int n)
{
	while (n > 0)
		free(names[--n]);
	free(names);
}

void check_profiles_width(const char *dir, int *width)
{
	struct dirent **names;
	int n = list(dir, &names);

	for (int i = 0; i < n; i++)
		if ((int)strlen(names[i]->d_name) > *width)
			*width = (int)strlen(names[i]->d_name);
	free_names(names, n);
}

/* ---- files ---- */

static int take(struct tp_buf *out, const char *place, const char *name, const char *suffix,
		struct tp_err *err)
{
	char path[4096];
	struct tp_input *in;
	int code = check_path(path, sizeof(path), place, name, suffix, err);

	if (code || access(path, F_OK))
		return code;
	code = tp_input_open(&in, path, NULL, NULL, err);
	if (code)
		return code;
	if (tp_buf_put(out, in->data, in->size))
		code = tp_nomem(err);
	tp_input_close(in);
	return code;
}

static int take_expectation(struct profile_expected *e, const char *place, const char *name,
			    struct tp_err *err)
{
	struct tp_buf *const texts[] = {&e->raw, &e->hash, &e->top};
	int code = 0;

	for (size_t i = 0; i < 3 && !code; i++)
		code = take(texts[i], place, name, suffixes[i], err);
	return code;
}

static void release(struct profile_expected *e)
{
	tp_buf_release(&e->raw);
	tp_buf_release(&e->hash);
	tp_buf_release(&e->top);
}

/* Imports a dump into a store of its own. */
static int import_dump(struct check *c, const char *path, const char *store,
		       struct profile_run *run, struct tp_import_result *result, struct tp_err *err)
{
	char place[128];
	int code;

	snprintf(place, sizeof(place), "%s/%s", c->scratch, store);
	unlink(place);
	code = tp_import(path, place, NULL, result, err);
	run->run = code ? 0 : result->run;
	run->text = !code && strcmp(result->format, "pprof") != 0;
	return code ? code : tp_store_open(&run->store, place, err);
}

static void close_run(struct profile_run *run)
{
	if (run->store)
		tp_store_close(run->store);
	run->store = NULL;
}

/* ---- one dump ---- */

struct dump {
	const char *place, *name;
	struct profile_expected expected;
	struct profile_run run;
	int64_t samples, names;
};

/* The dump with another ending, in `beside`: what "go1.27.heap.d0" is to "go1.27.heap.d1". False
 * where there is none. */
static bool beside(const struct dump *d, const char *suffix, const char *other, char path[4096])
{
	int n = (int)(strlen(d->name) - strlen(suffix));

	return ends(d->name, suffix) &&
	       snprintf(path, 4096, "%s/%.*s%s", d->place, n, d->name, other) < 4096 &&
	       !access(path, F_OK);
}

/* What another dump of the same program says. */
static int compare_beside(struct check *c, struct dump *d, struct tp_err *err)
{
	struct profile_run other = {0};
	struct tp_import_result result;
	char path[4096];
	bool text = beside(d, ".d1", ".d0", path);
	int code = 0;

	if (!text && !beside(d, ".d2", ".d1", path))
		return 0;
	code = import_dump(c, path, "beside.tprof", &other, &result, err);
	if (!code && text)
		code = profile_names(c->facts, &d->run, &other, &d->names, err);
	else if (!code)
		code = profile_count(c->facts, &d->run, &other, err);
	close_run(&other);
	return code;
}

static int find_facts(struct check *c, struct dump *d, struct tp_err *err)
{
	facts_clear(c->facts, FACTS_EXPECTED);
	facts_clear(c->facts, FACTS_FOUND);
	return profile_facts(c->facts, &d->run, &d->expected, err);
}

static int compare(struct check *c, struct dump *d, struct tp_err *err)
{
	struct tp_import_result result = {0};
	char path[4096];
	int code = check_path(path, sizeof(path), d->place, d->name, "", err);

	facts_clear(c->facts, FACTS_EXPECTED);
	facts_clear(c->facts, FACTS_FOUND);
	if (!code)
		code = import_dump(c, path, "run.tprof", &d->run, &result, err);
	if (check_refused(c, code, err))
		return 0;
	if (!code)
		code = find_facts(c, d, err);
	if (!code)
		code = compare_beside(c, d, err);
	d->samples = result.events;
	facts_check(c->facts, result.profile, "it is read as a trace");
	facts_check(c->facts, !result.losses, "%lld losses", (long long)result.losses);
	facts_check(c->facts, result.events > 0 || d->expected.raw.size, "no samples");
	return code;
}

/* ---- the check of the check ---- */

/* The last digit of the n-th number of a text; NULL when there is none. */
static uint8_t *digit(struct tp_buf *text, size_t n)
{
	for (size_t i = 0; i < text->size; i++) {
		bool last =
		    i + 1 == text->size || text->data[i + 1] < '0' || text->data[i + 1] > '9';

		if (text->data[i] >= '0' && text->data[i] <= '9' && last && !n--)
			return &text->data[i];
	}
	return NULL;
}

static size_t count_numbers(struct tp_buf *text)
{
	size_t n = 0;

	while (digit(text, n))
		n++;
	return n;
}

/* Whether a text of pprof -raw says the same with this digit altered: ids are names, and what no
 * sample names is not compared. */
static int says_the_same(struct check *c, struct tp_buf *raw, uint8_t *at, uint8_t altered,
			 bool *same, struct tp_err *err)
{
	struct tp_slice text = {raw->data, raw->size};
	struct facts_result r = {0};
	uint8_t old = *at;
	int code;

	facts_clear(c->facts, FACTS_EXPECTED);
	facts_clear(c->facts, FACTS_FOUND);
	code = raw_facts(c->facts, FACTS_EXPECTED, text, true, err);
	*at = altered;
	if (!code)
		code = raw_facts(c->facts, FACTS_FOUND, text, true, err);
	*at = old;
	if (!code)
		code = facts_compare(c->facts, &r, 0, NULL, NULL, err);
	*same = !r.differences;
	return code;
}

static int alter(struct check *c, struct dump *d, struct tp_buf *text, const char *what,
		 int64_t *tried, int64_t *missed, struct tp_err *err)
{
	size_t n = count_numbers(text), step = n / MOST_ALTERED + 1;

	for (size_t i = 0; i < n; i += step) {
		uint8_t *at = digit(text, i), old = *at;
		uint8_t altered = old == '9' ? '0' : (uint8_t)(old + 1);
		struct facts_result r = {0};
		bool same = false;
		int code;

		*at = altered;
		code = find_facts(c, d, err);
		*at = old;
		if (!code)
			code = facts_compare(c->facts, &r, 0, NULL, NULL, err);
		if (!code && !r.differences && text == &d->expected.raw)
			code = says_the_same(c, text, at, altered, &same, err);
		if (code)
			return code;
		if (same)
			continue;
		++*tried;
		if (!r.differences) {
			++*missed;
			printf("    %s: number %zu of %s was altered without being noticed\n",
			       d->name, i, what);
		}
	}
	return 0;
}

static int check_the_check(struct check *c, struct dump *d, struct tp_err *err)
{
	struct tp_buf *const texts[] = {&d->expected.raw, &d->expected.hash, &d->expected.top};
	int64_t tried = 0, missed = 0;
	int code = 0;

	for (size_t i = 0; i < 3 && !code; i++)
		code = alter(c, d, texts[i], suffixes[i], &tried, &missed, err);
	printf("%-*s %10lld %10lld\n", c->width, d->name, (long long)tried, (long long)missed);
	c->total->compared += tried;
	c->total->differences += missed;
	return code;
}

static int check_dump(struct check *c, struct dump *d, struct tp_err *err)
{
	struct facts_result r = {0};
	int code = take_expectation(&d->expected, d->place, d->name, err);

	if (!code)
		code = compare(c, d, err);
	if (!code)
		code = facts_compare(c->facts, &r, 0, NULL, NULL, err);
	if (code)
		return code;
	if (c->opt->selftest && !r.differences)
		return check_the_check(c, d, err);
	printf("%-*s %10lld %10s %11lld", c->width, d->name, (long long)d->samples, "-",
	       (long long)r.differences);
	if (d->names)
		printf("  %lld names", (long long)d->names);
	printf("\n");
	c->total->compared += r.compared;
	c->total->differences += r.differences;
	return facts_compare(c->facts, &r, c->opt->differences, check_show, NULL, err);
}

int check_profiles(struct check *c)
{
	struct dirent **names;
	int n = list(c->dir, &names), status = 0;
	char place[4096];

	snprintf(place, sizeof(place), "%s/profiles", c->dir);
	for (int i = 0; i < n && !status; i++) {
		struct dump d = {.place = place, .name = names[i]->d_name};
		struct tp_err err = {0};

		if (c->opt->only && !strstr(d.name, c->opt->only))
			continue;
		if (check_dump(c, &d, &err)) {
			tp_err_printable(&err);
			fprintf(stderr, "conformance: profiles/%s: %s\n", d.name, err.msg);
			status = tp_err_exit_status(err.code);
		}
		close_run(&d.run);
		release(&d.expected);
		c->total->files++;
		fflush(stdout);
	}
	free_names(names, n);
	return status;
}

/* ---- two texts ---- */

static int put_text(struct facts *f, enum facts_side side, const char *path, struct tp_err *err)
{
	struct tp_input *in;
	int code = tp_input_open(&in, path, NULL, NULL, err);

	if (!code)
		code = raw_facts(f, side, (struct tp_slice){in->data, in->size}, true, err);
	if (code)
		tp_err_prefix(err, "%s", path);
	tp_input_close(in);
	return code;
}

int check_texts(const char *expected, const char *found, const struct check_options *opt)
{
	struct facts_result r = {0};
	struct facts *f = NULL;
	struct tp_err err = {0};
	int code = facts_new(&f, &err);

	if (!code)
		code = put_text(f, FACTS_EXPECTED, expected, &err);
	if (!code)
		code = put_text(f, FACTS_FOUND, found, &err);
	if (!code)
		code = facts_compare(f, &r, opt->differences, check_show, NULL, &err);
	facts_free(f);
	if (!code)
		return r.differences ? 1 : 0;
	tp_err_printable(&err);
	fprintf(stderr, "conformance: %s\n", err.msg);
	return tp_err_exit_status(err.code);
}
