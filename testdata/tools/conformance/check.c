#include "conformance/check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conformance/facts.h"
#include "conformance/gather.h"
#include "conformance/strict.h"
#include "conformance/truth.h"
#include "import.h"
#include "open/input.h"

#define SUFFIX ".expect.json"

/* Shares that must be kept of damaged dumps, and of what is kept, true. */
#define KEPT_OF_WHOLE	  80
#define KEPT_OF_DECODABLE 90
#define TRUE_OF_KEPT	  99

int check_path(char *out, size_t room, const char *a, const char *b, const char *c,
	       struct tp_err *err)
{
	if (snprintf(out, room, "%s/%s%s", a, b, c) < (int)room)
		return 0;
	return tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE, "the path is too long");
}

/* Imports a dump into a store of its own and opens it. */
static int import_dump(struct check *c, const char *path, const char *store, struct view *v,
		       struct tp_err *err)
{
	struct tp_import_result result;
	char place[128];
	int code;

	memset(v, 0, sizeof(*v));
	snprintf(place, sizeof(place), "%s/%s", c->scratch, store);
	unlink(place);
	code = tp_import(path, place, NULL, &result, err);
	return code ? code : view_open(v, place, err);
}

bool check_refused(struct check *c, int code, const struct tp_err *err)
{
	if (!code || code == TP_ENOMEM || code == TP_EIO)
		return false;
	facts_check(c->facts, false, "import: %s", err->msg);
	return true;
}

/* What is found in a dump that Go's reader reads to its end. */
static int gather_sound(struct check *c, struct view *v, const struct strict *s, uint64_t flip,
			struct gathered *got, struct tp_err *err)
{
	struct facts *f = c->facts;
	int code =
	    v->version >= 11 ? gather(v, f, flip, got, err) : gather_legacy(v, f, s, got, err);

	if (code)
		return code;
	facts_check(f, !s->fault, "strict reading: %s", s->why);
	facts_check(f, s->fault || s->events == v->events, "strict reading: %lld events",
		    (long long)s->events);
	facts_check(f, !v->losses, "%lld losses", (long long)v->losses);
	facts_check(f, !v->inferred, "%lld inferred events", (long long)v->inferred);
	return 0;
}

static int check_sound(struct check *c, const char *path, const struct strict *s,
		       struct gathered *got, struct tp_err *err)
{
	struct view v;
	int code = import_dump(c, path, "run.tprof", &v, err);

	if (check_refused(c, code, err))
		code = 0;
	else if (!code)
		code = gather_sound(c, &v, s, GATHER_NO_FLIP, got, err);
	view_close(&v);
	return code;
}

/* A dump that Go's reader gives up on: so does strict reading, after as many events. */
static void check_error(struct check *c, const struct strict *s)
{
	const char *expected = facts_expects_text(c->facts, "error");
	int64_t n;

	facts_put(c->facts, FACTS_FOUND, s->version, "format");
	/* Go's words are Go's: that there is an error is what must agree. */
	if (s->fault)
		facts_put_text(c->facts, FACTS_FOUND, expected, strlen(expected), "error");
	facts_put(c->facts, FACTS_FOUND, s->events, "events_before_error");
	if (facts_expects(c->facts, "decodable_events", &n))
		facts_put(c->facts, FACTS_FOUND, s->decodable, "decodable_events");
}

static double percent(int64_t part, int64_t of)
{
	return of ? 100 * (double)part / (double)of : 0;
}

