/* goroutines: groups of goroutines with the same stack, state and creator, largest first; large
 * groups may be leaks. The program's last message comes first. Direct recursion takes one line.
 * Frames without a name are shown only if the stack has no others.
 *
 *	14 goroutines in 9 groups
 *
 *	4  chan receive, 2m00s to 5m00s, created by main.open at stuck.go:62
 *	   main.receive    stuck.go:35
 *	   goroutines 18, 19, 20, 21
 *
 * States, waits, creators and ids are the labels and the second value of goroutine dumps
 * (decode/profile/goroutines.c); goroutine profiles have only stacks and counts. With
 * --sample-index=wait, the longest waits come first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/units.h"
#include "profile/writer/writer.h"
#include "profile/report/reports.h"

#define MAX_IDS 8 /* ids listed in a group */

/* One sample. Ids of strings; 0: not in the dump. */
struct item {
	uint32_t stack, state, by, at, label;
	int64_t id, creator, elided; /* -1: not in the dump */
	int64_t count, wait_ns;
};

struct group {
	const struct item *item;
	size_t n;
	int64_t count, least_ns, most_ns;
};

enum key { KEY_STATE, KEY_BY, KEY_AT, KEY_LABEL, KEY_ID, KEY_CREATOR, KEY_ELIDED, NKEYS };

struct report {
	struct rep_profile_view *v;
	struct rep_writer out;
	uint32_t key[NKEYS];
	struct item *item;
	struct group *group;
	size_t ngroups;
	size_t goroutine, wait; /* sample types; wait is ntypes if there is none */
};

/* ---- gathering ---- */

static int find_types(struct report *r, struct tp_err *err)
{
	const struct tp_profile *p = r->v->profile;
	bool found = false;

	r->wait = p->ntypes;
	for (size_t i = 0; i < p->ntypes; i++) {
		const char *type = tp_dict_text(p->dict, p->types[i].type).text;

		if (!strcmp(type, "goroutine") || !strcmp(type, "goroutineleak")) {
			r->goroutine = i;
			found = true;
		} else if (!strcmp(type, "wait")) {
			r->wait = i;
		}
	}
	if (found)
		return 0;
	return tp_err_set(err, TP_ENOENT, TP_OFFSET_NONE,
			  "the profile has no goroutines; use a goroutine profile or a dump of "
			  "goroutines");
}

static int find_keys(struct report *r)
{
	const char *by = r->v->opt.by ? r->v->opt.by : "";
	const char *const names[NKEYS] = {"state",     "created_by", "created_at", by,
					  "goroutine", "creator",    "elided"};
	int code = 0;

	for (size_t i = 0; i < NKEYS && !code; i++)
		code = tp_dict_string(r->v->profile->dict, names[i], strlen(names[i]), &r->key[i]);
	return code;
}

/* Returns the value of a label as a string; a number as text. */
static int value_of(const struct report *r, const struct tp_label *l, uint32_t *value)
{
	char number[24];

	*value = l->text;
	if (!l->numeric)
		return 0;
	return tp_dict_string(
	    r->v->profile->dict, number,
	    (size_t)snprintf(number, sizeof(number), "%lld", (long long)l->number), value);
}

static int read_item(const struct report *r, size_t sample, struct item *to)
{
	const struct tp_profile *p = r->v->profile;
	const struct tp_label_set *set = &p->sets[p->label_set[sample]];
	const int64_t *value = p->value + sample * p->ntypes;
	struct item item = {.stack = p->stack[sample], .id = -1, .creator = -1, .elided = -1};
	uint32_t *const texts[] = {&item.state, &item.by, &item.at, &item.label};
	int64_t *const numbers[] = {&item.id, &item.creator, &item.elided};
	int code = 0;

	item.count = value[r->goroutine];
	item.wait_ns = r->wait < p->ntypes ? value[r->wait] : 0;
	for (uint32_t i = 0; i < set->n; i++) {
		const struct tp_label *l = &p->labels[set->first + i];

		if (l->key == r->key[KEY_LABEL] && !item.label)
			code = value_of(r, l, &item.label);
		if (code)
			return code;
		for (size_t k = 0; k < NKEYS; k++) {
			if (k == KEY_LABEL || l->key != r->key[k] || l->numeric != (k >= KEY_ID))
				continue;
			/* The program's own labels may have these names, too: the first value
			 * counts. */
			if (k >= KEY_ID && *numbers[k - KEY_ID] < 0)
				*numbers[k - KEY_ID] = l->number;
			else if (k < KEY_ID && !*texts[k])
				*texts[k] = l->text;
		}
	}
	*to = item;
	return 0;
}

#define ORDER(a, b) ((a) < (b) ? -1 : (a) > (b))

