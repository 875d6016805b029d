#include "diff/keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "diff/closures.h"
#include "name.h"

const struct rep_diff_by_desc rep_diff_by[REP_NDIFF_BY] = {
    [REP_BY_FUNCTION] = {"function", "FUNCTION", "functions"},
    [REP_BY_LINE] = {"line", "LINE", "lines of functions"},
    [REP_BY_FILE] = {"file", "FILE", "source files"},
    [REP_BY_STACK] = {"stack", "STACK", "whole stacks"},
    [REP_BY_LABEL] = {"label", "LABEL", "labels of samples, or with label:KEY its values"},
};

/* A dictionary interns all that is needed: a key is the id of its canonical text in `names`, or of
 * a stack whose frames have a key for a line. An original is a function of `originals`: its name
 * with the key for a start line. */
struct rep_diff_keys {
	struct rep_diff_keys_options opt;
	struct tp_dict *names, *originals;
	uint8_t *sides; /* by original: on which it was seen */
	size_t nsides;
	struct tally {		   /* by key, made when the first name is asked for */
		uint32_t old, new; /* originals */
		uint32_t last;	   /* one of them, of the new side where there is one */
	} * tally;
	/* Canonical names of closures; by line, of functions of which a profile knows no first
	 * line, too. */
	struct tp_dict *functions;
	bool *startless; /* by string of it, nstartless */
	size_t nstartless;
	struct rep_closures closures;
	struct tp_buf canonical, shown; /* scratch */
};

int rep_diff_keys_new(struct rep_diff_keys **out, const struct rep_diff_keys_options *opt)
{
	struct rep_diff_keys *k = calloc(1, sizeof(*k));

	*out = NULL;
	if (!k)
		return TP_ENOMEM;
	k->opt = *opt;
	k->names = tp_dict_new();
	k->originals = tp_dict_new();
	k->functions = tp_dict_new();
	if (!k->names || !k->originals || !k->functions) {
		rep_diff_keys_free(k);
		return TP_ENOMEM;
	}
	*out = k;
	return 0;
}

void rep_diff_keys_free(struct rep_diff_keys *k)
{
	if (!k)
		return;
	tp_dict_free(k->names);
	tp_dict_free(k->originals);
	tp_dict_free(k->functions);
	free(k->startless);
	rep_closures_release(&k->closures);
	tp_buf_release(&k->canonical);
	tp_buf_release(&k->shown);
	free(k->sides);
	free(k->tally);
	free(k);
}

uint32_t rep_diff_keys_count(const struct rep_diff_keys *k)
{
	return k->opt.by == REP_BY_STACK ? tp_dict_stacks(k->names) : tp_dict_strings(k->names);
}

/* ---- from texts to keys ---- */

/* The key of k->canonical, shown as k->shown: here it is seen whether there was memory for both. */
static int intern(struct rep_diff_keys *k, enum rep_side_id side, uint32_t *key)
{
	struct tp_function original = {0};
	uint32_t id;
	int code = tp_buf_text(&k->shown, "");

	/* Nothing left ("vendor/"): then all of it. */
	if (!k->canonical.size)
		tp_buf_put(&k->canonical, k->shown.data, k->shown.size);
	if (!code)
		code = tp_buf_text(&k->canonical, "");
	if (!code)
		code = tp_dict_string(k->names, k->canonical.data, k->canonical.size, key);
	if (!code)
		code = tp_dict_string(k->originals, k->shown.data, k->shown.size, &original.name);
	original.start_line = *key;
	if (!code)
		code = tp_dict_function(k->originals, &original, &id);
	if (!code)
		code = tp_grow(&k->sides, &k->nsides, id, sizeof(*k->sides));
	if (!code)
		k->sides[id] |= (uint8_t)side;
	return code;
}

static void put_text(struct tp_buf *b, struct tp_text t)
{
	tp_buf_put(b, t.text, t.size);
}

