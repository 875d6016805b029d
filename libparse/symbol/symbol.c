#include "symbol/symbol.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "symbol/image.h"
#include "symbol/path.h"

#define MOST_MAPPINGS 1024 /* mappings with files; no program has as many */

/* A mapping that was looked up, and the file that names its code. */
struct choice {
	char *file, *build_id;
	bool first;
	struct tp_image *image; /* NULL: none */
	bool other_build;	/* the mapping has another build id */
};

struct tp_symbolizer {
	struct tp_image **binary;
	size_t nbinaries;
	struct tp_symbol_path *path; /* NULL: none */
	struct choice *choice;
	size_t nchoices;
};

int tp_symbolizer_new(struct tp_symbolizer **out, const struct tp_symbol_options *opt,
		      struct tp_err *err)
{
	struct tp_symbolizer *s = calloc(1, sizeof(*s));
	int code = 0;

	*out = NULL;
	if (s)
		s->binary = calloc(opt->nbinaries + 1, sizeof(struct tp_image *));
	if (!s || !s->binary) {
		tp_symbolizer_free(s);
		return tp_nomem(err);
	}
	for (size_t i = 0; !code && i < opt->nbinaries; i++) {
		code = tp_image_open(&s->binary[i], opt->binaries[i], err);
		s->nbinaries += !code;
	}
	if (!code && opt->path)
		code = tp_symbol_path_new(&s->path, opt->path, err);
	if (code)
		tp_symbolizer_free(s);
	else
		*out = s;
	return code;
}

void tp_symbolizer_free(struct tp_symbolizer *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nchoices; i++) {
		free(s->choice[i].file);
		free(s->choice[i].build_id);
	}
	for (size_t i = 0; i < s->nbinaries; i++)
		tp_image_close(s->binary[i]);
	free(s->binary);
	free(s->choice);
	tp_symbol_path_free(s->path);
	free(s);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns whether the code of a mapping can be in a file. The kernel's own code ("[vdso]",
 * "[vsyscall]", "[kernel.kallsyms]") is not. */
static bool in_file(const char *name)
{
	return *name != '[' && strncmp(name, "//anon", 6) != 0;
}

static void choose(struct tp_symbolizer *s, struct choice *c)
{
	const char *id = c->build_id, *name = base_name(c->file);

	for (size_t i = 0; !c->image && i < s->nbinaries; i++)
		c->image = tp_image_is(s->binary[i], id) ? s->binary[i] : NULL;
	if (*id && s->path && (!c->image || !tp_image_has_lines(c->image))) {
		struct tp_image *found = tp_symbol_path_by_id(s->path, id);

		c->image = found ? found : c->image;
	}
	for (size_t i = 0; !c->image && *name && i < s->nbinaries; i++)
		if (!strcmp(name, base_name(tp_image_path(s->binary[i]))))
			c->image = s->binary[i];
	if (!c->image && c->first && s->nbinaries)
		c->image = s->binary[0];
	if (!c->image && !*id && s->path)
		c->image = tp_symbol_path_by_name(s->path, name);
	c->other_build = c->image && *id && !tp_image_is(c->image, id) &&
			 (*tp_image_gnu_id(c->image) || *tp_image_go_id(c->image));
	/* Its names may be in a separate file. */
	if (c->image && s->path && !tp_image_has_lines(c->image) && *tp_image_gnu_id(c->image)) {
		struct tp_image *found = tp_symbol_path_by_id(s->path, tp_image_gnu_id(c->image));

		c->image = found ? found : c->image;
	}
}

/* Returns the choice for a mapping, or NULL when memory is out or mappings are too many. Searches
 * from the last one, because mappings are few and addresses of one follow each other. */
static struct choice *choice_for(struct tp_symbolizer *s, const struct tp_symbol_place *p)
{
	struct choice *c;

	for (size_t i = s->nchoices; i-- > 0;) {
		c = &s->choice[i];
		if (c->first == p->first && !strcmp(c->file, p->file) &&
		    !strcmp(c->build_id, p->build_id))
			return c;
	}
	if (s->nchoices == MOST_MAPPINGS)
		return NULL;
	c = tp_more(s->choice, s->nchoices + 1, sizeof(*c));
	if (!c)
		return NULL;
	s->choice = c;
	c += s->nchoices;
	*c = (struct choice){
	    .file = strdup(p->file), .build_id = strdup(p->build_id), .first = p->first};
	if (!c->file || !c->build_id) {
		free(c->file);
		free(c->build_id);
		return NULL;
	}
	s->nchoices++;
	if (in_file(c->file))
		choose(s, c);
	return c;
}

bool tp_symbolizer_file(struct tp_symbolizer *s, const struct tp_symbol_place *place,
			const char **path, const char **id)
{
	const struct choice *c = choice_for(s, place);

	*path = NULL;
	*id = "";
	if (!c || !c->image)
		return false;
	*path = tp_image_path(c->image);
	*id = *tp_image_gnu_id(c->image) ? tp_image_gnu_id(c->image) : tp_image_go_id(c->image);
	return c->other_build;
}

/* Returns the first file whose tables need too much work, or NULL. */
static const struct tp_image *spent(const struct tp_symbolizer *s)
{
	for (size_t i = 0; i < s->nchoices; i++)
		if (s->choice[i].image && tp_image_spent(s->choice[i].image))
			return s->choice[i].image;
	return NULL;
}

void tp_symbol_remark(char text[TP_SYMBOL_REMARK], const struct tp_symbolizer *s, size_t named,
		      size_t unnamed)
{
	const struct tp_image *image = spent(s);

	text[0] = '\0';
	if (image)
		snprintf(text, TP_SYMBOL_REMARK,
			 "%.80s: its debugging information takes far more work than that of a real "
			 "program, so names and lines are missing (%zu of %zu addresses have no "
			 "name); build it again",
			 base_name(tp_image_path(image)), unnamed, named + unnamed);
	else if (unnamed)
		snprintf(text, TP_SYMBOL_REMARK,
			 "%zu of %zu code addresses have no name in the files given%s", unnamed,
			 named + unnamed, unnamed > named ? ": is it the same build?" : "");
}

size_t tp_symbolizer_lookup(struct tp_symbolizer *s, const struct tp_symbol_place *place,
			    uint64_t address, struct tp_symbol *chain, size_t room)
{
	const struct tp_image_mapping mapping = {
	    .mapped = place->mapped,
	    .start = place->start,
	    .limit = place->limit,
	    .offset = place->offset,
	};
	const struct choice *c = choice_for(s, place);

	if (!c || !c->image)
		return 0;
	return tp_image_lookup(c->image, tp_image_address(c->image, &mapping, address), chain,
			       room);
}
