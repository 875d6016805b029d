/* tprof: runs tprof-NAME, lists the commands there are, opens their manual pages, and has a guide to them. */
#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/common.h"
#include "common/near.h"
#include "tprof/guide.h"

static const struct cmd cmd = CMD_INIT("tprof");

/* Our commands in the order in which one meets them; what else is called tprof-NAME follows. */
static const struct {
	const char *name, *doc;
} ours[] = {
    {"import", "decode execution traces and profiles into a store"},
    {"top", "where time and memory went, ranked"},
    {"flame", "flame graphs of profiles and traces"},
    {"path", "why a request was slow: its critical path, and who wakes whom"},
    {"diff", "what changed between runs, and gates for CI"},
    {"leaks", "goroutines that wait and do not end"},
    {"report", "one HTML page of a run, to attach to a ticket"},
    {"web", "all of it in a browser, with the timeline"},
    {"mcp", "let an agent ask about the files of a folder"},
    {"tui", "browse a store in a terminal"},
    {"query", "ask a store in SQL"},
    {"export", "write runs for other programs: events, profile.proto"},
    {"record", "run a C, C++ or Rust program, leave traces and profiles of it"},
    {"store", "what a store holds, and keeping it in order"},
    {"merge", "one store of several"},
};

#define NOURS (sizeof(ours) / sizeof(ours[0]))

/* The folders commands may be in: that of this program first, then $PATH. */
struct folders {
	char own[PATH_MAX];
	char *path; /* a copy of $PATH, cut at its colons */
	const char *at[256];
	size_t n;
};

static void find_folders(struct folders *f)
{
	const char *path = getenv("PATH");
	ssize_t n = readlink("/proc/self/exe", f->own, sizeof(f->own) - 1);
	char *rest, *dir;

	memset(f->at, 0, sizeof(f->at));
	f->n = 0;
	if (n > 0) {
		f->own[n] = '\0';
		*strrchr(f->own, '/') = '\0';
		f->at[f->n++] = f->own;
	}
	f->path = strdup(path ? path : "");
	for (rest = f->path; rest && (dir = strsep(&rest, ":")) && f->n < 256;)
		if (*dir == '/')
			f->at[f->n++] = dir;
}

/* Is there a program tprof-NAME? Its path, or false. */
static bool find(const struct folders *f, const char *name, char path[PATH_MAX])
{
	if (!*name || strchr(name, '/'))
		return false;
	for (size_t i = 0; i < f->n; i++) {
		struct stat st;
		int n = snprintf(path, PATH_MAX, "%s/tprof-%s", f->at[i], name);

		if (n > 0 && n < PATH_MAX && !stat(path, &st) && S_ISREG(st.st_mode) &&
		    !access(path, X_OK))
			return true;
	}
	return false;
}

struct names {
	char **name;
	size_t n;
};

static bool known(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], name))
			return true;
	return false;
}

