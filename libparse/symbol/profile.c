/* Names the locations of a profile.
 *
 * This makes a new dictionary: strings keep their ids, everything else is copied, and frames
 * without names are replaced by the chains that were found. */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "symbol/symbol.h"
#include "symbol/text.h"

struct renaming {
	struct tp_profile *p;
	struct tp_symbolizer *s;
	struct tp_dict *old; /* p->dict is the new one */
	uint32_t *node;	     /* by old node: new node + 1 */
	uint32_t *first, *n; /* by old frame: its new frames, and how many (0: not yet copied) */
	uint32_t *frames;    /* of all, root first */
	size_t nframes, room;
	uint32_t *path;
	uint8_t *seen; /* by mapping, see below */
	struct tp_memo texts;
	size_t named, unnamed;
	bool remarked; /* a notice has been added */
};

enum { SEEN = 1, NAMED = 2 }; /* its file has been looked up; it has named code */

static const char *text(const struct renaming *r, uint32_t string)
{
	return tp_dict_text(r->old, string).text;
}

/* Strings keep their ids, as they are added in the same order. */
static int copy_strings(struct renaming *r)
{
	uint32_t n = tp_dict_strings(r->old), id;
	int code = 0;

	for (uint32_t i = 0; !code && i < n; i++) {
		struct tp_text t = tp_dict_text(r->old, i);

		code = tp_dict_string(r->p->dict, t.text, t.size, &id);
		if (!code && id != i)
			code = TP_EFORMAT;
	}
	return code;
}

/* ---- frames ---- */

/* Returns whether a frame has an address and neither a name nor a line. A name that tprof-record makes of an address,
 * "pigz+0x1110e", is none; it has no system name. */
static bool is_bare(const struct tp_dict *d, uint32_t i)
{
	struct tp_frame frame = tp_dict_frame_at(d, i);
	struct tp_function f = tp_dict_function_at(d, frame.function);

	return !frame.line && !frame.inlined && tp_dict_location_at(d, frame.location).address &&
	       (!frame.function ||
		(!f.system_name && !f.file && strstr(tp_dict_text(d, f.name).text, "+0x")));
}

static int put_frame(struct renaming *r, uint32_t frame)
{
	if (r->nframes > UINT32_MAX / 2 ||
	    tp_grow_raw(&r->frames, &r->room, r->nframes, sizeof(*r->frames)))
		return TP_ENOMEM;
	r->frames[r->nframes++] = frame;
	return 0;
}

static int copy_frame(struct renaming *r, struct tp_frame frame)
{
	struct tp_function f = tp_dict_function_at(r->old, frame.function);
	struct tp_location l = tp_dict_location_at(r->old, frame.location);
	uint32_t id;
	int code = 0;

	if (frame.function)
		code = tp_dict_function(r->p->dict, &f, &frame.function);
	if (!code && frame.location)
		code = tp_dict_location(r->p->dict, &l, &frame.location);
	if (!code)
		code = tp_dict_frame(r->p->dict, &frame, &id);
	return code ? code : put_frame(r, id);
}

/* Describes the mapping of a location. */
static struct tp_symbol_place place_of(const struct renaming *r, const struct tp_location *l)
{
	struct tp_symbol_place place = {.file = "", .build_id = "", .first = true};

	if (l->mapping && l->mapping <= r->p->nmappings) {
		const struct tp_mapping *m = &r->p->mappings[l->mapping - 1];

		place.file = text(r, m->file);
		place.build_id = text(r, m->build_id);
		place.start = m->start;
		place.limit = m->limit;
		place.offset = m->offset;
		place.mapped = m->limit > m->start && m->start;
		place.first = l->mapping == 1;
	}
	return place;
}

/* Adds one notice for each mapping whose file is wrong or missing. */
static int remark(struct renaming *r, const struct tp_location *l,
		  const struct tp_symbol_place *place)
{
	const char *id, *path;

	if (l->mapping > r->p->nmappings || r->seen[l->mapping])
		return 0;
	r->seen[l->mapping] = SEEN;
	if (tp_symbolizer_file(r->s, place, &path, &id)) {
		r->remarked = true;
		return tp_profile_add_notice(
		    r->p, TP_WARNING, TP_OFFSET_NONE,
		    "%s is another build (%s) than the program of the dump (%s): names may "
		    "be wrong",
		    path, id, place->build_id);
	}
	if (*place->build_id && !path && *place->file != '[') {
		r->remarked = true;
		return tp_profile_add_notice(
		    r->p, TP_WARNING, TP_OFFSET_NONE,
		    "no file with the build id %s of %s was found: its functions have no names",
		    place->build_id, *place->file ? place->file : "the program");
	}
	return 0;
}

static int named_frames(struct renaming *r, const struct tp_location *l,
			const struct tp_symbol *chain, size_t n)
{
	struct tp_frame line[TP_SYMBOL_FRAMES];
	uint32_t frame[TP_SYMBOL_FRAMES];
	size_t nframes = 0;
	int code = 0;

	memset(line, 0, n * sizeof(*line));
	for (size_t i = 0; !code && i < n; i++) {
		struct tp_function f;

		code = tp_symbol_function(&r->texts, r->p->dict, &chain[i], &f);
		if (!code)
			code = tp_dict_function(r->p->dict, &f, &line[i].function);
		line[i].line = chain[i].line;
	}
	if (!code)
		code = tp_profile_location(r->p, l, line, n, frame, &nframes);
	for (size_t i = 0; !code && i < nframes; i++)
		code = put_frame(r, frame[i]);
	return code;
}

