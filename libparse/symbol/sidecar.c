#include "symbol/sidecar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/many.h"
#include "decode/profile.h"
#include "open/input.h"

#define SUFFIX ".symbols"

struct place {
	uint64_t address;
	uint32_t node; /* of its innermost frame */
};

struct tp_sidecar {
	struct tp_profile *profile;
	struct place *places; /* sorted */
	size_t n;
};

static bool is_file(const char *path)
{
	struct stat st;

	/* After any other error, opening the file will report it. */
	return stat(path, &st)
		   ? errno != ENOENT && errno != ENOTDIR && errno != EACCES && errno != ENAMETOOLONG
		   : S_ISREG(st.st_mode);
}

bool tp_sidecar_find(const char *dump, char *path, size_t room)
{
	static const char *const packed[] = {".gz", ".zst", ""};
	size_t size = strlen(dump);

	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		size_t n = strlen(packed[i]);

		if (size <= n || strcmp(dump + size - n, packed[i]) != 0 ||
		    size - n + sizeof(SUFFIX) > room)
			continue;
		snprintf(path, room, "%.*s" SUFFIX, (int)(size - n), dump);
		if (is_file(path))
			return true;
	}
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int list_places(struct tp_sidecar *s)
{
	const struct tp_dict *d = s->profile->dict;

	s->places = tp_many(s->profile->nsamples + 1, sizeof(*s->places));
	if (!s->places)
		return TP_ENOMEM;
	for (size_t i = 0; i < s->profile->nsamples; i++) {
		uint32_t node = s->profile->stack[i];
		struct tp_frame f = tp_dict_frame_at(d, tp_dict_stack_at(d, node).frame);

		if (node)
			s->places[s->n++] =
			    (struct place){tp_dict_location_at(d, f.location).address, node};
	}
	qsort(s->places, s->n, sizeof(*s->places), by_address);
	return 0;
}

/* Returns whether the profile consists of symbols. Any other profile would return its stacks as names. */
static bool is_sidecar(const struct tp_profile *p)
{
	return p->ntypes == 1 && !strcmp(tp_dict_text(p->dict, p->types[0].type).text, "symbols");
}

int tp_sidecar_open(struct tp_sidecar **out, const char *path, struct tp_err *err)
{
	/* The process that decodes dumps cannot create files, so everything is kept in memory. */
	static const struct tp_input_options input = {.max_size = TP_SIDECAR_MAX,
						      .memory = TP_SIDECAR_MAX};
	static const struct tp_profile_options how = {.strict = true};
	struct tp_sidecar *s = calloc(1, sizeof(*s));
	struct tp_input *in = NULL;
	struct stat st;
	int code = 0;

	*out = NULL;
	if (!s)
		return tp_nomem(err);
	/* A packed file may be of any size and unpack to little, so check its own size, too. */
	if (!stat(path, &st) && (uint64_t)st.st_size > TP_SIDECAR_MAX)
		code = tp_err_set(err, TP_ELIMIT, TP_OFFSET_NONE,
				  "the file is larger than the limit of %llu bytes",
				  (unsigned long long)TP_SIDECAR_MAX);
	if (!code)
		code = tp_input_open(&in, path, &input, NULL, err);
	if (!code)
		code = tp_profile_read(in->data, in->size, &how, &s->profile, err);
	if (!code && !is_sidecar(s->profile))
		code = tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
				  "this is a profile, but not of symbols");
	if (!code && list_places(s))
		code = tp_nomem(err);
	if (in)
		tp_input_close(in);
	if (code)
		tp_sidecar_close(s);
	else
		*out = s;
	return code;
}

void tp_sidecar_close(struct tp_sidecar *s)
{
	if (!s)
		return;
	tp_profile_free(s->profile);
	free(s->places);
	free(s);
}

size_t tp_sidecar_lookup(const struct tp_sidecar *s, uint64_t address, struct tp_symbol *chain,
			 size_t room, bool *known)
{
	const struct place key = {.address = address};
	const struct place *p = bsearch(&key, s->places, s->n, sizeof(key), by_address);
	const struct tp_dict *d = s->profile->dict;
	size_t n = 0;

	*known = p != NULL;
	for (uint32_t node = p ? p->node : 0; node && n < room;
	     node = tp_dict_stack_at(d, node).parent) {
		struct tp_frame f = tp_dict_frame_at(d, tp_dict_stack_at(d, node).frame);
		struct tp_function fn = tp_dict_function_at(d, f.function);

		if (!f.function || !fn.name)
			break;
		chain[n++] = (struct tp_symbol){
		    .name = tp_dict_text(d, fn.name).text,
		    .system_name = tp_dict_text(d, fn.system_name).text,
		    .file = tp_dict_text(d, fn.file).text,
		    .line = f.line,
		    .start_line = fn.start_line,
		};
		if (!f.inlined)
			break;
	}
	return n;
}