static int compare_kinds(const struct item *x, const struct item *y)
{
	int c = ORDER(x->stack, y->stack);

	if (!c)
		c = ORDER(x->state, y->state);
	if (!c)
		c = ORDER(x->by, y->by);
	if (!c)
		c = ORDER(x->label, y->label);
	return c ? c : ORDER(x->at, y->at);
}

static int by_kind(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = compare_kinds(x, y);

	return c ? c : ORDER(x->id, y->id);
}

/* Puts the largest groups first; ties are in the order of the dump, because ids of stacks and
 * strings are. */
static int by_count(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int c = ORDER(y->count, x->count);

	if (!c)
		c = ORDER(y->most_ns, x->most_ns);
	return c ? c : compare_kinds(x->item, y->item);
}

static int by_wait(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	int c = ORDER(y->most_ns, x->most_ns);

	return c ? c : by_count(a, b);
}

static int gather(struct report *r)
{
	const struct tp_profile *p = r->v->profile;
	size_t n = p->nsamples;
	int code = 0;

	r->item = calloc(n + 1, sizeof(*r->item));
	r->group = calloc(n + 1, sizeof(*r->group));
	if (!r->item || !r->group)
		return TP_ENOMEM;
	for (size_t i = 0; i < n && !code; i++)
		code = read_item(r, i, &r->item[i]);
	if (code)
		return code;
	if (n > 1)
		qsort(r->item, n, sizeof(*r->item), by_kind);
	for (size_t i = 0; i < n; i++) {
		const struct item *item = &r->item[i];
		struct group *g = &r->group[r->ngroups ? r->ngroups - 1 : 0];

		if (!i || compare_kinds(item - 1, item) != 0) {
			g = &r->group[r->ngroups++];
			*g = (struct group){
			    .item = item, .least_ns = item->wait_ns, .most_ns = item->wait_ns};
		}
		g->n++;
		tp_sum(&g->count, item->count);
		if (item->wait_ns < g->least_ns)
			g->least_ns = item->wait_ns;
		if (item->wait_ns > g->most_ns)
			g->most_ns = item->wait_ns;
	}
	if (r->ngroups > 1)
		qsort(r->group, r->ngroups, sizeof(*r->group),
		      r->v->index == r->wait ? by_wait : by_count);
	return 0;
}

/* ---- writing ---- */

static struct tp_text text_of(const struct report *r, uint32_t string)
{
	return tp_dict_text(r->v->profile->dict, string);
}

static void put_wait(struct report *r, const struct group *g)
{
	char least[TP_UNITS_SIZE], most[TP_UNITS_SIZE];

	if (!g->most_ns)
		return;
	tp_fmt_ns(most, g->most_ns);
	if (g->least_ns == g->most_ns)
		rep_writer_printf(&r->out, ", %s", most);
	else if (!g->least_ns)
		rep_writer_printf(&r->out, ", up to %s", most);
	else
		rep_writer_printf(&r->out, ", %s to %s", tp_fmt_ns(least, g->least_ns), most);
}

static void put_label(struct report *r, const struct group *g)
{
	if (!g->item->label)
		return;
	rep_writer_put(&r->out, ", ");
	rep_writer_string(&r->out, text_of(r, r->key[KEY_LABEL]));
	rep_writer_put(&r->out, " ");
	rep_writer_string(&r->out, text_of(r, g->item->label));
}

static void put_creator(struct report *r, const struct group *g)
{
	bool one = g->item->creator >= 0;

	if (!g->item->by)
		return;
	rep_writer_put(&r->out, ", created by ");
	rep_writer_string(&r->out, text_of(r, g->item->by));
	if (g->item->at) {
		rep_writer_put(&r->out, " at ");
		rep_writer_string(&r->out, text_of(r, g->item->at));
	}
	for (size_t i = 1; i < g->n; i++)
		one = one && g->item[i].creator == g->item->creator;
	if (one)
		rep_writer_printf(&r->out, " in goroutine %" PRId64, g->item->creator);
}

static void put_frame(struct report *r, uint32_t frame, size_t times, size_t indent, size_t width)
{
	const struct tp_dict *d = r->v->profile->dict;
	struct tp_frame f = tp_dict_frame_at(d, frame);
	struct tp_function fn = tp_dict_function_at(d, f.function);
	struct tp_text name = tp_dict_text(d, fn.name), file = tp_dict_text(d, fn.file);
	size_t runes = rep_writer_runes(name.text, name.size);

	rep_writer_space(&r->out, indent);
	if (!name.size)
		rep_writer_printf(&r->out, "0x%" PRIx64,
				  tp_dict_location_at(d, f.location).address);
	else
		rep_writer_string(&r->out, name);
	if (file.size) {
		rep_writer_space(&r->out, (runes < width ? width - runes : 0) + 2);
		rep_writer_string(&r->out, file);
		if (f.line)
			rep_writer_printf(&r->out, ":%" PRId64, f.line);
	}
	if (times > 1)
		rep_writer_printf(&r->out, "  (%zu times)", times);
	rep_writer_put(&r->out, "\n");
}

