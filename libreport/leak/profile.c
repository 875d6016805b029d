/* Leaks in profiles: goroutine (counts by stack), goroutineleak, and dumps of all goroutines, whose
 * labels say more (decode/profile/goroutines.c). */
#include <stdio.h>
#include <string.h>

#include "leak/parts.h"

enum key { KEY_STATE, KEY_BY, KEY_AT, KEY_LEAKED, KEY_ID, NKEYS };

static const char *const names[NKEYS] = {"state", "created_by", "created_at", "leaked",
					 "goroutine"};

struct reading {
	struct rep_leaks *l;
	const struct tp_profile *p;
	struct rep_leak_names map;
	size_t goroutine, wait; /* sample types; wait is ntypes if there is none */
	bool certain;
};

static bool is(struct tp_text t, const char *text)
{
	return t.size == strlen(text) && !memcmp(t.text, text, t.size);
}

static int find_types(struct reading *r, struct tp_err *err)
{
	const struct tp_profile *p = r->p;
	bool found = false;

	r->wait = p->ntypes;
	for (size_t i = 0; i < p->ntypes; i++) {
		struct tp_text type = tp_dict_text(p->dict, p->types[i].type);

		if (is(type, "goroutine") || is(type, "goroutineleak")) {
			r->goroutine = i;
			r->certain = is(type, "goroutineleak");
			found = true;
		} else if (is(type, "wait")) {
			r->wait = i;
		}
	}
	if (found)
		return 0;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "it does not contain goroutines; give traces, goroutine or goroutineleak "
			  "profiles, or dumps of goroutines");
}

/* What the labels of a sample say; the program may have some of these names, too: the first counts.
 */
struct told {
	struct tp_text text[NKEYS], label;
	int64_t id;
	char number[24]; /* of a numeric label */
};

static void told_by(const struct tp_profile *p, size_t sample, const char *by, struct told *t)
{
	const struct tp_label_set *set = &p->sets[p->label_set[sample]];

	*t = (struct told){.id = -1};
	for (uint32_t i = 0; i < set->n; i++) {
		const struct tp_label *label = &p->labels[set->first + i];
		struct tp_text key = tp_dict_text(p->dict, label->key);

		if (by && is(key, by) && !t->label.size) {
			t->label = (struct tp_text){t->number, 0};
			if (label->numeric)
				t->label.size = (uint32_t)snprintf(
				    t->number, sizeof(t->number), "%lld", (long long)label->number);
			else
				t->label = tp_dict_text(p->dict, label->text);
		}
		for (size_t k = 0; k < NKEYS; k++) {
			if (!is(key, names[k]))
				continue;
			if (label->numeric && k == KEY_ID && t->id < 0)
				t->id = label->number;
			else if (!label->numeric && !t->text[k].size)
				t->text[k] = tp_dict_text(p->dict, label->text);
		}
	}
}

/* Not stuck, as far as the dump says. */
static bool goes_on(struct tp_text state)
{
	return is(state, "running") || is(state, "runnable");
}

/* The text of a goroutineleak profile (debug=2) begins with the goroutine that writes it, which is
 * none of those that leak (Go: runtime/pprof/pprof.go, writeGoroutineLeak). */
static bool writes_leaks(const struct tp_profile *p, uint32_t node)
{
	while (node) {
		struct tp_stack_node n = tp_dict_stack_at(p->dict, node);

		if (is(tp_dict_text(p->dict, tp_dict_frame_name(p->dict, n.frame)),
		       "runtime/pprof.writeGoroutineLeak"))
			return true;
		node = n.parent;
	}
	return false;
}

static int put_sample(struct reading *r, size_t sample, struct tp_err *err)
{
	const struct tp_profile *p = r->p;
	const int64_t *value = p->value + sample * p->ntypes;
	const struct rep_leak_options *opt = &r->l->opt;
	struct tp_dict *d = r->l->dict;
	struct rep_leak_item item;
	const char *waits;
	struct told t;
	int code;

	told_by(p, sample, opt->by, &t);
	item = (struct rep_leak_item){
	    .count = value[r->goroutine],
	    .id = {t.id, 0},
	    /* Dumps tell of whole minutes: less than one may be any time. */
	    .wait_ns = r->wait < p->ntypes && value[r->wait] > 0 ? value[r->wait] : -1,
	    .certain = r->certain || t.text[KEY_LEAKED].size,
	};
	if (goes_on(t.text[KEY_STATE]) && !opt->all && item.count > 0)
		rep_leaks_leave_out(r->l, REP_LEAK_LEFT_RUNNING, item.count);
	if (goes_on(t.text[KEY_STATE]) && (!opt->all || writes_leaks(p, p->stack[sample])))
		return 0;
	code = rep_leak_stack(&r->map, p->stack[sample], &item.stack, &waits);
	item.no_stack = !item.stack;
	if (!code)
		code = rep_leak_creator(d, t.text[KEY_BY], t.text[KEY_AT], &item.creator);
	if (!code && t.text[KEY_STATE].size)
		code =
		    tp_dict_string(d, t.text[KEY_STATE].text, t.text[KEY_STATE].size, &item.waits);
	else if (!code && waits)
		code = tp_dict_string(d, waits, strlen(waits), &item.waits);
	if (!code && t.label.size)
		code = tp_dict_string(d, t.label.text, t.label.size, &item.label);
	return code ? rep_leak_fail(err, code) : rep_leaks_put(r->l, &item, err);
}

int rep_leaks_add_profile(struct rep_leaks *l, const char *name, const struct tp_profile *p,
			  struct tp_err *err)
{
	struct reading r = {.l = l, .p = p};
	int code = find_types(&r, err);

	if (!code)
		code = rep_leaks_begin(l, name, false, err);
	if (code)
		return code;
	code = rep_leak_names_init(&r.map, p->dict, l->dict, &l->own);
	if (code)
		rep_leak_fail(err, code);
	for (size_t i = 0; i < p->nsamples && !code; i++)
		code = put_sample(&r, i, err);
	if (!code)
		code = rep_own_settle(&r.map.own, err);
	rep_leak_names_release(&r.map);
	return code;
}
