/* tprof-leaks: goroutines that wait and do not end, and what grows from dump to dump. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/sum.h"
#include "common/common.h"
#include "common/file.h"
#include "common/files.h"
#include "common/number.h"
#include "common/option.h"
#include "common/profiles.h"
#include "common/request.h"
#include "leak/leak.h"
#include "profile/demangle.h"
#include "profile/request.h"

struct args {
	struct cmd cmd;
	const char *allow_file;
	struct rep_allow allow;
	struct rep_leak_options leak;
	const char *own_text;
	struct cmd_request request;
	const char *task;    /* the request */
	bool found;	     /* a dump has goroutines of it */
	struct tp_err lacks; /* what the first one says that has none */
	struct tp_regex own;
	bool sort_given, show_allowed, traces; /* there are some */
	int64_t gate;			       /* -1: not given */
};

enum { KEY_REQUEST = 0x2000, KEY_REQUEST_KEY };

#define SETS(member) CMD_SETS(struct args, member)

static const struct argp_option options[] = {
    {"all", SETS(leak.all), NULL, 0,
     "Count the runtime's goroutines, main.main and running ones as well", 0},
    {"allow", SETS(allow_file), "FILE", 0,
     "Allow the goroutines listed in FILE: a function per line, 'N FUNCTION' for up to N of them",
     0},
    {"by", SETS(leak.by), "LABEL", 0,
     "Count goroutines of dumps and profiles separately for each value of this label", 0},
    {"created", SETS(leak.created), NULL, 0, "Count only goroutines created during the trace", 0},
    {"gate", CMD_SETS_COUNT(struct args, gate), "N", 0,
     "Exit with status 1 if more than N goroutines that are not allowed remain (for several files: "
     "are new since the first)",
     0},
    {"min-wait", CMD_SETS_TIME(struct args, leak.min_wait_ns), "TIME", 0,
     "Count only goroutines that have waited for TIME or longer", 0},
    {"own", SETS(own_text), "REGEX", 0, CMD_OWN_DOC, 0},
    CMD_REQUEST_OPTIONS(KEY_REQUEST, KEY_REQUEST_KEY, 0),
    {"rows", 'n', "N", CMD_OPTION_LAST,
     "Show at most N rows, 0 for all (default: 20 in tables, else all)", 0},
    {"show-allowed", SETS(show_allowed), NULL, 0, "Show allowed goroutines as well", 0},
    {"sort", 's', "KEY", CMD_OPTION_LAST,
     "Sort by count (the default), growth (the default for several files) or wait", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	if (key == KEY_REQUEST || key == KEY_REQUEST_KEY) {
		cmd_request_set(&args->request, state, key == KEY_REQUEST_KEY, arg, &args->task);
		return 0;
	}
	if (key == ARGP_KEY_END)
		cmd_request_check(&args->request, state, args->task);
	if (key != 's')
		return ARGP_ERR_UNKNOWN;
	args->leak.sort = (enum rep_leak_sort)CMD_ARG_WORD(state, "--sort", arg, rep_leak_sorts);
	args->sort_given = true;
	return 0;
}

static const struct argp_child children[] = {{&cmd_argp, 0, NULL, 0}, {0}};
static const struct argp argp = {
    .options = options,
    .parser = on_option,
    .args_doc = "FILE...",
    .doc = "Find goroutines that wait and do not end, by what they wait for and who created them. "
	   "Files are execution traces, goroutine and goroutineleak profiles, dumps of goroutines "
	   "(debug=1 and 2, crashes), or stores; of several, oldest first, the table shows what "
	   "grows.\v"
	   "A trace tells of goroutines that had not ended when it did; NEW are those it saw being "
	   "created.",
    .children = children,
};

/* ---- the list of what is allowed ---- */

#define MAX_LIST ((size_t)16 << 20)

static int read_list(struct args *args)
{
	struct tp_buf b = {0};
	struct tp_err err;
	int status = CMD_OK;

	if (cmd_read_file(args->allow_file, MAX_LIST, &b, &err)) {
		status = cmd_fail(&args->cmd, args->allow_file, &err);
	} else if (rep_allow_parse(&args->allow, b.data, b.size, &err)) {
		cmd_error(&args->cmd, "%s: %s", args->allow_file, err.msg);
		status = err.code == TP_ENOMEM ? CMD_SYSTEM : CMD_USAGE;
	}
	tp_buf_release(&b);
	args->leak.allow = &args->allow;
	return status;
}

/* ---- sources ---- */

static int fail(struct args *args, const char *name, struct tp_err *err)
{
	/* A file of another kind is neither damaged nor missing. */
	return err->code == TP_ENOENT ? cmd_refuse(&args->cmd, name, err, CMD_INPUT)
				      : cmd_fail(&args->cmd, name, err);
}

/* A dump without goroutines of the request has none that stay; but if none of the dumps has any, that is a
 * mistake. */
static int add_profile(struct args *args, struct rep_leaks *l, const char *name,
		       struct tp_profile *p, struct tp_err *err)
{
	int code = args->task ? rep_profile_keep_request(p, args->task, err) : 0;

	if (!code)
		args->found = true;
	else if (!args->lacks.code)
		args->lacks = *err;
	return code && code != TP_ENOENT ? code : rep_leaks_add_profile(l, name, p, err);
}

static int add_profiles(struct args *args, struct rep_leaks *l, const char *path)
{
	const struct cmd_profiles_options opt = {.each_dump = true};
	struct cmd_profiles list = {0};
	struct tp_err err;
	int status = cmd_profiles_open(&args->cmd, &path, 1, &opt, &list);

	for (size_t i = 0; i < list.n && !status; i++)
		if (add_profile(args, l, list.item[i].name, list.item[i].profile, &err))
			status = fail(args, list.item[i].name, &err);
	cmd_profiles_release(&list);
	return status;
}

/* *none: it is a profile of something else, and err says so. */
static int add_run(struct args *args, struct rep_leaks *l, const struct rep_run *run, bool *none,
		   struct tp_err *err)
{
	struct tp_profile *p = NULL;
	int code;

	*none = false;
	args->traces |= strcmp(run->row.kind, "profile") != 0;
	if (args->traces && (args->task || args->leak.by))
		return tp_err_set(
		    err, TP_ENOENT, TP_OFFSET_NONE,
		    "--%s is about labels of goroutines, which a trace does not have; "
		    "tprof-top and tprof-path take --request for traces",
		    args->task ? "request" : "by");
	if (strcmp(run->row.kind, "profile") != 0)
		return rep_leaks_add_run(l, run->row.name, args->cmd.store, run, err);
	code = tp_profile_load(args->cmd.store, run->row.id, &p, err);
	if (!code)
		code = rep_profile_demangle(p, REP_DEMANGLE_DEFAULT, err);
	if (code) {
		tp_profile_free(p);
		return code;
	}
	code = add_profile(args, l, run->row.name, p, err);
	*none = code == TP_ENOENT;
	tp_profile_free(p);
	return code;
}

/* Runs that --run picks, or a trace's. Those without goroutines are passed over where others have
 * some. */
static int add_picked(struct args *args, struct rep_leaks *l, const char *path)
{
	const struct rep_runs *runs = &args->cmd.runs;
	int status = cmd_open(&args->cmd, path);
	struct tp_err err, first = {0};
	size_t nnone = 0;

	for (size_t i = 0; !status && i < runs->n; i++) {
		bool none;

		if (add_run(args, l, &runs->run[i], &none, &err) && !none)
			status = fail(args, runs->run[i].row.name, &err);
		if (none && ++nnone == 1)
			first = err;
	}
	if (status || !nnone)
		return status;
	if (nnone == runs->n)
		return fail(args, runs->run[0].row.name, &first);
	cmd_note(&args->cmd, "%s: %zu of %zu runs %s no goroutines, and %s passed over", path,
		 nnone, runs->n, nnone == 1 ? "has" : "have", nnone == 1 ? "is" : "are");
	return CMD_OK;
}

/* The one that was imported before the run at `i`; all->n: there is none. */
static size_t one_before(const struct rep_runs *all, size_t i)
{
	int64_t least = all->run[i].row.imported_ns;
	size_t best = all->n;

	for (size_t k = 0; k < all->n; k++) {
		int64_t at = all->run[k].row.imported_ns;

		if ((at < least || (at == least && k < i)) &&
		    (best == all->n || at >= all->run[best].row.imported_ns))
			best = k;
	}
	return best;
}

/* The latest run of a store that has goroutines. */
static int add_latest(struct args *args, struct rep_leaks *l, const char *path)
{
	const struct rep_runs *all = &args->cmd.all;
	int status = cmd_open_store(&args->cmd, path, false);
	struct tp_err err, first = {0};
	size_t at = 0, picked, nnone = 0;
	bool none = true;

	if (!status)
		status = cmd_pick(&args->cmd, path);
	if (status)
		return status;
	while (at < all->n && all->run[at].row.id != args->cmd.runs.run[0].row.id)
		at++;
	for (picked = at; at < all->n; at = one_before(all, at)) {
		if (add_run(args, l, &all->run[at], &none, &err) && !none)
			return fail(args, all->run[at].row.name, &err);
		if (!none)
			break;
		if (++nnone == 1)
			first = err;
	}
	if (none)
		return fail(args, args->cmd.runs.run[0].row.name, &first);
	if (all->n > 1)
		cmd_note(
		    &args->cmd,
		    "the store has %zu runs, and this is the latest%s (%s); --run picks others",
		    all->n, at == picked ? "" : " that has goroutines", all->run[at].row.name);
	cmd_note_losses(&args->cmd, path, &all->run[at]);
	return CMD_OK;
}

static int add(struct args *args, struct rep_leaks *l, const char *path)
{
	enum cmd_kind kind;
	struct tp_err err;
	int status = cmd_kind_of(&args->cmd, path, args->cmd.run_spec, &kind);
	bool store = !status && cmd_is_store(path, &err) == 1;

	if (status)
		return status;
	if (kind == CMD_KIND_PROFILE && !store)
		return add_profiles(args, l, path);
	status =
	    store && !args->cmd.run_spec ? add_latest(args, l, path) : add_picked(args, l, path);
	cmd_close(&args->cmd);
	return status;
}

/* ---- the answer ---- */

#define UNKNOWN_SHOWN 3 /* files that do not say how long goroutines wait, besides the last */

static int put_head(const struct args *args, const struct rep_leaks *l, struct rep_output *out,
		    struct tp_err *err)
{
	size_t last = l->nsources - 1, sites = 0;
	const struct rep_leak_site *s = l->site;
	int64_t goroutines = 0, allowed = 0;
	char text[500], count[CMD_PLURAL_SIZE], at[CMD_PLURAL_SIZE], less[28], gone[60] = "";
	size_t told = 0, more = 0;
	int code;

	for (size_t i = 0; i < l->nsites; i++) {
		tp_sum(&goroutines, s[i].count[last].goroutines);
		tp_sum(&allowed, tp_minus(s[i].count[last].goroutines, s[i].excess));
		sites += s[i].count[last].goroutines > 0;
	}
	if (l->nsites > sites)
		snprintf(gone, sizeof(gone), "; %zu other site%s gone", l->nsites - sites,
			 l->nsites - sites == 1 ? " has" : "s have");
	snprintf(text, sizeof(text), "%.200s%s%.100s: %s at %s%s%s%s%s", l->source[0].name,
		 last ? " to " : "", last ? l->source[last].name : "",
		 cmd_plural(count, goroutines, "goroutine"), cmd_plural(at, (int64_t)sites, "site"),
		 allowed ? ", " : "", allowed ? tp_fmt_count(less, allowed) : "",
		 allowed ? " of them allowed" : "", gone);
	code = rep_output_note(out, true, text, err);
	for (size_t i = 0; i <= last && !code; i++) {
		int64_t unknown = l->source[i].unknown;

		if (!unknown)
			continue;
		if (i < last && told == UNKNOWN_SHOWN) {
			more++;
			continue;
		}
		told++;
		snprintf(text, sizeof(text), "%.200s%s%s more %s not counted: %s how long %s",
			 last ? l->source[i].name : "", last ? ": " : "",
			 tp_fmt_count(count, unknown), unknown == 1 ? "is" : "are",
			 l->source[i].ticks ? "the trace has no clock, and does not say"
					    : "the dump does not say",
			 unknown == 1 ? "it waits" : "they wait");
		code = rep_output_note(out, false, text, err);
	}
	if (!code && more) {
		snprintf(text, sizeof(text), "and so for %s",
			 cmd_plural(count, (int64_t)more, "more file"));
		code = rep_output_note(out, false, text, err);
	}
	if (!code && goroutines && l->source[last].ticks)
		code = rep_output_note(out, false, "waits are in ticks, as the trace has no clock",
				       err);
	(void)args;
	return code ? code : rep_output_note(out, false, "", err);
}

static int print(struct args *args, struct rep_leaks *l)
{
	struct rep_output *out = NULL;
	struct tp_err err;
	size_t rows = (size_t)cmd_rows(&args->cmd, args->cmd.rows);
	int code, status;

	cmd_pager(&args->cmd);
	status = cmd_output(&args->cmd, false, &out);
	if (status)
		return status;
	code = put_head(args, l, out, &err);
	if (!code)
		code = rep_leaks_print(l, out, rows, args->show_allowed, &err);
	return cmd_output_end(&args->cmd, out, NULL, code, &err);
}

#define UNMET_SHOWN 5 /* rules of the list that are named */

/* main.main stays, but is left out. */
static bool is_main(const struct rep_allow_rule *rule)
{
	return !strcmp(rule->name, "main.main");
}

/* A name that was mistyped, or of a function that has another by now, allows nothing. */
static void note_unmet(const struct args *args, const struct rep_leaks *l)
{
	size_t unmet = 0;

	for (size_t i = 0; i < args->allow.n; i++) {
		const struct rep_allow_rule *rule = &args->allow.rule[i];

		if (!l->met[i] && unmet++ < UNMET_SHOWN)
			cmd_note(&args->cmd, "%.200s:%zu: %s '%.200s'%s", args->allow_file,
				 rule->line,
				 is_main(rule) ? "no need to allow"
					       : "no goroutine that is counted matches",
				 rule->name, is_main(rule) ? ", which counts with --all only" : "");
	}
	if (unmet > UNMET_SHOWN)
		cmd_note(&args->cmd, "%.200s: %zu more of its lines match no goroutine either",
			 args->allow_file, unmet - UNMET_SHOWN);
}

/* As with tprof-diff, a gate that cannot see what it is about has not passed, nor found anything.
 */
static int undecided(const struct args *args, const struct rep_leaks *l, size_t source)
{
	size_t last = l->nsources - 1;
	int64_t unknown = l->source[source].unknown;
	char n[CMD_PLURAL_SIZE], most[28];

	return cmd_reject(&args->cmd, CMD_INPUT,
			  "gate: undecided: %.200s%s does not say how long %s wait%s; perhaps %s "
			  "than %s %s; counted as failed (without --min-wait all count)",
			  l->source[source].name,
			  l->source[source].ticks ? ", which has no clock," : "",
			  cmd_plural(n, unknown, "goroutine"), unknown == 1 ? "s" : "",
			  source == last ? "more" : "no more", tp_fmt_count(most, args->gate),
			  source == last ? "stay" : "have come since");
}

static int judge(const struct args *args, const struct rep_leaks *l)
{
	size_t last = l->nsources - 1;
	int64_t excess = l->excess, all = excess;
	char n[CMD_PLURAL_SIZE], most[28];

	tp_sum(&all, l->source[last].unknown);
	if (args->gate < 0 || all <= args->gate)
		return CMD_OK;
	if (excess <= args->gate)
		return undecided(args, l, last);
	/* As many as that may have waited in the first file as well. */
	if (last && tp_minus(excess, l->source[0].unknown) <= args->gate)
		return undecided(args, l, 0);
	return cmd_reject(&args->cmd, CMD_FOUND,
			  "gate: %s, more than %s, %s; see the table, or allow them",
			  cmd_plural(n, excess, "goroutine"), tp_fmt_count(most, args->gate),
			  l->nsources > 1 ? "came since the first file and stay" : "stay");
}

static int run(struct args *args)
{
	struct rep_leaks *l = NULL;
	struct tp_err err;
	int status = args->allow_file ? read_list(args) : CMD_OK;

	if (!status && args->own_text && tp_regex_init(&args->own, args->own_text, "--own", &err))
		status = cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE);
	if (status)
		return status;
	args->leak.own = args->own_text ? &args->own : NULL;
	if (rep_leaks_new(&l, &args->leak, &err))
		return cmd_fail(&args->cmd, NULL, &err);
	for (size_t i = 0; i < args->cmd.files[CMD_NEW].n && !status; i++)
		status = add(args, l, args->cmd.files[CMD_NEW].path[i]);
	if (!status && args->leak.created && !args->traces)
		status = cmd_reject(&args->cmd, CMD_USAGE,
				    "--created is for traces, and none of the files is a trace");
	if (!status && args->lacks.code && !args->found)
		status = cmd_refuse(&args->cmd, NULL, &args->lacks, CMD_INPUT);
	if (!args->sort_given && l->nsources > 1)
		l->opt.sort = REP_LEAK_BY_GROWTH;
	if (!status && rep_leaks_finish(l, &err))
		status = cmd_fail(&args->cmd, NULL, &err);
	if (!status)
		note_unmet(args, l);
	if (!status)
		status = print(args, l);
	if (!status)
		status = judge(args, l);
	rep_leaks_free(l);
	return status;
}

