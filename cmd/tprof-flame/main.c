/* tprof-flame: flame graphs of profiles, of their differences, and of traces. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/common.h"
#include "common/file.h"
#include "common/files.h"
#include "common/number.h"
#include "common/option.h"
#include "common/profile_options.h"
#include "common/sides.h"
#include "common/view_options.h"
#include "flame/flame.h"
#include "flame/part.h"

struct args {
	struct cmd cmd;
	const char *title;
	enum rep_flame_format format;
	bool format_given, normalize, noise_given;
	struct rep_flame_tree_options tree;
	struct rep_flame_options flame;
	struct rep_profile_options profile;
	struct cmd_view_options view;
	const char *base_from, *base_to; /* the old side's time range, of the same runs */
	struct tp_buf filters;		 /* the filters given, in words */
};

enum {
	KEY_FORMAT = 0x2000,
	KEY_SORT,
	KEY_MIN_WIDTH,
	KEY_MAX_DEPTH,
	KEY_BASE,
	KEY_WIDTH,
	KEY_NOISE,
	KEY_BASE_FROM,
	KEY_BASE_TO,
};

#define SETS(member) CMD_SETS(struct args, member)

/* The options of profiles that have an effect here. */
static const bool taken[REP_NPROFILE_OPTIONS] = {
    [REP_OPTION_SAMPLE_INDEX] = true, [REP_OPTION_FOCUS] = true,
    [REP_OPTION_IGNORE] = true,	      [REP_OPTION_HIDE] = true,
    [REP_OPTION_SHOW] = true,	      [REP_OPTION_SHOW_FROM] = true,
    [REP_OPTION_PRUNE_FROM] = true,   [REP_OPTION_TAG_FOCUS] = true,
    [REP_OPTION_TAG_IGNORE] = true,   [REP_OPTION_TAG_ROOT] = true,
    [REP_OPTION_TAG_LEAF] = true,     [REP_OPTION_ALL_FRAMES] = true,
    [REP_OPTION_GRANULARITY] = true,  [REP_OPTION_NO_INLINES] = true,
    [REP_OPTION_SHOW_COLUMNS] = true, [REP_OPTION_TRIM_PATH] = true,
    [REP_OPTION_DEMANGLE] = true,     [REP_OPTION_BINARY] = true,
    [REP_OPTION_SYMBOL_PATH] = true,
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0,
     "Write FILE; its ending (.svg .html .folded .json .txt) sets the format", 0},
    {"format", KEY_FORMAT, "FORMAT", CMD_OPTION_LAST,
     "Write svg, html, text, folded, speedscope or frames (default: text on a terminal, else svg)",
     0},
    {"title", SETS(title), "TEXT", 0, "Use TEXT as the heading (default: file and sample type)", 0},
    {"flame", SETS(flame.upwards), NULL, 0,
     "Draw the root at the bottom (default: an icicle, root at the top)", 0},
    {"reverse", 'r', NULL, 0,
     "Merge stacks from the leaf: first what was running, then its callers", 0},
    {"sort", KEY_SORT, "ORDER", CMD_OPTION_LAST, "Order neighbours by value (the default) or name",
     0},
    {"min-width", KEY_MIN_WIDTH, "WIDTH", 0,
     "Fold frames narrower than WIDTH, in pixels of a 1200 pixel picture (0.5) or percent (0.1%); "
     "default: so that a file stays below 3 MB",
     0},
    {"max-depth", KEY_MAX_DEPTH, "N", 0, "Show at most N levels (default: 512)", 0},
    {NULL, 0, NULL, 0, "Differences:", 1},
    {"base", KEY_BASE, "FILE", CMD_OPTION_MANY,
     "Draw what changed since FILE; may be given several times", 1},
    {"diff-base", KEY_BASE, "FILE", CMD_OPTION_MANY, "The same as --base, for users of pprof", 1},
    {"base-from", KEY_BASE_FROM, "TIME", CMD_OPTION_LAST,
     "Draw what changed since another time of the same run, from TIME on", 1},
    {"base-to", KEY_BASE_TO, "TIME", CMD_OPTION_LAST, "That other time ends before TIME", 1},
    {"normalize", SETS(normalize), NULL, 0, "Scale the new values to the total of the old ones", 1},
    {"negate", SETS(flame.negate), NULL, 0, "Swap the colors: more is blue, less is red", 1},
    {"width", KEY_WIDTH, "WHICH", CMD_OPTION_LAST,
     "Make frames as wide as both (the default: the larger of old and new), new or old", 1},
    {"noise", KEY_NOISE, "N", 0, "Color only changes above N standard errors (default: 3; 0: all)",
     1},
    {0},
};