/* Fails for lack of memory in k->functions; that for the name is seen later. */
static int put_name(struct rep_diff_keys *k, enum rep_name_kind kind, struct tp_text t)
{
	size_t from = k->canonical.size;
	uint32_t id, other;
	int code;

	if (k->opt.exact) {
		put_text(&k->canonical, t);
		return 0;
	}
	code = rep_name_canonical(&k->canonical, kind, t.text, t.size);
	if (code || kind != REP_NAME_FUNCTION || !rep_closures_any(&k->closures) ||
	    !rep_closures_is(t))
		return code;
	code =
	    tp_dict_string(k->functions, k->canonical.data + from, k->canonical.size - from, &id);
	other = code ? 0 : rep_closures_other(&k->closures, id);
	if (!other)
		return code;
	k->canonical.size = from;
	put_text(&k->canonical, tp_dict_text(k->functions, other));
	return 0;
}

/* A frame that has no function is known by the file it was mapped from, as in pprof. */
static void put_nameless(struct rep_diff_keys *k, const struct tp_profile *p,
			 const struct tp_frame *f)
{
	struct tp_location l = tp_dict_location_at(p->dict, f->location);
	struct tp_text t = {0};

	if (l.mapping && l.mapping <= p->nmappings)
		t = tp_dict_text(p->dict, p->mappings[l.mapping - 1].file);
	tp_buf_text(&k->shown, t.size ? "[" : "<unknown>");
	if (t.size) {
		const char *slash = memrchr(t.text, '/', t.size);
		size_t from = slash ? (size_t)(slash + 1 - t.text) : 0;

		tp_buf_put(&k->shown, t.text + from, t.size - from);
		tp_buf_text(&k->shown, "]");
	}
	tp_buf_put(&k->canonical, k->shown.data, k->shown.size);
}

/* The canonical name of a function into *id. */
static int find_function(struct rep_diff_keys *k, struct tp_text name, uint32_t *id)
{
	int code;

	k->canonical.size = 0;
	code = put_name(k, REP_NAME_FUNCTION, name);
	return code ? code : tp_dict_string(k->functions, k->canonical.data, k->canonical.size, id);
}

static bool starts_unknown(struct rep_diff_keys *k, struct tp_text name, int *code)
{
	uint32_t id = 0;

	if (!k->nstartless || k->opt.exact || !name.size)
		return false;
	*code = find_function(k, name, &id);
	return !*code && id < k->nstartless && k->startless[id];
}

static int mark_startless(struct rep_diff_keys *k, uint32_t id)
{
	if (tp_grow(&k->startless, &k->nstartless, id, sizeof(*k->startless)))
		return TP_ENOMEM;
	k->startless[id] = true;
	return 0;
}

static int survey_starts(struct rep_diff_keys *k, const struct tp_profile *p)
{
	uint32_t frames = tp_dict_frames(p->dict), functions = tp_dict_functions(p->dict), id;
	bool *seen = calloc((size_t)functions + 1, sizeof(*seen));
	int code = seen ? 0 : TP_ENOMEM;

	for (uint32_t i = 1; !code && i < frames; i++) {
		struct tp_frame f = tp_dict_frame_at(p->dict, i);
		struct tp_function fn;

		if (!f.line || !f.function || f.function >= functions || seen[f.function])
			continue;
		seen[f.function] = true;
		fn = tp_dict_function_at(p->dict, f.function);
		if (fn.start_line > 0 || !fn.name)
			continue;
		code = find_function(k, tp_dict_text(p->dict, fn.name), &id);
		if (!code)
			code = mark_startless(k, id);
	}
	free(seen);
	return code;
}

static int survey_closures(struct rep_diff_keys *k, const struct tp_profile *p,
			   enum rep_side_id side)
{
	uint32_t functions = tp_dict_functions(p->dict);
	int code = 0;

