/* makeprofile: writes a CPU or heap profile with many distinct stacks, for make bench. Not
 * installed.
 *
 *   makeprofile [-n STACKS] [-f FUNCTIONS] [-s SEED] [-c CHANGE] [-H] FILE
 *
 * Stacks are paths through a call graph that is the same for every seed. Each begins like one that
 * was there before and leaves it somewhere, which makes about five new frames per stack in the tree
 * of all of them, as in profiles of large programs. SEED decides which stacks there are and what
 * they cost, CHANGE by how many percent every tenth function is dearer. The same arguments give the
 * same bytes. */
#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/random.h"
#include "tool.h"
#include "decode/profile.h"
#include "decode/profile/encode.h"

struct args {
	long stacks, functions, seed, change;
	bool heap;
	const char *path;
};

static const struct argp_option options[] = {
    {"stacks", 'n', "N", 0, "Distinct stacks (100000)", 0},
    {"functions", 'f', "N", 0, "Functions (4000)", 0},
    {"seed", 's', "N", 0, "Other stacks and values for every N (1)", 0},
    {"change", 'c', "PERCENT", 0, "What every tenth function costs more (0)", 0},
    {"heap", 'H', NULL, 0, "A heap profile", 0},
    {0},
};

static error_t on_option(int key, char *arg, struct argp_state *state)
{
	struct args *args = state->input;
	long *number = key == 'n'   ? &args->stacks
		       : key == 'f' ? &args->functions
		       : key == 's' ? &args->seed
		       : key == 'c' ? &args->change
				    : NULL;

	if (number) {
		*number = tool_number(state, key, arg, key == 'c' ? -100 : 1, 10000000);
		return 0;
	}
	switch (key) {
	case 'H':
		args->heap = true;
		return 0;
	case ARGP_KEY_ARG:
		args->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->path)
			argp_error(state, "into which file?");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Which function `caller` calls as its nth; few call many. */
static uint32_t callee(uint32_t caller, uint64_t n, uint32_t functions)
{
	uint64_t seed = (uint64_t)caller << 20 | n % (1 + caller % 8);

	return (uint32_t)(tp_random(&seed) % functions);
}

static int string(struct tp_profile *p, const char *text, uint32_t *id)
{
	return tp_dict_string(p->dict, text, strlen(text), id);
}

static int types(struct tp_profile *p, bool heap)
{
	static const char *const cpu[] = {"samples", "count", "cpu", "nanoseconds"};
	static const char *const heaps[] = {"alloc_objects", "count", "alloc_space", "bytes",
					    "inuse_objects", "count", "inuse_space", "bytes"};
	const char *const *names = heap ? heaps : cpu;
	uint32_t type = 0, unit = 0;
	int code = 0;

	for (size_t i = 0; i < (heap ? 8 : 4) && !code; i += 2) {
		code = string(p, names[i], &type) | string(p, names[i + 1], &unit);
		if (!code)
			code = tp_profile_add_type(p, type, unit);
	}
	p->period_type = (struct tp_value_type){type, unit};
	p->period = heap ? 524288 : 10000000;
	p->duration_ns = heap ? 0 : 30000000000;
	return code;
}

static int head(struct tp_profile *p, bool heap, uint32_t *mapping)
{
	struct tp_mapping m = {.start = 0x400000,
			       .limit = 0x4000000,
			       .flags = TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES |
					TP_MAPPING_LINES | TP_MAPPING_INLINES};
	int code = string(p, "/srv/shop", &m.file);

	if (!code)
		code = types(p, heap);
	return code ? code : tp_profile_add_mapping(p, &m, mapping);
}

/* One location per call site: a function is called from several lines. */
static int push(struct tp_profile *p, uint32_t mapping, uint32_t function, uint32_t site,
		uint32_t *node)
{
	struct tp_location l = {.address = 0x400000 + function * 512 + site * 16,
				.mapping = mapping};
	struct tp_frame line = {.line = (function % 90) * 10 + site + 1};
	struct tp_function f = {.start_line = (function % 90) * 10};
	char name[80], file[80];
	int code;

	snprintf(name, sizeof(name), "example.com/shop/pkg%u.(*Type%u).method%u", function % 97,
		 function % 13, function);
	snprintf(file, sizeof(file), "example.com/shop/pkg%u/file%u.go", function % 97,
		 function % 7);
	code = string(p, name, &f.name) | string(p, file, &f.file);
	f.system_name = f.name;
	if (!code)
		code = tp_dict_function(p->dict, &f, &line.function);
	return code ? code : tp_profile_push_location(p, node, &l, &line, 1);
}

#define DEPTH 60

struct path {
	uint32_t depth;
	uint32_t function[DEPTH];
};

static void walk(struct path *path, const struct path *before, uint64_t *seed, uint32_t functions)
{
	uint32_t half = (before->depth + 1) / 2, more = 1 + (uint32_t)(tp_random(seed) % 9);

	*path = *before;
	path->depth = half + (uint32_t)(tp_random(seed) % (before->depth - half + 1));
	for (; more && path->depth < DEPTH; more--) {
		path->function[path->depth] =
		    callee(path->function[path->depth - 1], tp_random(seed), functions);
		path->depth++;
	}
}

static int fill(struct tp_profile *p, const struct args *args)
{
	struct path *paths = calloc((size_t)args->stacks + 1, sizeof(*paths));
	uint64_t seed = (uint64_t)args->seed * 1000003;
	uint32_t mapping, functions = (uint32_t)args->functions;
	int code = paths ? head(p, args->heap, &mapping) : TP_ENOMEM;

	if (paths)
		paths[0].depth = 1;
	for (long i = 1; !code && i <= args->stacks; i++) {
		struct path *path = &paths[i];
		uint32_t node, leaf, before;
		int64_t value = 1 + (int64_t)(tp_random(&seed) % 4 * (tp_random(&seed) % 4));

		/* Where all of it was there already, go another way. */
		before = tp_dict_stacks(p->dict);
		do {
			walk(path, &paths[tp_random(&seed) % (uint64_t)i], &seed, functions);
			leaf = path->function[path->depth - 1];
			node = 0;
			for (uint32_t d = 0; !code && d < path->depth; d++)
				code =
				    push(p, mapping, path->function[d],
					 d + 1 < path->depth ? path->function[d + 1] % 8 : leaf % 4,
					 &node);
		} while (!code && tp_dict_stacks(p->dict) == before);
		if (leaf % 10 == 0)
			value += value * args->change / 100;
		if (!code)
			code = tp_profile_add_sample(
			    p, node, 0,
			    args->heap ? (int64_t[]){4 * value, 2048 * value, value, 512 * value}
				       : (int64_t[]){value, 10000000 * value, 0, 0});
	}
	free(paths);
	return code;
}

static int write_gz(const char *path, const struct tp_buf *b)
{
	gzFile f = gzopen(path, "wb6");
	int failed = !f || gzwrite(f, b->data, (unsigned)b->size) != (int)b->size;

	if (f && gzclose(f) != Z_OK)
		failed = 1;
	return failed;
}

int main(int argc, char **argv)
{
	static const struct argp argp = {.options = options,
					 .parser = on_option,
					 .args_doc = "FILE",
					 .doc = "Write a profile with many distinct stacks."};
	struct args args = {.stacks = 100000, .functions = 4000, .seed = 1};
	struct tp_profile *p = tp_profile_new();
	struct tp_buf b = {0};
	struct tp_err err;
	int failed;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	failed =
	    !p || fill(p, &args) || tp_profile_encode(p, NULL, &b, &err) || write_gz(args.path, &b);
	if (failed)
		fprintf(stderr, "makeprofile: cannot write %s\n", args.path);
	tp_profile_free(p);
	tp_buf_release(&b);
	return failed ? 4 : 0;
}