/* Writes a stack, with files in one column, unless a name is very long. */
static void put_stack(struct report *r, uint32_t stack, size_t indent)
{
	const struct tp_dict *d = r->v->profile->dict;
	size_t width = 0;
	bool named = false;

	for (uint32_t s = stack; s; s = tp_dict_stack_at(d, s).parent) {
		uint32_t name = tp_dict_frame_name(d, tp_dict_stack_at(d, s).frame);
		size_t runes =
		    rep_writer_runes(tp_dict_text(d, name).text, tp_dict_text(d, name).size);

		named |= name != 0;
		width = runes > width && runes <= 48 ? runes : width;
	}
	for (uint32_t s = stack; s && !rep_writer_failed(&r->out);) {
		uint32_t frame = tp_dict_stack_at(d, s).frame;
		size_t times = 0;

		for (; s && tp_dict_stack_at(d, s).frame == frame; times++)
			s = tp_dict_stack_at(d, s).parent;
		if (!named || tp_dict_frame_name(d, frame))
			put_frame(r, frame, times, indent, width);
	}
}

/* Returns the first item of a group that has an id; *n such items follow one another. */
static const struct item *with_ids(const struct group *g, size_t *n)
{
	size_t i = 0;

	while (i < g->n && g->item[i].id < 0)
		i++;
	*n = g->n - i;
	return g->item + i;
}

static void put_ids(struct report *r, const struct group *g, size_t indent)
{
	size_t n;
	const struct item *item = with_ids(g, &n);

	if (!n)
		return;
	rep_writer_space(&r->out, indent);
	rep_writer_put(&r->out, n == 1 ? "goroutine" : "goroutines");
	for (size_t i = 0; i < n && i < MAX_IDS; i++)
		rep_writer_printf(&r->out, "%s %" PRId64, i ? "," : "", item[i].id);
	if (n > MAX_IDS)
		rep_writer_printf(&r->out, " and %zu more", n - MAX_IDS);
	rep_writer_put(&r->out, "\n");
}

static void put_group(struct report *r, const struct group *g, int width)
{
	size_t indent = (size_t)width + 2;

	rep_writer_printf(&r->out, "\n%*" PRId64 "  ", width, g->count);
	if (g->item->state)
		rep_writer_string(&r->out, text_of(r, g->item->state));
	else
		rep_writer_put(&r->out, g->count == 1 ? "goroutine" : "goroutines");
	put_wait(r, g);
	put_label(r, g);
	put_creator(r, g);
	if (g->item->elided > 0)
		rep_writer_printf(&r->out, ", %" PRId64 " frames left out", g->item->elided);
	else if (!g->item->elided)
		rep_writer_put(&r->out, ", frames left out");
	rep_writer_put(&r->out, "\n");
	put_stack(r, g->item->stack, indent);
	put_ids(r, g, indent);
}

static size_t shown_groups(const struct report *r)
{
	int64_t most = r->v->opt.node_count;

	return most > 0 && (uint64_t)most < r->ngroups ? (size_t)most : r->ngroups;
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	struct report r = {.v = v};
	int64_t total = 0, most = 0;
	size_t shown;
	int code = find_types(&r, err), width = 1;

	(void)arg;
	if (code)
		return code;
	rep_writer_init(&r.out, sink);
	code = find_keys(&r);
	rep_writer_fail(&r.out, code ? code : gather(&r));
	for (size_t i = 0; i < r.ngroups; i++) {
		tp_sum(&total, r.group[i].count);
		most = r.group[i].count > most ? r.group[i].count : most;
	}
	for (; most > 9; most /= 10)
		width++;
	for (size_t i = 0; i < v->profile->ncomments; i++) {
		rep_writer_string(&r.out, text_of(&r, v->profile->comments[i]));
		rep_writer_put(&r.out, i + 1 < v->profile->ncomments ? "\n" : "\n\n");
	}
	rep_writer_printf(&r.out, "%" PRId64 " goroutine%s in %zu group%s\n", total,
			  total == 1 ? "" : "s", r.ngroups, r.ngroups == 1 ? "" : "s");
	shown = shown_groups(&r);
	for (size_t i = 0; i < shown && !rep_writer_failed(&r.out); i++)
		put_group(&r, &r.group[i], width);
	if (shown < r.ngroups)
		rep_writer_printf(&r.out, "\n%zu more; -n 0 shows all\n", r.ngroups - shown);
	free(r.item);
	free(r.group);
	return rep_writer_finish(&r.out, err);
}