static bool takes(enum rep_profile_option o)
{
	return taken[o];
}

/* Adds an option that leaves something out to args->filters: "focus net/http, from 25%". */
static void note_filter(struct cmd *cmd, struct argp_state *state, const char *name,
			const char *value)
{
	struct tp_buf *b = &((struct args *)cmd)->filters;
	int code = 0;

	if (b->size)
		b->size--; /* the NUL */
	code |= b->size ? tp_buf_put(b, ", ", 2) : 0;
	code |= tp_buf_put(b, name, strlen(name));
	code |= value ? tp_buf_put(b, " ", 1) | tp_buf_put(b, value, strlen(value)) : 0;
	if (code | tp_buf_put(b, "", 1))
		argp_failure(state, CMD_SYSTEM, 0, "out of memory");
}

/* Parses a least width, in pixels of the still picture or as a share of it. */
static double min_width(struct argp_state *state, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);
	bool percent = *end == '%';

	if (end == arg || end[percent] || !(v >= 0) ||
	    v > (percent ? 100 : REP_FLAME_PICTURE_WIDTH))
		argp_error(state,
			   "--min-width: '%s' is not a width; give pixels (0.5) or percent (0.1%%)",
			   arg);
	return v / (percent ? 100 : REP_FLAME_PICTURE_WIDTH);
}

static double noise(struct argp_state *state, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v >= 0) || v > 1000)
		argp_error(state, "--noise: '%s' is not a number from 0 to 1000", arg);
	return v;
}

static bool compares_times(const struct args *args)
{
	return args->base_from || args->base_to;
}

static bool compares(const struct args *args)
{
	return cmd_compares(&args->cmd) || compares_times(args);
}

/* Gives the filters the time range of the old side, or, called again, that of the new one. */
static void swap_times(struct args *args)
{
	struct rep_filter_text *text = &args->view.trace.filter, new = *text;

	text->from = args->base_from;
	text->to = args->base_to;
	args->base_from = new.from;
	args->base_to = new.to;
}