static bool begins(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

static void check_share(struct check *c, int64_t part, int64_t of, int percent, const char *what)
{
	facts_check(c->facts, part * 100 >= of * percent, "%s: %lld of %lld are less than %d %%",
		    what, (long long)part, (long long)of, percent);
}

/* A damaged dump: how much was kept, and is it true? */
static int check_broken(struct check *c, const char *name, const char *path, const struct strict *s,
			struct gathered *got, struct tp_err *err)
{
	struct facts *f = c->facts;
	const char *whole_name = facts_expects_text(f, "whole");
	struct view v = {0}, whole = {0};
	char whole_path[4096];
	struct strict whole_strict;
	bool killed = begins(name, "killed-") || begins(name, "cut-");
	bool must = killed || whole_name;
	struct truth truth;
	int code;

	code = import_dump(c, path, "run.tprof", &v, err);
	/* Where nothing can be kept, an import says so; only what must be kept is asked for here.
	 */
	if (code && !must) {
		code = 0;
		goto done;
	}
	if (check_refused(c, code, err))
		code = 0;
	if (code || !v.store)
		goto done;
	*got = (struct gathered){.events = v.events, .goroutines = (int64_t)v.goroutines.nrows};
	snprintf(got->note, sizeof(got->note), "%.1f %% of what can be decoded kept",
		 percent(truth_kept(&v), s->decodable));
	if (killed)
		check_share(c, truth_kept(&v), s->decodable, KEPT_OF_DECODABLE,
			    "kept of decodable");
	if (!s->fault || v.events)
		facts_check(f, v.losses > 0, "no loss is recorded");
	if (!whole_name)
		goto done;
	code = check_path(whole_path, sizeof(whole_path), c->dir, whole_name, "", err);
	if (!code)
		code = import_dump(c, whole_path, "whole.tprof", &whole, err);
	if (!code)
		code = strict_read(whole_path, &whole_strict, err);
	if (code) {
		tp_err_prefix(err, "%s", whole_name);
		goto done;
	}
	facts_put(f, FACTS_FOUND, whole.events, "whole_events");
	if (begins(name, "middle-"))
		check_share(c, truth_kept(&v), whole.events, KEPT_OF_WHOLE, "kept of whole");
	code = truth_compare(&v, &whole, whole_strict.ns_per_tick, f, &truth, err);
	if (code)
		goto done;
	check_share(c, truth.matched, truth.kept, TRUE_OF_KEPT, "true of kept");
	snprintf(got->note, sizeof(got->note), "%.1f %% of the whole kept, %.2f %% of it true",
		 percent(truth.kept, whole.events), percent(truth.matched, truth.kept));
done:
	view_close(&v);
	view_close(&whole);
	return code;
}

void check_show(void *ctx, const char *name, const char *expected, const char *found)
{
	(void)ctx;
	if (!expected && found && !strcmp(found, FACTS_BROKEN)) {
		printf("    %s\n", name);
		return;
	}
	printf("    %s: expected %s, found %s\n", name, expected ? expected : "nothing",
	       found ? found : "nothing");
}

static int take_expectation(struct check *c, const char *path, struct tp_err *err)
{
	struct tp_input *in;
	int code = tp_input_open(&in, path, NULL, NULL, err);

	if (code)
		return code;
	code = facts_take_json(c->facts, (const char *)in->data, in->size, err);
	tp_input_close(in);
	return code;
}

/* Fills the found side. */
static int find_facts(struct check *c, bool broken, const char *name, const char *path,
		      struct gathered *got, struct tp_err *err)
{
	struct strict s;
	int code = strict_read(path, &s, err);

	facts_clear(c->facts, FACTS_FOUND);
	if (code)
		return code;
	if (!facts_expects_text(c->facts, "error"))
		return check_sound(c, path, &s, got, err);
	check_error(c, &s);
	return broken ? check_broken(c, name, path, &s, got, err) : 0;
}

/* As many at once as make parsing the expectation cheap. Where they are not as many differences,
 * each is altered alone, and those that make none are named. */
#define AT_ONCE 16

static int alter_numbers(struct check *c, const char *name, int64_t *tried, int64_t *missed,
			 struct tp_err *err)
{
	struct facts_result r;
	int64_t tolerance = 0, altered, alone = 0;
	char path[200];

	facts_expects(c->facts, "tolerance_ns", &tolerance);
	for (int64_t n = 0;;) {
		int code = facts_alter_some(c->facts, n, n < alone ? 1 : AT_ONCE, tolerance + 1,
					    &altered, path, err);

		if (code || !altered)
			return code;
		code = facts_compare(c->facts, &r, 0, NULL, NULL, err);
		if (code)
			return code;
		if (altered > 1 && r.differences != altered) {
			alone = n + altered;
			continue;
		}
		n += altered;
		*tried += altered;
		if (!r.differences) {
			++*missed;
			printf("    %s: %s was altered without being noticed\n", name, path);
		}
	}
}

/* A few hundred bytes of the listing, spread over it, first and last among them; it is made anew
 * for each, of what was imported once. */
static int alter_listing(struct check *c, const char *name, const char *path, uint64_t bytes,
			 int64_t *tried, int64_t *missed, struct tp_err *err)
{
	struct gathered got;
	struct facts_result r;
	struct strict strict;
	struct view v;
	int code = import_dump(c, path, "run.tprof", &v, err);

	if (!code)
		code = strict_read(path, &strict, err);
	for (uint64_t i = 0, n = bytes < 16 ? bytes : 16; !code && i < n; i++) {
		uint64_t at = n == 1 ? 0 : (bytes - 1) / (n - 1) * i;

		facts_clear(c->facts, FACTS_FOUND);
		code = gather_sound(c, &v, &strict, i == n - 1 ? bytes - 1 : at, &got, err);
		if (!code)
			code = facts_compare(c->facts, &r, 0, NULL, NULL, err);
		if (code)
			break;
		++*tried;
		if (r.differences != 1) {
			++*missed;
			printf("    %s: byte %llu of the listing was altered: %lld differences\n",
			       name, (unsigned long long)at, (long long)r.differences);
		}
	}
	view_close(&v);
	return code;
}

static int check_the_check(struct check *c, const char *name, const char *json, const char *path,
			   const struct gathered *got, struct tp_err *err)
{
	int64_t tried = 0, missed = 0;
	int code = alter_numbers(c, name, &tried, &missed, err);

	if (!code)
		code = take_expectation(c, json, err);
	if (!code && got->listing_bytes)
		code = alter_listing(c, name, path, got->listing_bytes, &tried, &missed, err);
	printf("%-*s %10lld %10lld\n", c->width, name, (long long)tried, (long long)missed);
	c->total->compared += tried;
	c->total->differences += missed;
	return code;
}

static int check_one(struct check *c, const char *folder, const char *name, struct tp_err *err)
{
	bool broken = !strcmp(folder, "broken");
	char json[4096], path[4096], place[4096];
	struct gathered got = {0};
	struct facts_result r = {0};
	int code;

	code = check_path(place, sizeof(place), c->dir, folder, "", err);
	if (!code)
		code = check_path(json, sizeof(json), place, name, SUFFIX, err);
	if (!code)
		code = check_path(path, sizeof(path), place, name, ".trace", err);
	if (!code)
		code = take_expectation(c, json, err);
	if (!code)
		code = find_facts(c, broken, name, path, &got, err);
	if (!code)
		code = facts_compare(c->facts, &r, 0, NULL, NULL, err);
	if (code && code != TP_ENOMEM && code != TP_EIO) {
		/* What cannot be imported at all is one difference, and the next dump has its turn.
		 */
		tp_err_printable(err);
		printf("%-*s %10s %10s %11d\n    %s\n", c->width, name, "-", "-", 1, err->msg);
		c->total->compared++;
		c->total->differences++;
		return 0;
	}
	if (code)
		return code;
	if (c->opt->selftest && !r.differences)
		return check_the_check(c, name, json, path, &got, err);
	printf("%-*s %10lld %10lld %11lld%s%s\n", c->width, name, (long long)got.events,
	       (long long)got.goroutines, (long long)r.differences, *got.note ? "  " : "",
	       got.note);
	c->total->compared += r.compared;
	c->total->differences += r.differences;
	return facts_compare(c->facts, &r, c->opt->differences, check_show, NULL, err);
}

static int is_expectation(const struct dirent *d)
{
	size_t n = strlen(d->d_name), m = strlen(SUFFIX);

	return n > m && !strcmp(d->d_name + n - m, SUFFIX);
}

/* Names of a folder's expectations without their suffix, sorted; their number or -1. */
static int list(const char *dir, const char *folder, struct dirent ***names)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, folder);
	return scandir(path, names, is_expectation, alphasort);
}