/* What --help says; tprof-leaks(1) has the rest. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-leaks [OPTION...] FILE...\n"
    "Find goroutines that wait and do not end, by what they wait for and who\n"
    "created them; of several files, oldest first, what grows. Files are traces,\n"
    "goroutine and goroutineleak profiles, dumps (debug=1 and 2), or stores.\n"
    "\n"
    "      --gate=N            Exit with status 1 if more than N stay (or came)\n"
    "      --allow=FILE        What is meant to stay: a function per line\n"
    "      --min-wait=TIME     Only those that have waited that long\n"
    "      --all               The runtime's, main.main and running ones as well\n"
    "  -s, --sort=KEY          count, growth or wait\n"
    "  -n, --rows=N            At most N rows, 0 for all\n"
    "      --format=FORMAT     table, csv, tsv, json, markdown\n"
    "\n"
    "Examples:\n"
    "  curl -s 'HOST/debug/pprof/goroutine?debug=2' >now.txt; tprof-leaks now.txt\n"
    "  tprof-leaks --gate=0 --allow=stays.txt before.txt after.txt\n"
    "\n"
    "tprof-top-profile(1), DEADLOCKS: who may wait for whom in a dump.\n";
/* clang-format on */

int main(int argc, char **argv)
{
	struct args args = {
	    .cmd = {.name = "tprof-leaks", .kinds = CMD_ANY_KIND, .help = help, .pages = true},
	    .gate = -1,
	};
	int status;

	cmd_parse(&args.cmd, &argp, argc, argv);
	status = cmd_finish(&args.cmd, run(&args));
	rep_allow_release(&args.allow);
	tp_regex_release(&args.own);
	return status;
}
