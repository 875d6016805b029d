/* makefleet: writes the profiles of a fleet that is not there, with regressions planted, to test
 * that tprof-diff finds these and nothing else (testdata/fleet/gate.sh). Not installed.
 *
 *   makefleet [OPTION…] FOLDER
 *
 *	FOLDER/dumps/HOST/SERVICE-VERSION-NUMBER.KIND.pb.gz
 *	FOLDER/list	  as tprof-import takes it (@LIST): file, then labels, separated by tabs
 *	FOLDER/truth	  what was planted: service, kind, old version, new version, function,
 *percent
 *
 * The same arguments give the same files. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "tool.h"
#include "decode/profile/encode.h"
#include "fleet.h"

struct args {
	struct fleet_options fleet;
	const char *folder;
};

static const struct argp_option options[] = {
    {"seed", 's', "N", 0, "Another fleet for every N (1)", 0},
    {"hosts", 'H', "N", 0, "Hosts (12)", 0},
    {"versions", 'v', "N", 0, "Versions of each service, one after the other (2)", 0},
    {"dumps", 'd', "N", 0, "Dumps of each kind by host, service and version (6)", 0},
    {"services", 'S', "N", 0, "Services; the last of several never changes (2)", 0},
    {"stacks", 'n', "N", 0, "Distinct stacks of a service (400)", 0},
    {"planted", 'p', "N", 0, "Changes from each version to the next, by service and kind (4)", 0},
    {"limit", 'l', "PERCENT", 0,
     "Of four changes one is 2 to 5 times as much, one 1.5 to 1.7 times, one about half of it, "
     "and one the other way (10)",
     0},
    {"busy", 'b', "N", 0, "So many times the samples: larger dumps (1)", 0},
    {"noise", 'N', "PERCENT", 0, "What hosts differ by, function by function (3)", 0},
    {"canary", 'c', NULL, 0,
     "The last version runs on every fourth host only, which gives four times as many dumps", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	struct fleet_options *o = &args->fleet;
	const struct {
		int key;
		long *number, least, most;
	} numbers[] = {
	    {'s', &o->seed, 0, 1000000000},
	    {'H', &o->hosts, 1, 10000},
	    {'v', &o->versions, 1, FLEET_VERSIONS},
	    {'d', &o->dumps, 1, 10000},
	    {'S', &o->services, 1, FLEET_SERVICES},
	    {'n', &o->stacks, 10, FLEET_STACKS},
	    {'p', &o->planted, 0, 100},
	    {'l', &o->limit, 1, 100},
	    {'N', &o->noise, 0, 100},
	    {'b', &o->busy, 1, 1000},
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].key == key) {
			*numbers[i].number =
			    tool_number(state, key, arg, numbers[i].least, numbers[i].most);
			return 0;
		}
	switch (key) {
	case 'c':
		o->canary = true;
		return 0;
	case ARGP_KEY_ARG:
		args->folder = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->folder)
			argp_error(state, "into which folder?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int make_folder(const char *path)
{
	if (!mkdir(path, 0777) || errno == EEXIST)
		return 0;
	perror(path);
	return 4;
}

static FILE *create(const char *folder, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	if (!f)
		perror(path);
	return f;
}

static int finish(FILE *f, const char *name)
{
	bool failed = f && ferror(f);

	if (f && fclose(f))
		failed = true;
	if (failed)
		perror(name);
	return !f || failed ? 4 : 0;
}

static int write_gz(const char *path, const struct tp_buf *b)
{
	gzFile f = gzopen(path, "wb6");
	int failed = !f || gzwrite(f, b->data, (unsigned)b->size) != (int)b->size;

	if (f && gzclose(f) != Z_OK)
		failed = 1;
	if (failed)
		perror(path);
	return failed ? 4 : 0;
}

static int write_dump(const struct fleet *f, const struct fleet_dump *d, const char *folder,
		      FILE *list)
{
	const char *service = f->service[d->service].name;
	struct tp_buf b = {0};
	struct tp_profile *p;
	struct tp_err err;
	char path[4096];
	int status;

	snprintf(path, sizeof(path), "%s/dumps/host-%03ld/%s-v%ld-%03ld.%s.pb.gz", folder, d->host,
		 service, d->version + 1, d->number, fleet_kinds[d->kind]);
	fprintf(list, "%s\thost=host-%03ld\tservice=%s\tversion=v%ld\n", path, d->host, service,
		d->version + 1);
	status = fleet_profile(f, d, &p) || tp_profile_encode(p, NULL, &b, &err)
		     ? 4
		     : write_gz(path, &b);
	tp_profile_free(p);
	tp_buf_release(&b);
	return status;
}

static int write_dumps(const struct fleet *f, const char *folder, FILE *list)
{
	struct fleet_dump d;
	char path[4096];
	int status = 0;

	for (d.host = 0; d.host < f->opt.hosts && !status; d.host++) {
		snprintf(path, sizeof(path), "%s/dumps/host-%03ld", folder, d.host);
		status = make_folder(path);
		for (d.service = 0; d.service < f->opt.services; d.service++)
			for (d.version = 0; d.version < f->opt.versions; d.version++)
				for (d.number = 0; fleet_runs(f, d.host, d.version) &&
						   d.number < fleet_dumps(f, d.version);
				     d.number++)
					for (d.kind = 0; d.kind < FLEET_KINDS && !status; d.kind++)
						status = write_dump(f, &d, folder, list);
	}
	return status;
}

static void write_truth(const struct fleet *f, FILE *truth)
{
	for (size_t i = 0; i < f->nchanges; i++) {
		const struct fleet_change *c = &f->change[i];
		const struct fleet_service *s = f->service;
		char name[FLEET_NAME];

		while (s->name != c->service)
			s++;
		fleet_function(s, c->function, c->version, name);
		fprintf(truth, "%s\t%s\tv%ld\tv%ld\t%s\t%+.1f\n", c->service, fleet_kinds[c->kind],
			c->version, c->version + 1, name, c->percent);
	}
}

static int write_fleet(const struct fleet *f, const char *folder)
{
	char path[4096];
	FILE *list, *truth;
	int status = make_folder(folder);

	snprintf(path, sizeof(path), "%s/dumps", folder);
	if (!status)
		status = make_folder(path);
	if (status)
		return status;
	list = create(folder, "list");
	truth = create(folder, "truth");
	if (list && truth) {
		status = write_dumps(f, folder, list);
		write_truth(f, truth);
	}
	return finish(list, "list") | finish(truth, "truth") | status;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {.options = options,
					 .parser = on_option,
					 .args_doc = "FOLDER",
					 .doc = "Write the profiles of a fleet with regressions."};
	struct args args = {.fleet = {.seed = 1,
				      .hosts = 12,
				      .versions = 2,
				      .dumps = 6,
				      .services = 2,
				      .stacks = 400,
				      .planted = 4,
				      .limit = 10,
				      .busy = 1,
				      .noise = 3}};
	struct fleet *f = calloc(1, sizeof(*f));
	int status = 4;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	if (!f || fleet_make(f, &args.fleet))
		fprintf(stderr, "makefleet: out of memory\n");
	else
		status = write_fleet(f, args.folder);
	if (f)
		fleet_release(f);
	free(f);
	return status;
}
