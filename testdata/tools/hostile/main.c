/* hostile: writes files that cost as much as files of their size can, for make limits. Not
 * installed.
 *
 *   hostile [-s BYTES] [-m REGEX] FOLDER
 *
 * One file for each kind of excess (the tables of cases.h), of about BYTES bytes. The same
 * arguments give the same bytes. A file's name begins with its kind: v2, v1 (traces), pb
 * (profile.proto), sched (the kernel's scheduler), text, cpu, dump (profiles as text, gperftools', stacks of goroutines), gz, zst
 * (packed), elf (programs; for names, with elf-addresses), symbols (names beside v1-old), store. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "base/regex.h"
#include "tool.h"
#include "hostile/cases.h"

struct args {
	long size;
	bool list;
	const char *folder, *match;
};

static const struct argp_option options[] = {
    {"size", 's', "BYTES", 0, "About how large files are (1000000)", 0},
    {"match", 'm', "REGEX", 0, "Only those whose name matches", 0},
    {"list", 'l', NULL, 0, "Write nothing; say what there is", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;

	switch (key) {
	case 's':
		args->size = tool_number(state, key, arg, 1000, 1L << 30);
		return 0;
	case 'm':
		args->match = arg;
		return 0;
	case 'l':
		args->list = true;
		return 0;
	case ARGP_KEY_ARG:
		if (args->folder)
			argp_usage(state);
		args->folder = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->folder && !args->list)
			argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct hostile_case *const tables[] = {hostile_v2,	     hostile_v1,    hostile_proto,
						    hostile_otlp,    hostile_text,  hostile_packed,
						    hostile_symbols, hostile_dwarf, hostile_sched};
#define NTABLES (sizeof(tables) / sizeof(tables[0]))

void hostile_make(struct pen *p, const char *name, size_t size)
{
	p->size = size;
	for (size_t t = 0; t < NTABLES; t++)
		for (const struct hostile_case *c = tables[t]; c->name; c++)
			if (!strcmp(c->name, name)) {
				c->make(p);
				return;
			}
	p->failed = true;
}

static int write_file(const char *path, const struct hostile_case *c, size_t size)
{
	struct pen p = {.size = size};
	int status = 4;

	c->make(&p);
	if (p.failed)
		fprintf(stderr, "hostile: %s: out of memory\n", c->name);
	else
		status = tool_write(path, &p.out);
	tp_buf_release(&p.out);
	return status;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {options, on_option, "FOLDER", NULL, NULL, NULL, NULL};
	struct args args = {.size = 1000000, .match = ""};
	char path[4096];
	int status = 0;
	struct tp_regex match;
	struct tp_err err;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (tp_regex_init(&match, args.match, "-m", &err)) {
		fprintf(stderr, "hostile: %s\n", err.msg);
		return 2;
	}
	for (size_t t = 0; t < NTABLES && !status; t++)
		for (const struct hostile_case *c = tables[t]; c->name && !status; c++) {
			if (!tp_regex_match(&match, c->name, strlen(c->name)))
				continue;
			snprintf(path, sizeof(path), "%s/%s", args.folder, c->name);
			if (args.list)
				printf("%-26s %s\n", c->name, c->what);
			else
				status = write_file(path, c, (size_t)args.size);
		}
	for (size_t i = 0; i < hostile_stores() && !status; i++) {
		const char *name, *what;

		hostile_store_at(i, &name, &what);
		if (!tp_regex_match(&match, name, strlen(name)))
			continue;
		snprintf(path, sizeof(path), "%s/%s", args.folder, name);
		if (args.list)
			printf("%-26s %s\n", name, what);
		else
			status = hostile_store_make(i, path, (size_t)args.size);
	}
	tp_regex_release(&match);
	return status;
}
