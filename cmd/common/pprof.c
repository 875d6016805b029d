#include "common/pprof.h"

#include <stdio.h>
#include <string.h>

#include "common/near.h"

/* Options and commands of pprof (driver: commands.go, cli.go) that at least one of our commands lacks. For a
 * command, its own rows take precedence. %s in a sentence is the name of the command. */
static const struct {
	const char *command; /* the command that the row is for; NULL: all others */
	const char *pprof, *say;
} table[] = {
    /* reports of tprof-top */
    {NULL, "top", "tprof-top FILE is the table"},
    {NULL, "text", "tprof-top FILE is the table"},
    {"tprof-diff", "tree", "use tprof-top --tree --diff-base=OLD NEW"},
    {"tprof-diff", "peek", "use tprof-top --peek=REGEX --diff-base=OLD NEW"},
    {"tprof-diff", "list", "use tprof-top --list=REGEX --diff-base=OLD NEW"},
    {"tprof-diff", "disasm", "use tprof-top --disasm=REGEX --diff-base=OLD NEW"},
    {"tprof-diff", "traces", "use tprof-top --traces --diff-base=OLD NEW"},
    {"tprof-diff", "raw", "use tprof-top --raw --diff-base=OLD NEW"},
    {"tprof-diff", "tags", "use tprof-top --tags --diff-base=OLD NEW, or --by=label here"},
    {"tprof-diff", "comments", "use tprof-top --comments FILE"},
    {"tprof-diff", "dot", "use tprof-top --format=dot --diff-base=OLD NEW"},
    {"tprof-diff", "svg",
     "use tprof-flame --base=OLD -o change.svg NEW, or the graph: tprof-top "
     "--format=svg --diff-base=OLD NEW >graph.svg"},
    {"tprof-diff", "callgrind",
     "use tprof-top --format=callgrind --diff-base=OLD NEW >callgrind.out"},
    {"tprof-diff", "proto", "use tprof-export --format=pprof --diff-base=OLD -o change.pb.gz NEW"},
    {"tprof-diff", "http",
     "there is no server; tprof-flame --base=OLD -o change.html NEW is a "
     "page for the browser"},
    {NULL, "tree", "use tprof-top --tree FILE"},
    {NULL, "peek", "use tprof-top --peek=REGEX FILE"},
    {NULL, "list", "use tprof-top --list=REGEX FILE"},
    {NULL, "disasm", "use tprof-top --disasm=REGEX FILE"},
    {NULL, "traces", "use tprof-top --traces FILE"},
    {NULL, "raw", "use tprof-top --raw FILE"},
    {NULL, "tags", "use tprof-top --tags FILE"},
    {NULL, "comments", "use tprof-top --comments FILE"},
    {NULL, "dot", "use tprof-top --format=dot FILE"},
    {"tprof-flame", "svg", "--format=svg, or the graph: tprof-top --format=svg FILE >graph.svg"},
    {NULL, "svg", "use tprof-top --format=svg FILE >graph.svg"},
    {NULL, "callgrind", "use tprof-top --format=callgrind FILE >callgrind.out"},
    {NULL, "kcachegrind",
     "use tprof-top --format=callgrind FILE >callgrind.out, then kcachegrind callgrind.out"},

    /* files and viewers */
    {NULL, "proto", "use tprof-export --format=pprof -o merged.pb.gz FILE"},
    {NULL, "topproto",
     "tprof-top --format=json FILE has the table for programs, tprof-export "
     "--format=pprof the profile"},
    {NULL, "png", "use tprof-top --format=dot FILE | dot -Tpng >graph.png"},
    {NULL, "gif", "use tprof-top --format=dot FILE | dot -Tgif >graph.gif"},
    {NULL, "pdf", "use tprof-top --format=dot FILE | dot -Tpdf >graph.pdf"},
    {NULL, "ps", "use tprof-top --format=dot FILE | dot -Tps >graph.ps"},
    {NULL, "web", "tprof-top --format=svg FILE >graph.svg is the graph for the browser"},
    {NULL, "eog", "tprof-top --format=svg FILE >graph.svg is the graph"},
    {NULL, "evince", "use tprof-top --format=dot FILE | dot -Tpdf >graph.pdf"},
    {NULL, "gv", "use tprof-top --format=dot FILE | dot -Tps >graph.ps"},
    {NULL, "weblist", "tprof-top --list=REGEX FILE shows the source with its values"},
    {NULL, "output", "%s writes to standard output: put >FILE behind it"},
    {NULL, "o", "%s writes to standard output: put >FILE behind it"},
    {NULL, "http", "there is no server; tprof-flame -o page.html FILE is a page for the browser"},
    {NULL, "no_browser",
     "there is no server; tprof-flame -o page.html FILE is a page for the browser"},

    /* fetching and names */
    {NULL, "seconds",
     "nothing is fetched here; curl -o cpu.pb.gz "
     "'http://HOST/debug/pprof/profile?seconds=30', then %s cpu.pb.gz"},
    {NULL, "timeout",
     "nothing is fetched here; curl -o heap.pb.gz 'http://HOST/debug/pprof/heap', then "
     "%s heap.pb.gz"},
    {NULL, "symbolize",
     "code without names is named by --binary=PROGRAM or --symbol-path=DIRS, "
     "and by nothing else"},
    {NULL, "buildid",
     "--symbol-path=DIRS finds programs by the profile's own build id, "
     "--binary=PROGRAM names one"},
    {NULL, "tools", "objdump and dot are those of PATH"},
    {NULL, "add_comment",
     "comments stay as they are; tprof-import --label=KEY=VALUE marks a run of a store"},

    /* differences */
    {NULL, "base", "use tprof-top --base=OLD NEW, tprof-diff or tprof-flame"},
    {NULL, "diff_base", "use tprof-top --diff-base=OLD NEW, tprof-diff or tprof-flame"},
    {NULL, "normalize", "use tprof-diff --normalize OLD NEW"},

    /* how much is shown and how */
    {"tprof-diff", "trim", "tprof-diff shows all rows with --rows=0"},
    {"tprof-flame", "trim", "--min-width=0 folds nothing"},
    {"tprof-flame", "nodecount", "--min-width and --max-depth say how much is drawn"},
    {"tprof-flame", "nodefraction", "--min-width=PERCENT folds narrower frames"},
    {"tprof-export", "trim", "the export leaves nothing out"},
};