static void free_names(struct dirent **names, int n)
{
	while (n > 0)
		free(names[--n]);
	free(names);
}

static int check_folder(struct check *c, const char *folder, struct dirent **names, int n)
{
	for (int i = 0; i < n; i++) {
		char name[256];
		struct tp_err err = {0};

		snprintf(name, sizeof(name), "%.*s",
			 (int)(strlen(names[i]->d_name) - strlen(SUFFIX)), names[i]->d_name);
		if (c->opt->only && !strstr(name, c->opt->only))
			continue;
		if (check_one(c, folder, name, &err)) {
			tp_err_printable(&err);
			fprintf(stderr, "conformance: %s/%s: %s\n", folder, name, err.msg);
			return tp_err_exit_status(err.code);
		}
		c->total->files++;
		fflush(stdout);
	}
	return 0;
}

static int widest(struct dirent **names, int n)
{
	size_t width = 10;

	for (int i = 0; i < n; i++)
		if (strlen(names[i]->d_name) - strlen(SUFFIX) > width)
			width = strlen(names[i]->d_name) - strlen(SUFFIX);
	return (int)width;
}

int check_corpus(const char *dir, const struct check_options *opt, struct check_total *total)
{
	struct check c = {.opt = opt, .dir = dir, .total = total};
	struct dirent **traces = NULL, **broken = NULL;
	int ntraces = list(dir, "traces", &traces), nbroken = list(dir, "broken", &broken);
	const char *tmp = getenv("TMPDIR");
	struct tp_err err = {0};
	char place[128];
	int status = 3;

	snprintf(place, sizeof(place), "%.100s/profiles", dir);
	if (ntraces < 0 && (errno != ENOENT || access(place, R_OK | X_OK))) {
		fprintf(stderr, "conformance: %s/traces: %s\n", dir, strerror(errno));
		goto done;
	}
	if (ntraces < 0)
		ntraces = 0;
	if (nbroken < 0)
		nbroken = 0;
	snprintf(c.scratch, sizeof(c.scratch), "%s/conformance-XXXXXX",
		 tmp && *tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	if (!mkdtemp(c.scratch)) {
		fprintf(stderr, "conformance: %s: %s\n", c.scratch, strerror(errno));
		status = 4;
		goto done;
	}
	c.width = widest(traces, ntraces);
	if (widest(broken, nbroken) > c.width)
		c.width = widest(broken, nbroken);
	check_profiles_width(dir, &c.width);
	if (facts_new(&c.facts, &err)) {
		fprintf(stderr, "conformance: %s\n", err.msg);
		status = 4;
	} else {
		if (opt->selftest)
			printf("%-*s %10s %10s\n", c.width, "file", "altered", "unnoticed");
		else
			printf("%-*s %10s %10s %11s\n", c.width, "file", "events", "goroutines",
			       "differences");
		status = check_folder(&c, "traces", traces, ntraces);
		if (!status)
			status = check_folder(&c, "broken", broken, nbroken);
		if (!status)
			status = check_profiles(&c);
	}
	facts_free(c.facts);
	for (int i = 0; i < 6; i++) {
		static const char *const left[] = {"run.tprof",	       "whole.tprof",
						   "beside.tprof",     "run.tprof-lock",
						   "whole.tprof-lock", "beside.tprof-lock"};

		snprintf(place, sizeof(place), "%s/%s", c.scratch, left[i]);
		unlink(place);
	}
	rmdir(c.scratch);
done:
	free_names(traces, ntraces);
	free_names(broken, nbroken);
	return status;
}