static void check(struct args *args, struct argp_state *state)
{
	const char *wrong = cmd_labels_check(&args->cmd);

	if (wrong)
		argp_error(state, "%s", wrong);
	if (compares_times(args) && cmd_compares(&args->cmd))
		argp_error(state,
			   "--base-from and --base-to compare two times of the same runs; "
			   "leave out --base, or use --from and --to, which apply to both sides");
	if (!compares(args) &&
	    (args->normalize || args->flame.negate || args->tree.width || args->noise_given))
		argp_error(state, "%s needs a difference; give --base=FILE as well",
			   args->normalize	? "--normalize"
			   : args->flame.negate ? "--negate"
			   : args->tree.width	? "--width"
						: "--noise");
	if (!args->format_given && args->cmd.output && *cmd_file_ending(args->cmd.output) &&
	    !rep_flame_format_of(args->cmd.output, &args->format))
		argp_error(state,
			   "-o: '%s' does not end in .svg, .html, .folded, .json or .txt; rename "
			   "it or give --format",
			   args->cmd.output);
	if (!args->format_given &&
	    !(args->cmd.output && rep_flame_format_of(args->cmd.output, &args->format)))
		args->format =
		    !args->cmd.output && isatty(STDOUT_FILENO) ? REP_FLAME_TEXT : REP_FLAME_SVG;
	if (compares(args) && args->format == REP_FLAME_SPEEDSCOPE)
		argp_error(state,
			   "speedscope's format cannot show differences; use svg, html or folded");
	cmd_check_filter(state, &args->view.trace.filter);
	if (compares_times(args)) {
		swap_times(args);
		cmd_check_filter(state, &args->view.trace.filter);
		swap_times(args);
	}
}

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	static const char *const widths[] = {"both", "new", "old"};
	static const char *const orders[] = {"value", "name"};
	struct args *args = state->input;
	struct tp_err err;

	switch (key) {
	case KEY_FORMAT:
		if (rep_flame_format_find(arg, &args->format, &err))
			argp_error(state, "--format: %s", err.msg);
		args->format_given = true;
		return 0;
	case 'r':
		args->tree.reverse = true;
		return 0;
	case KEY_SORT:
		args->flame.by_name = CMD_ARG_WORD(state, "--sort", arg, orders) == 1;
		return 0;
	case KEY_MIN_WIDTH:
		args->flame.min_width = min_width(state, arg);
		return 0;
	case KEY_MAX_DEPTH:
		args->tree.max_depth = (uint32_t)cmd_arg_count(state, "--max-depth", arg, 10000);
		return 0;
	case KEY_BASE:
		return cmd_add_file(&args->cmd, CMD_OLD, arg);
	case KEY_WIDTH:
		args->tree.width =
		    (enum rep_flame_width)CMD_ARG_WORD(state, "--width", arg, widths);
		return 0;
	case KEY_BASE_FROM:
		args->base_from = arg;
		note_filter(&args->cmd, state, "base-from", arg);
		return 0;
	case KEY_BASE_TO:
		args->base_to = arg;
		note_filter(&args->cmd, state, "base-to", arg);
		return 0;
	case KEY_NOISE:
		args->flame.noise = noise(state, arg);
		args->noise_given = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		check(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {{&cmd_labels_argp, 0, NULL, 0},
					     {&cmd_view_argp, 0, NULL, 0},
					     {&cmd_profile_argp, 0, NULL, 0},
					     {&cmd_picture_argp, 0, NULL, 0},
					     {0}};
static const struct argp argp = {
    .children = children,
    .options = options,
    .parser = on_option,
    .args_doc = "FILE...\n--base-label=KEY=VALUE --label=KEY=VALUE STORE",
    .doc =
	"Draw a flame graph: FILE is a profile of any kind pprof reads, an execution trace, or a "
	"store of them; several are added up. The picture is a file of its own, with zoom, search "
	"and keyboard, for any browser.\v"
	"Options of 'go tool pprof' are understood as they are, with one dash, too.",
};

/* ---- running ---- */

static int draw(struct args *args, const struct rep_flame_part *parts, size_t n)
{
	struct rep_flame_options *opt = &args->flame;
	struct rep_sink sink = {.write = cmd_write_out};
	struct rep_flame_heading heading = {0};
	const struct rep_flame_build_options how = {
	    .normalize = args->normalize,
	    .filters = args->filters.size ? (char *)args->filters.data : "",
	};
	struct rep_flame_tree tree;
	struct tp_err err;
	int code = 0, status;

	args->tree.compared = compares(args);
	if (rep_flame_build(&tree, &heading, &args->tree, parts, n, &how, &err)) {
		status = cmd_refuse(&args->cmd, NULL, &err, CMD_USAGE);
		goto done;
	}
	if (!rep_flame_weight(&tree, 0))
		cmd_note(&args->cmd, "there is nothing to show%s",
			 args->filters.size
			     ? ", as nothing matches the filters; tprof-top FILE shows everything"
			     : "");
	opt->title = args->title ? args->title : heading.title;
	opt->subtitle = heading.subtitle;
	opt->type = heading.type;
	opt->unit = heading.unit;
	opt->width = (unsigned)args->cmd.width;
	opt->colour = args->cmd.color;
	if (args->format == REP_FLAME_TEXT && !args->cmd.output)
		cmd_pager(&args->cmd);
	status = cmd_file_begin(&args->cmd, &args->profile.binary, 1);
	if (!status)
		code = rep_flame_write(&tree, args->format, opt, &sink, &err);
	if (code)
		status = cmd_fail(&args->cmd, NULL, &err);
done:
	rep_flame_heading_release(&heading);
	rep_flame_tree_release(&tree);
	return status;
}

/* Prints the notes of filters. A filter that matched nothing is noted only if it matched nothing in all
 * profiles. */
static void tell_notes(const struct args *args, const struct rep_flame_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct tp_buf *b = &parts[i].view.notes.texts;

		for (size_t at = 0; at < b->size; at += strlen((char *)b->data + at) + 1) {
			const char *text = (char *)b->data + at;
			bool everywhere = rep_filter_note_nothing(text);

			for (size_t k = 0; everywhere && k < n; k++)
				everywhere =
				    i == 0 && rep_filter_notes_have(&parts[k].view.notes, text);
			if (everywhere || !rep_filter_note_nothing(text))
				cmd_note(&args->cmd, "%s", text);
		}
	}
}

/* Makes the views of all profiles. Several are drawn by one common sample type, even if their defaults
 * differ. */
static int make_parts(struct args *args, struct cmd_profiles list[2], struct rep_flame_part *parts,
		      size_t *n)
{
	struct cmd_profiles *lists[] = {&list[CMD_NEW], &list[CMD_OLD]};
	size_t failed = 0;
	struct tp_err err;
	int code = 0;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < lists[side]->n; i++)
			parts[(*n)++] = (struct rep_flame_part){
			    .profile = lists[side]->item[i].profile,
			    .name = lists[side]->item[i].name,
			    .side = side ? REP_FLAME_OLD : REP_FLAME_NEW,
			    .trace = lists[side]->item[i].trace,
			    /* The list has one sum for all items. */
			    .members = i ? NULL : &lists[side]->members,
			};
	if (*n > 1)
		code = rep_flame_common_type(parts, *n, args->profile.sample_index,
					     &args->profile.sample_index, &err);
	if (code && code != TP_ENOENT)
		return cmd_fail(&args->cmd, NULL, &err);
	if (!code)
		code = rep_flame_parts_view(parts, *n, &args->profile, &failed, &err);
	return code ? cmd_refuse(&args->cmd, parts[failed].name, &err, CMD_USAGE) : CMD_OK;
}