static void add(struct names *names, const char *name)
{
	char **grown, *copy;

	if (known(names, name))
		return;
	grown = realloc(names->name, (names->n + 1) * sizeof(*grown));
	if (grown)
		names->name = grown;
	copy = strdup(name);
	if (grown && copy)
		grown[names->n++] = copy;
	else
		free(copy);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every NAME for which there is a tprof-NAME: ours first, then the others by name. */
static struct names list(const struct folders *f)
{
	struct names names = {0};
	char path[PATH_MAX];
	size_t first;

	for (size_t i = 0; i < NOURS; i++)
		if (find(f, ours[i].name, path))
			add(&names, ours[i].name);
	first = names.n;
	for (size_t i = 0; i < f->n; i++) {
		DIR *d = opendir(f->at[i]);
		struct dirent *e;

		while (d && (e = readdir(d)))
			if (!strncmp(e->d_name, "tprof-", 6) && !strchr(e->d_name, '.') &&
			    find(f, e->d_name + 6, path))
				add(&names, e->d_name + 6);
		if (d)
			closedir(d);
	}
	if (names.n > first)
		qsort(names.name + first, names.n - first, sizeof(char *), by_name);
	return names;
}

static void print_commands(const struct folders *f, FILE *out)
{
	struct names names = list(f);

	for (size_t i = 0; i < names.n; i++) {
		const char *doc = "";

		for (size_t k = 0; k < NOURS; k++)
			if (!strcmp(ours[k].name, names.name[i]))
				doc = ours[k].doc;
		fprintf(out, "  %-10s %s\n", names.name[i], doc);
		free(names.name[i]);
	}
	free(names.name);
}

static int unknown(const struct folders *f, const char *name)
{
	struct names names = list(f);
	struct cmd_near near = {0};
	struct stat st;

	for (size_t i = 0; i < names.n; i++)
		cmd_near_task(&near, name, names.name[i]);
	if (near.word)
		cmd_error(&cmd, "there is no command '%s'; did you mean '%s'?", name, near.word);
	else if (!stat(name, &st) && S_ISREG(st.st_mode))
		cmd_error(&cmd, "'%s' is a file, not a command; try 'tprof top %s'", name, name);
	else
		cmd_error(&cmd, "there is no command '%s'; 'tprof' lists those there are", name);
	for (size_t i = 0; i < names.n; i++)
		free(names.name[i]);
	free(names.name);
	return CMD_USAGE;
}

static int run_command(const struct folders *f, char **argv)
{
	char path[PATH_MAX];

	if (!find(f, argv[0], path))
		return unknown(f, argv[0]);
	argv[0] = strrchr(path, '/') + 1;
	execv(path, argv);
	return cmd_reject(&cmd, CMD_SYSTEM, "cannot run %s: %s", path, strerror(errno));
}

/* Shows a manual page; false when there is no such page, or no man. */
static bool show_page(const char *page)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		/* A missing page is no error here: --help takes its place. */
		if (!freopen("/dev/null", "w", stderr))
			_exit(127);
		if (strchr(page, '/'))
			execlp("man", "man", "-l", page, (char *)NULL);
		else
			execlp("man", "man", page, (char *)NULL);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Where the page is when this program was installed somewhere (PREFIX/bin beside
 * PREFIX/share/man), or built in its source tree. */
static bool beside(const struct folders *f, const char *page, char path[PATH_MAX])
{
	static const struct {
		const char *folder, *ending;
	} places[] = {
	    {"../share/man/man1", "1"}, {"../share/man/man5", "5"}, {"../share/man/man7", "7"},
	    {"../../../man", "1"},	{"../../../man", "5"},	    {"../../../man", "7"},
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int n = snprintf(path, PATH_MAX, "%s/%s/%s.%s", f->own, places[i].folder, page,
				 places[i].ending);

		if (n > 0 && n < PATH_MAX && !access(path, R_OK))
			return true;
	}
	return false;
}

static int help(const struct folders *f, const char *name)
{
	char page[NAME_MAX], path[PATH_MAX];
	char option[] = "--help", *argv[] = {(char *)name, option, NULL};

	snprintf(page, sizeof(page), "%s%s", strcmp(name, "tprof") ? "tprof-" : "", name);
	if (beside(f, page, path) && show_page(path))
		return CMD_OK;
	if (show_page(page))
		return CMD_OK;
	return run_command(f, argv);
}

static void usage(const struct folders *f, FILE *out)
{
	fputs("Usage: tprof COMMAND [ARGUMENT...]\n"
	      "       tprof help COMMAND | guide [WORD]\n\n"
	      "Offline analysis of Go execution traces and profiles. The commands\n"
	      "(tprof-COMMAND, too):\n\n",
	      out);
	print_commands(f, out);
	fputs("\nStart with: tprof top FILE, or with your question: tprof guide.\n"
	      "Options: --help, --version. Manual: tprof(1).\n",
	      out);
}

int main(int argc, char **argv)
{
	struct cmd out = CMD_INIT("tprof");
	struct folders folders;
	const char *word = argc > 1 ? argv[1] : "--help";
	int status = CMD_OK;

	find_folders(&folders);
	if (!strcmp(word, "--help") || !strcmp(word, "--help=all") || !strcmp(word, "-?") ||
	    !strcmp(word, "-h") || (!strcmp(word, "help") && argc < 3)) {
		usage(&folders, stdout);
	} else if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		printf("tprof %s\n", TPROF_VERSION);
	} else if (!strcmp(word, "help")) {
		status = help(&folders, argv[2]);
	} else if (!strcmp(word, "guide") && argc < 3) {
		guide_list(stdout);
	} else if (!strcmp(word, "guide")) {
		if (!guide_show(argv[2], stdout))
			status = cmd_reject(
			    &cmd, CMD_USAGE,
			    "there is no guide '%s'; 'tprof guide' lists those there are", argv[2]);
	} else if (*word == '-') {
		status = cmd_reject(&cmd, CMD_USAGE,
				    "there is no option '%s'; options of a command follow its name",
				    word);
	} else {
		status = run_command(&folders, argv + 1);
	}
	free(folders.path);
	return cmd_finish(&out, status);
}