/* Other options of pprof. Each command has those that suit it; tprof-top has all. */
static const char *const settings[] = {
    "call_tree",    "compact_labels", "cum",	      "divide_by",     "drop_negative",
    "edgefraction", "flat",	      "functions",    "files",	       "filefunctions",
    "granularity",  "intel_syntax",   "lines",	      "addresses",     "mean",
    "mean_delay",   "nodecount",      "nodefraction", "noinlines",     "relative_percentages",
    "sample_index", "showcolumns",    "source_path",  "tagfocus",      "taghide",
    "tagignore",    "tagshow",	      "trim",	      "trim_path",     "unit",
    "inuse_space",  "inuse_objects",  "alloc_space",  "alloc_objects", "total_delay",
    "contentions",  "sort",
};

/* Returns whether the names are equal apart from dashes and underscores. */
static bool same(const char *typed, size_t size, const char *name)
{
	size_t i = 0;

	for (;; i++, name++) {
		while (i < size && (typed[i] == '-' || typed[i] == '_'))
			i++;
		while (*name == '_')
			name++;
		if (i == size || !*name)
			return i == size && !*name;
		if (typed[i] != *name)
			return false;
	}
}

static const char *sentence_of(const char *command, const char *option, size_t size)
{
	for (int own = 1; own >= 0; own--)
		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
			if (same(option, size, table[i].pprof) &&
			    (own ? table[i].command && !strcmp(table[i].command, command)
				 : !table[i].command))
				return table[i].say;
	return NULL;
}

const char *cmd_pprof_advice(const char *command, const char *option, char text[CMD_PPROF_SIZE])
{
	size_t size = strcspn(option, "=");
	const char *say = sentence_of(command, option, size), *at;

	text[0] = '\0';
	/* This is the default: names are looked for only on request. */
	if (same(option, size, "symbolize") && !strcmp(option + size, "=none"))
		return text;
	for (size_t i = 0; !say && i < sizeof(settings) / sizeof(settings[0]); i++)
		if (same(option, size, settings[i]))
			say = "%s has no such option; tprof-top has";
	if (!say)
		return NULL;
	at = strstr(say, "%s");
	if (at)
		snprintf(text, CMD_PPROF_SIZE, "%.*s%s%s", (int)(at - say), say, command, at + 2);
	else
		snprintf(text, CMD_PPROF_SIZE, "%s", say);
	return text;
}

const char *cmd_pprof_near(const char *option)
{
	struct cmd_near near = {0};
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(option, "="), option);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		cmd_near_try(&near, name, settings[i]);
	return near.word;
}

bool cmd_pprof_url(const char *path)
{
	return !strncmp(path, "http://", 7) || !strncmp(path, "https://", 8) ||
	       (strstr(path, "/debug/") && strchr(path, ':'));
}