/* Returns whether an engine may add up the profiles (cmd.adds_up). Only folded stacks without filters permit
 * that: headings of other formats have the number of samples, and filters need each run. */
static bool takes_sums(const struct args *args)
{
	static const struct rep_profile_options plain = REP_PROFILE_OPTIONS_INIT;

	return args->format == REP_FLAME_FOLDED &&
	       !cmd_profile_given(&args->profile, &plain,
				  1ull << REP_OPTION_SAMPLE_INDEX | 1ull << REP_OPTION_UNIT);
}

/* Loads the same runs a second time, with the time range of the old side. */
static int open_old_times(struct args *args, const struct cmd_profiles_options *opt,
			  struct cmd_profiles *old)
{
	const struct cmd_files *files = &args->cmd.files[CMD_NEW];
	int status;

	swap_times(args);
	status = cmd_profiles_open(&args->cmd, files->path, files->n, opt, old);
	swap_times(args);
	return status;
}

static int run(struct args *args)
{
	const struct cmd_profiles_options sums = {.adds_up = true};
	struct cmd_profiles list[2] = {{0}, {0}};
	struct cmd_shared same;
	struct rep_flame_part *parts = NULL;
	size_t n = 0;
	int status;

	if (args->format != REP_FLAME_TEXT &&
	    cmd_refuse_budget(&args->cmd, rep_flame_formats[args->format].name))
		return CMD_USAGE;
	if (args->cmd.budget && args->flame.upwards)
		return cmd_reject(
		    &args->cmd, CMD_USAGE,
		    "--budget keeps the first lines, and with --flame the root is the "
		    "last one; leave one of them out");
	args->cmd.adds_up = takes_sums(args);
	status = cmd_sides_share(&args->cmd, &same);
	if (!status)
		status = cmd_shared_tell(&args->cmd, &same, same.store, CMD_LABELS_INSTEAD);
	if (!status)
		status = cmd_sides_open(&args->cmd, &sums, false, list);
	if (!status && compares_times(args))
		status = open_old_times(args, &sums, &list[CMD_OLD]);
	if (!status)
		status = cmd_profiles_check_trace(&args->cmd, list);
	if (!status) {
		parts = calloc(list[CMD_NEW].n + list[CMD_OLD].n + 1, sizeof(*parts));
		status = parts ? make_parts(args, list, parts, &n) : cmd_nomem(&args->cmd);
	}
	if (!status)
		tell_notes(args, parts, n);
	if (!status)
		status = draw(args, parts, n);
	rep_flame_parts_release(parts, n);
	free(parts);
	cmd_profiles_release(&list[CMD_OLD]);
	cmd_profiles_release(&list[CMD_NEW]);
	return status;
}