static int rename_frame(struct renaming *r, uint32_t id)
{
	struct tp_frame frame = tp_dict_frame_at(r->old, id);
	struct tp_location l = tp_dict_location_at(r->old, frame.location);
	bool bare = is_bare(r->old, id);
	struct tp_symbol chain[TP_SYMBOL_FRAMES];
	size_t n = 0;
	int code = 0;

	r->first[id] = (uint32_t)r->nframes;
	if (bare) {
		struct tp_symbol_place place = place_of(r, &l);

		code = remark(r, &l, &place);
		n = tp_symbolizer_lookup(r->s, &place, l.address, chain, TP_SYMBOL_FRAMES);
		r->named += n > 0;
		r->unnamed += n == 0;
	}
	if (n && l.mapping <= r->p->nmappings)
		r->seen[l.mapping] |= NAMED;
	if (!code)
		code = n ? named_frames(r, &l, chain, n) : copy_frame(r, frame);
	r->n[id] = (uint32_t)(r->nframes - r->first[id]);
	return code;
}

/* ---- stacks ---- */

static int rename_stack(struct renaming *r, uint32_t stack, uint32_t *out)
{
	uint32_t at = stack;
	size_t depth = 0;
	int code = 0;

	while (at && !r->node[at]) {
		uint32_t parent = tp_dict_stack_at(r->old, at).parent;

		r->path[depth++] = at;
		at = parent < at ? parent : 0;
	}
	*out = at ? r->node[at] - 1 : 0;
	while (!code && depth) {
		uint32_t frame;

		at = r->path[--depth];
		frame = tp_dict_stack_at(r->old, at).frame;
		if (!r->n[frame])
			code = rename_frame(r, frame);
		if (!code)
			code = tp_profile_push(r->p, out, r->frames + r->first[frame], r->n[frame]);
		r->node[at] = *out + 1;
	}
	return code;
}

static int rename_all(struct renaming *r)
{
	int code = copy_strings(r);
	uint32_t stack;

	/* Change the profile only after everything that can fail. */
	for (size_t i = 0; !code && i < r->p->nsamples; i++)
		if (r->p->stack[i] < tp_dict_stacks(r->old))
			code = rename_stack(r, r->p->stack[i], &stack);
	for (size_t i = 0; !code && i < r->p->nsamples; i++) {
		stack = r->p->stack[i];
		r->p->stack[i] = stack && stack < tp_dict_stacks(r->old) ? r->node[stack] - 1 : 0;
	}
	for (size_t i = 0; !code && i < r->p->nmappings; i++)
		if (r->seen[i + 1] & NAMED)
			r->p->mappings[i].flags |= TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES |
						   TP_MAPPING_LINES | TP_MAPPING_INLINES;
	return code;
}

static bool any_bare(const struct tp_dict *d)
{
	for (uint32_t i = 1; i < tp_dict_frames(d); i++)
		if (is_bare(d, i))
			return true;
	return false;
}

bool tp_profile_nameless(const struct tp_profile *p)
{
	size_t n = tp_dict_frames(p->dict);

	for (uint32_t i = 1; i < n; i++)
		if (!is_bare(p->dict, i))
			return false;
	return n > 1;
}

int tp_profile_symbolize(struct tp_profile *p, struct tp_symbolizer *s, size_t *named,
			 size_t *unnamed, struct tp_err *err)
{
	struct renaming r = {.p = p, .s = s, .old = p->dict};
	size_t nnodes = tp_dict_stacks(p->dict), nframes = tp_dict_frames(p->dict);
	struct tp_dict *fresh;
	char remark_text[TP_SYMBOL_REMARK];
	int code = TP_ENOMEM;

	if (named)
		*named = 0;
	if (unnamed)
		*unnamed = 0;
	if (!any_bare(p->dict))
		return 0;
	fresh = tp_dict_new();
	r.node = calloc(nnodes + 1, sizeof(*r.node));
	r.path = calloc(nnodes + 1, sizeof(*r.path));
	r.first = calloc(nframes + 1, sizeof(*r.first));
	r.n = calloc(nframes + 1, sizeof(*r.n));
	r.seen = calloc(p->nmappings + 1, sizeof(*r.seen));
	if (fresh && r.node && r.path && r.first && r.n && r.seen) {
		p->dict = fresh;
		code = rename_all(&r);
		p->dict = code ? r.old : fresh;
	}
	tp_dict_free(code ? fresh : r.old);
	free(r.node);
	free(r.path);
	free(r.first);
	free(r.n);
	free(r.seen);
	free(r.frames);
	tp_memo_release(&r.texts);
	tp_symbol_remark(remark_text, s, r.named, r.unnamed);
	if (!code && *remark_text && !r.remarked)
		code = tp_profile_add_notice(p, TP_WARNING, TP_OFFSET_NONE, "%s", remark_text);
	if (code)
		return tp_err_set(err, code, TP_OFFSET_NONE, "%s",
				  code == TP_ENOMEM    ? "out of memory"
				  : code == TP_EFORMAT ? "its dictionary has a string twice"
						       : "more than 2^30 stacks");
	if (named)
		*named = r.named;
	if (unnamed)
		*unnamed = r.unnamed;
	return 0;
}