	for (uint32_t i = 1; !code && i < functions; i++) {
		struct tp_function fn = tp_dict_function_at(p->dict, i);
		struct tp_text name = tp_dict_text(p->dict, fn.name);
		struct rep_closure c = {.line = fn.start_line, .sides = (uint8_t)side};

		if (!rep_closures_is(name))
			continue;
		c.depth = rep_closures_depth(name);
		code = find_function(k, name, &c.name);
		k->canonical.size = 0;
		if (!code)
			code = put_name(k, REP_NAME_FILE, tp_dict_text(p->dict, fn.file));
		if (!code && k->canonical.size)
			code = tp_dict_string(k->functions, k->canonical.data, k->canonical.size,
					      &c.file);
		if (!code)
			code = rep_closures_add(&k->closures, &c);
	}
	return code;
}

int rep_diff_keys_survey(struct rep_diff_keys *k, const struct tp_profile *p, enum rep_side_id side,
			 struct tp_err *err)
{
	int code = 0;

	if (k->opt.exact)
		return 0;
	if (k->opt.by == REP_BY_LINE)
		code = survey_starts(k, p);
	if (!code && k->opt.by != REP_BY_FILE && k->opt.by != REP_BY_LABEL)
		code = survey_closures(k, p, side);
	return code ? tp_err_full(err, code, "the profiles have too many names") : 0;
}

/* What is shown for a frame into k->shown, and what it is matched by into k->canonical. */
static int name_frame(struct rep_diff_keys *k, const struct tp_profile *p, const struct tp_frame *f)
{
	struct tp_function fn = tp_dict_function_at(p->dict, f->function);
	struct tp_text name = tp_dict_text(p->dict, fn.name);
	struct tp_text file = tp_dict_text(p->dict, fn.file);
	bool by_file = k->opt.by == REP_BY_FILE;
	int code = 0;

	if (k->opt.by == REP_BY_LINE && fn.start_line > 0 && starts_unknown(k, name, &code))
		fn.start_line = 0;
	if (code)
		return code;
	k->shown.size = k->canonical.size = 0;
	if (by_file ? !file.size : !name.size) {
		put_nameless(k, p, f);
		return 0;
	}
	put_text(&k->shown, by_file ? file : name);
	code = put_name(k, by_file ? REP_NAME_FILE : REP_NAME_FUNCTION, by_file ? file : name);
	if (code || k->opt.by != REP_BY_LINE)
		return code;
	if (file.size) {
		tp_buf_text(&k->shown, " ");
		put_text(&k->shown, file);
		tp_buf_text(&k->canonical, " ");
		code = put_name(k, REP_NAME_FILE, file);
	}
	if (!f->line)
		return code;
	tp_buf_printf(&k->shown, ":%" PRId64, f->line);
	if (k->opt.exact || fn.start_line <= 0 || f->line < fn.start_line)
		tp_buf_printf(&k->canonical, ":%" PRId64, f->line);
	else
		tp_buf_printf(&k->canonical, "+%" PRId64, f->line - fn.start_line);
	return code;
}

/* By function and file, all frames of one function have the same key. */
static int map_frames(struct rep_diff_keys *k, const struct tp_profile *p, enum rep_side_id side,
		      uint32_t *out)
{
	uint32_t frames = tp_dict_frames(p->dict), functions = tp_dict_functions(p->dict);
	uint32_t *known = calloc(functions, sizeof(*known));
	int code = known ? 0 : TP_ENOMEM;

	for (uint32_t i = 1; !code && i < frames; i++) {
		struct tp_frame f = tp_dict_frame_at(p->dict, i);
		bool shared = k->opt.by != REP_BY_LINE && f.function && f.function < functions;

		if (k->opt.no_inlines && f.inlined)
			continue;
		if (shared && known[f.function]) {
			out[i] = known[f.function];
			continue;
		}
		code = name_frame(k, p, &f);
		if (!code)
			code = intern(k, side, &out[i]);
		/* Without a name it is the mapping that counts, which differs from frame to frame.
		 */
		if (!code && shared && k->canonical.size && k->shown.data[0] != '[' &&
		    k->shown.data[0] != '<')
			known[f.function] = out[i];
	}
	free(known);
	return code;
}