/* The text of --help; tprof-flame(1) documents all options. */
/* clang-format off */
static const char help[] =
    "Usage: tprof-flame [OPTION...] FILE...\n"
    "Draw a flame graph of profiles, execution traces, or what changed: one file\n"
    "with zoom, search and keyboard for any browser, or text for a terminal.\n"
    "\n"
    "  -o, --output=FILE       .svg, .html, .folded, .json (speedscope) or .txt\n"
    "      --format=FORMAT     svg, html, text, folded, speedscope\n"
    "      --base=FILE         Draw what changed since FILE: more is red\n"
    "      --base-label=, --label=KEY=VALUE   The same, with both sides in one store\n"
    "      --sample-index=TYPE What is wide: alloc_space, inuse_space, cpu …\n"
    "      --focus=REGEX       Only stacks with a frame that matches\n"
    "  -r, --reverse           From the leaf: what was running, below it who called\n"
    "      --view=VIEW         Of a trace: cpu, running, offcpu, sched, syscall …\n"
    "      --from=, --to=TIME  Only this part of a trace\n"
    "      --task=, --goroutine=ID|REGEX   Only inside tasks, goroutines\n"
    "\n"
    "Examples:\n"
    "  tprof-flame -o cpu.svg cpu.pb.gz\n"
    "  tprof-flame --base=before.pb.gz -o change.svg after.pb.gz\n"
    "  tprof-flame --view=offcpu --task=order -o waits.html go.trace\n";
/* clang-format on */

int main(int argc, char **argv)
{
	struct args args = {
	    .cmd = {.name = "tprof-flame",
		    .kinds = CMD_ANY_KIND,
		    .view = &args.view,
		    .profile = &args.profile,
		    .narrows = note_filter,
		    .help = help,
		    .names_code = true,
		    .pages = true},
	    .flame = REP_FLAME_OPTIONS_INIT,
	    .profile = REP_PROFILE_OPTIONS_INIT,
	    .view = {.always = true, .trace.view = REP_TRACE_WALL},
	};
	int status;

	cmd_keep_memory();
	cmd_profile_take(takes);
	cmd_parse(&args.cmd, &argp, argc, argv);
	status = cmd_finish(&args.cmd, run(&args));
	tp_buf_release(&args.filters);
	return status;
}