/* Appends a folded stack, root first: "main.main;main.open". */
static int fold(const struct report *r, uint32_t stack, struct tp_buf *b)
{
	const struct tp_dict *d = r->v->profile->dict;
	uint32_t n = tp_dict_stack_at(d, stack).depth, i = n;
	uint32_t *name = calloc((size_t)n + 1, sizeof(*name));
	int code = name ? 0 : TP_ENOMEM;

	for (uint32_t s = stack; !code && s && i; s = tp_dict_stack_at(d, s).parent)
		name[--i] = tp_dict_frame_name(d, tp_dict_stack_at(d, s).frame);
	b->size = 0;
	for (; !code && i < n; i++) {
		struct tp_text text = tp_dict_text(d, name[i]);

		if (!text.size)
			continue;
		if (b->size)
			tp_buf_text(b, ";");
		tp_buf_put(b, text.text, text.size);
	}
	free(name);
	return code ? code : tp_buf_text(b, "");
}

static struct rep_value text_or_null(const struct report *r, uint32_t string)
{
	struct tp_text t = text_of(r, string);

	return string ? rep_text(t.text, t.size) : rep_null();
}

static int put_row(struct report *r, const struct group *g, struct tp_buf *stack,
		   struct rep_output *out, struct tp_err *err)
{
	bool waits = r->wait < r->v->profile->ntypes;
	size_t ids;
	const struct item *first = with_ids(g, &ids);

	if (!g->item || fold(r, g->item->stack, stack))
		return tp_nomem(err);
	struct rep_value row[] = {
	    text_or_null(r, g->item->label),
	    rep_int(g->count),
	    text_or_null(r, g->item->state),
	    waits ? rep_int(g->least_ns) : rep_null(),
	    waits ? rep_int(g->most_ns) : rep_null(),
	    text_or_null(r, g->item->by),
	    text_or_null(r, g->item->at),
	    ids ? rep_int(first->id) : rep_null(),
	    rep_text((char *)stack->data, stack->size),
	};
	/* Only --by separates by a label. */
	return rep_output_row(out, r->v->opt.by ? row : row + 1, err);
}

static int table(struct rep_profile_view *v, const char *arg, struct rep_output *out,
		 struct tp_err *err)
{
	static const struct rep_column columns[] = {
	    {.name = "label",
	     .doc = "with --by: the value of the label",
	     .title = "LABEL",
	     .kind = REP_TEXT},
	    {.name = "goroutines",
	     .doc = "goroutines with this stack and state",
	     .title = "GOROUTINES",
	     .kind = REP_COUNT},
	    {.name = "state",
	     .doc = "what they do, as the dump says",
	     .title = "STATE",
	     .kind = REP_TEXT},
	    {.name = "least_wait_ns",
	     .doc = "how long the shortest has waited",
	     .title = "LEAST WAIT",
	     .kind = REP_NS},
	    {.name = "most_wait_ns",
	     .doc = "how long the longest has waited",
	     .title = "MOST WAIT",
	     .kind = REP_NS},
	    {.name = "created_by",
	     .doc = "function that created them",
	     .title = "CREATED BY",
	     .kind = REP_TEXT},
	    {.name = "created_at", .doc = "its file and line", .title = "AT", .kind = REP_TEXT},
	    {.name = "first_id", .doc = "the lowest id", .title = "FIRST", .kind = REP_ID},
	    {.name = "stack",
	     .doc = "where they are, leaf first",
	     .title = "STACK",
	     .kind = REP_TEXT},
	};
	struct report r = {.v = v};
	struct tp_buf stack = {0};
	int code = find_types(&r, err);

	(void)arg;
	if (code)
		return code;
	code = find_keys(&r);
	if (!code)
		code = gather(&r);
	if (code)
		tp_err_full(err, code, "the profile is too large for this report");
	else
		code =
		    rep_output_begin(out, "goroutines", columns + !v->opt.by, 8 + !!v->opt.by, err);
	for (size_t i = 0; !code && i < shown_groups(&r); i++)
		code = put_row(&r, &r.group[i], &stack, out, err);
	if (!code)
		code = rep_output_end(out, err);
	free(r.item);
	free(r.group);
	tp_buf_release(&stack);
	return code;
}

const struct rep_profile_report rep_profile_report_goroutines = {
    .name = "goroutines",
    .doc = "Goroutines with one stack, state and creator together, most first",
    .traits = {.all_nodes = true, .whole_stacks = true},
    .print = print,
    .table = table,
};