/* Nodes of the profile become nodes of ours; parents come first. Only those on a sample's stack. */
static int map_stacks(struct rep_diff_keys *k, const struct tp_profile *p, enum rep_side_id side,
		      uint32_t *out)
{
	uint32_t nodes = tp_dict_stacks(p->dict), frames = tp_dict_frames(p->dict);
	uint32_t *key = calloc(frames, sizeof(*key));
	uint8_t *used = calloc(nodes, 1);
	int code = key && used ? map_frames(k, p, side, key) : TP_ENOMEM;

	for (size_t i = 0; !code && i < p->nsamples; i++)
		used[p->stack[i]] = 1;
	for (uint32_t i = nodes; !code && i-- > 1;)
		if (used[i])
			used[tp_dict_stack_at(p->dict, i).parent] = 1;
	for (uint32_t i = 1; !code && i < nodes; i++) {
		struct tp_stack_node n = tp_dict_stack_at(p->dict, i);
		uint32_t frame;

		if (!used[i])
			continue;
		out[i] = out[n.parent];
		if (!key[n.frame])
			continue;
		code = tp_dict_frame(k->names, &(struct tp_frame){.line = key[n.frame]}, &frame);
		if (!code)
			code = tp_dict_stack(k->names, out[n.parent], frame, &out[i]);
	}
	free(key);
	free(used);
	return code;
}

static void put_label(struct rep_diff_keys *k, const struct tp_profile *p, const struct tp_label *l)
{
	if (!k->opt.label) {
		put_text(&k->shown, tp_dict_text(p->dict, l->key));
		tp_buf_text(&k->shown, "=");
	}
	if (l->numeric)
		tp_buf_printf(&k->shown, "%" PRId64, l->number);
	put_text(&k->shown, tp_dict_text(p->dict, l->numeric ? l->unit : l->text));
}

static int map_labels(struct rep_diff_keys *k, const struct tp_profile *p, enum rep_side_id side,
		      struct rep_key_map *map)
{
	size_t n = 0;
	int code = 0;

	for (size_t i = 0; i < p->nsets; i++)
		n += p->sets[i].n + 1;
	map->labels = calloc(p->nsets + 1, sizeof(*map->labels));
	map->label = calloc(n, sizeof(*map->label));
	if (!map->labels || !map->label)
		return TP_ENOMEM;
	n = 0;
	for (size_t i = 0; !code && i < p->nsets; i++) {
		const struct tp_label_set *set = &p->sets[i];

		map->labels[i] = (uint32_t)n;
		for (uint32_t l = 0; !code && l <= set->n; l++) {
			const struct tp_label *label =
			    l < set->n ? &p->labels[set->first + l] : NULL;

			if (l == set->n && n > map->labels[i])
				break; /* has labels; else it gets a row of its own */
			if (label && k->opt.label &&
			    strcmp(tp_dict_text(p->dict, label->key).text, k->opt.label) != 0)
				continue;
			k->shown.size = k->canonical.size = 0;
			if (label)
				put_label(k, p, label);
			else
				tp_buf_text(&k->shown, "(none)");
			if (!k->shown.size) /* an empty value is no key */
				tp_buf_text(&k->canonical, "\"\"");
			code = intern(k, side, &map->label[n]);
			n++;
		}
	}
	map->labels[p->nsets] = (uint32_t)n;
	return code;
}

int rep_diff_keys_map(struct rep_diff_keys *k, const struct tp_profile *p, enum rep_side_id side,
		      struct rep_key_map *map, struct tp_err *err)
{
	uint32_t nodes = tp_dict_stacks(p->dict), frames = tp_dict_frames(p->dict);
	int code;

	memset(map, 0, sizeof(*map));
	free(k->tally);
	k->tally = NULL;
	code = rep_closures_match(&k->closures, k->functions);
	switch (code ? REP_NDIFF_BY : k->opt.by) {
	case REP_NDIFF_BY:
		break;
	case REP_BY_LABEL:
		code = map_labels(k, p, side, map);
		break;
	case REP_BY_STACK:
		map->stack = calloc(nodes, sizeof(*map->stack));
		code = map->stack ? map_stacks(k, p, side, map->stack) : TP_ENOMEM;
		break;
	default:
		map->frame = calloc(frames, sizeof(*map->frame));
		code = map->frame ? map_frames(k, p, side, map->frame) : TP_ENOMEM;
		break;
	}
	return code ? tp_err_full(err, code, "the profiles have too many names") : 0;
}

