/* Turns labels into frames: tag_root and tag_leaf (pprof: driver/tagroot.go). */
#include <stdlib.h>
#include <string.h>

#include "profile/fold.h"
#include "profile/labels.h"
#include "profile/measure.h"

struct key {
	uint32_t string;
	bool found; /* in any sample */
};

struct keys {
	struct key *key;
	size_t n;
};

/* Splits "a,b" into keys. */
static int keys_init(struct keys *k, struct tp_profile *p, const char *text)
{
	size_t n = 1;
	int code = 0;

	*k = (struct keys){0};
	if (!text)
		return 0;
	for (const char *c = text; *c; c++)
		n += *c == ',';
	k->key = calloc(n, sizeof(*k->key));
	if (!k->key)
		return TP_ENOMEM;
	while (*text && !code) {
		size_t size = strcspn(text, ",");

		if (size)
			code = tp_dict_string(p->dict, text, size, &k->key[k->n++].string);
		text += size + (text[size] == ',');
	}
	return code;
}

static bool keys_found(const struct keys *k)
{
	for (size_t i = 0; i < k->n; i++)
		if (k->key[i].found)
			return true;
	return false;
}

/* Appends the values of a key in a set, joined by commas: texts, then numbers with their units. */
static int values(struct tp_profile *p, const struct tp_label_set *set, struct key *key,
		  const char *unit, struct tp_buf *out)
{
	bool units = false, any = false;

	out->size = 0;
	for (uint32_t i = 0; i < set->n; i++)
		units |=
		    p->labels[set->first + i].key == key->string && p->labels[set->first + i].unit;
	for (int numeric = 0; numeric < 2; numeric++) {
		for (uint32_t i = 0; i < set->n; i++) {
			const struct tp_label *l = &p->labels[set->first + i];
			struct tp_text t = tp_dict_text(p->dict, l->text);
			char number[REP_MEASURE_SIZE];

			if (l->key != key->string || l->numeric != numeric)
				continue;
			if (numeric) {
				rep_scaled_label(number, l->number,
						 tp_dict_text(p->dict, l->unit).text,
						 units ? unit : "");
				t = (struct tp_text){number, (uint32_t)strlen(number)};
			}
			if (any)
				tp_buf_text(out, ",");
			tp_buf_put(out, t.text, t.size);
			key->found = any = true;
		}
	}
	return tp_buf_text(out, "");
}

/* Pushes a frame for each key on a stack, the first key nearest to the root. */
static int push_keys(struct tp_profile *p, uint32_t set, struct keys *k, const char *unit,
		     struct tp_buf *text, uint32_t *stack)
{
	struct tp_label_set labels = p->sets[set];
	int code = 0;

	for (size_t i = 0; i < k->n && !code; i++) {
		struct tp_function fn = {.file = k->key[i].string};
		struct tp_frame frame = {0};

		code = values(p, &labels, &k->key[i], unit, text);
		if (!code)
			code = tp_dict_string(p->dict, text->data, text->size, &fn.name);
		if (!code)
			code = tp_dict_function(p->dict, &fn, &frame.function);
		if (!code)
			code =
			    tp_profile_push_location(p, stack, &(struct tp_location){0}, &frame, 1);
	}
	return code;
}

static int step_copy(struct rep_fold *f, struct rep_fold_state *s, const uint32_t *frame, size_t n,
		     uint32_t end)
{
	return rep_fold_push(f, s, frame, n, end, true);
}

struct place {
	uint32_t root; /* new stack that the sample's goes on top of */
	uint32_t sample;
};

static int by_root(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return x->sample < y->sample ? -1 : x->sample > y->sample;
}

/* Moves every sample's stack onto its new root. Stacks of one root share their frames. */
static int move_stacks(struct tp_profile *p, struct place *place)
{
	struct rep_fold f = {.step = step_copy};
	int code = rep_fold_init(&f, p);

	qsort(place, p->nsamples, sizeof(*place), by_root);
	for (size_t i = 0; i < p->nsamples && !code; i++) {
		struct rep_fold_state s;

		if (i && place[i].root != place[i - 1].root)
			rep_fold_reset(&f);
		f.start.node = place[i].root;
		code = rep_fold_stack(&f, p->stack[place[i].sample], &s);
		p->stack[place[i].sample] = s.node;
	}
	rep_fold_release(&f);
	return code;
}

static int add_frames(struct tp_profile *p, struct keys *root, struct keys *leaf, const char *unit)
{
	struct place *place = calloc(p->nsamples + 1, sizeof(*place));
	uint32_t *top = calloc(p->nsets, sizeof(*top));
	bool *known = calloc(p->nsets, sizeof(*known));
	struct tp_buf text = {0};
	int code = place && top && known ? 0 : TP_ENOMEM;

	for (size_t i = 0; i < p->nsamples && root->n && !code; i++) {
		uint32_t set = p->label_set[i];

		if (!known[set])
			code = push_keys(p, set, root, unit, &text, &top[set]);
		known[set] = true;
		place[i] = (struct place){top[set], (uint32_t)i};
	}
	if (root->n && !code)
		code = move_stacks(p, place);
	for (size_t i = 0; i < p->nsamples && leaf->n && !code; i++)
		code = push_keys(p, p->label_set[i], leaf, unit, &text, &p->stack[i]);
	tp_buf_release(&text);
	free(known);
	free(top);
	free(place);
	return code;
}

int rep_profile_tag_frames(struct tp_profile *p, const struct rep_profile_options *opt,
			   struct rep_filter_notes *notes, struct tp_err *err)
{
	struct keys root = {0}, leaf = {0};
	int code = keys_init(&root, p, opt->tag_root);

	if (!code)
		code = keys_init(&leaf, p, opt->tag_leaf);
	if (!code && (root.n || leaf.n))
		code = add_frames(p, &root, &leaf, opt->unit);
	code = code ? tp_err_full(err, code, REP_FILTER_FULL) : 0;
	if (!code && opt->tag_root && !keys_found(&root))
		code = rep_filter_note(notes, "--tag-root matched no labels", err);
	if (!code && opt->tag_leaf && !keys_found(&leaf))
		code = rep_filter_note(notes, "--tag-leaf matched no labels", err);
	free(root.key);
	free(leaf.key);
	return code;
}