void rep_key_map_release(struct rep_key_map *map)
{
	free(map->frame);
	free(map->stack);
	free(map->labels);
	free(map->label);
	memset(map, 0, sizeof(*map));
}

/* ---- from keys to texts ---- */

static int count_originals(struct rep_diff_keys *k)
{
	uint32_t n = tp_dict_functions(k->originals);

	if (k->tally)
		return 0;
	k->tally = calloc(tp_dict_strings(k->names), sizeof(*k->tally));
	if (!k->tally)
		return TP_ENOMEM;
	for (uint32_t i = 1; i < n; i++) {
		struct tp_function original = tp_dict_function_at(k->originals, i);
		struct tally *t = &k->tally[original.start_line];

		t->old += (k->sides[i] & REP_OLD) != 0;
		t->new += (k->sides[i] & REP_NEW) != 0;
		if (!t->last || (k->sides[i] & REP_NEW))
			t->last = i;
	}
	return 0;
}

static void put_key(struct rep_diff_keys *k, uint32_t key, struct tp_buf *name, size_t *names)
{
	const struct tally *t = &k->tally[key];
	struct tp_function original = tp_dict_function_at(k->originals, t->last);
	bool one = t->old <= 1 && t->new <= 1;
	size_t n = t->old > t->new ? t->old : t->new;

	if (n > *names)
		*names = n;
	/* One on each side, and the same: on both, or on one only. A line is shown where it is now.
	 */
	if (one && (k->opt.by == REP_BY_LINE || !t->old || !t->new ||
		    k->sides[t->last] == (REP_OLD | REP_NEW)))
		put_text(name, tp_dict_text(k->originals, original.name));
	else
		put_text(name, tp_dict_text(k->names, key));
}

int rep_key_name(struct rep_diff_keys *k, uint32_t key, struct tp_buf *name, size_t *names)
{
	uint32_t depth, *path;

	*names = 0;
	if (count_originals(k))
		return tp_buf_fail(name);
	if (k->opt.by != REP_BY_STACK) {
		put_key(k, key, name, names);
		return tp_buf_text(name, "");
	}
	/* root first, as folded stacks are written */
	depth = tp_dict_stack_at(k->names, key).depth;
	path = tp_many(depth ? depth : 1, sizeof(*path));
	if (!path)
		return tp_buf_fail(name);
	for (uint32_t i = depth, node = key; i-- > 0;) {
		struct tp_stack_node n = tp_dict_stack_at(k->names, node);

		path[i] = (uint32_t)tp_dict_frame_at(k->names, n.frame).line;
		node = n.parent;
	}
	for (uint32_t i = 0; i < depth; i++) {
		tp_buf_text(name, i ? ";" : "");
		put_key(k, path[i], name, names);
	}
	free(path);
	return tp_buf_text(name, "");
}

struct tp_text rep_key_original(struct rep_diff_keys *k, uint32_t key)
{
	if (k->opt.by == REP_BY_STACK || count_originals(k))
		return (struct tp_text){"", 0};
	return tp_dict_text(k->originals,
			    tp_dict_function_at(k->originals, k->tally[key].last).name);
}

int rep_key_compare(const struct rep_diff_keys *k, uint32_t a, uint32_t b)
{
	struct tp_text x, y;
	int order;

	if (k->opt.by == REP_BY_STACK)
		return (a > b) - (a < b);
	x = tp_dict_text(k->names, a);
	y = tp_dict_text(k->names, b);
	order = memcmp(x.text, y.text, x.size < y.size ? x.size : y.size);
	return order ? order : (x.size > y.size) - (x.size < y.size);
}
