/* callgrind: the call graph for KCachegrind (pprof: printCallgrind; the format is described in
 * Valgrind's manual, "Callgrind Format Specification").
 *
 *	positions: instr line
 *	events: cpu(ns)
 *
 *	ob=(1) /app/webapp               names once in full, then by number
 *	fl=(1) main.go
 *	fn=(1) main.work
 *	0x401000 12 30000000             address (or its distance to the last), line, flat
 *	cfl=(2) strings.go               and for each call
 *	cfn=(2) strings.Repeat
 *	calls=0 +16 40
 *	* * 20000000
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/writer/writer.h"
#include "profile/report/reports.h"

/* Names that were written before, each with its number. The dictionary interns; its ids are mapped
 * to numbers that count from 1 in the order of the file. */
struct names {
	struct tp_dict *dict;
	struct tp_buf number; /* uint32_t by string id */
	uint32_t n;
};

/* Nodes of several functions with one name in one file: told apart by a suffix. */
struct same {
	struct rep_node *node;
	uint32_t nth, of; /* function of this name, how many there are */
};

struct callgrind {
	struct rep_writer out;
	const struct rep_profile_view *v;
	const struct rep_graph *g;
	struct names objects, files, functions;
	struct same *same; /* by node id */
};

static uint32_t *number_of(struct callgrind *c, struct names *names, struct tp_text name)
{
	uint32_t id = 0, none = 0;

	rep_writer_fail(&c->out, tp_dict_string(names->dict, name.text, name.size, &id));
	while (!rep_writer_failed(&c->out) && names->number.size <= id * sizeof(none))
		rep_writer_fail(&c->out, tp_buf_put(&names->number, &none, sizeof(none)));
	if (rep_writer_failed(&c->out))
		return NULL;
	return (uint32_t *)(void *)names->number.data + id;
}

/* suffix of 0 functions: none */
static void put_name(struct callgrind *c, const char *field, struct names *names,
		     struct tp_text name, const struct same *suffix)
{
	struct tp_buf whole = {0};
	char tail[40] = "";
	uint32_t *number;

	rep_writer_put(&c->out, field);
	if (suffix && suffix->of > 1)
		snprintf(tail, sizeof(tail), " [%" PRIu32 "/%" PRIu32 "]", suffix->nth, suffix->of);
	rep_writer_fail(&c->out, tp_buf_put(&whole, name.text, name.size));
	rep_writer_fail(&c->out, tp_buf_put(&whole, tail, strlen(tail)));
	name = (struct tp_text){(char *)whole.data, (uint32_t)whole.size};
	if (name.size && (number = number_of(c, names, name))) {
		if (*number) {
			rep_writer_printf(&c->out, "(%" PRIu32 ")", *number);
		} else {
			*number = ++names->n;
			rep_writer_printf(&c->out, "(%" PRIu32 ") ", *number);
			rep_writer_string(&c->out, name);
		}
	}
	rep_writer_put(&c->out, "\n");
	tp_buf_release(&whole);
}

/* The shorter of the address and its distance to the last one. */
static void address(char text[32], const struct rep_node *before, uint64_t at)
{
	char relative[32];

	snprintf(text, 32, "0x%" PRIx64, at);
	if (!before)
		return;
	snprintf(relative, sizeof(relative), "%+" PRId64, (int64_t)(at - before->info.address));
	if (at == before->info.address)
		snprintf(text, 32, "*");
	else if (strlen(relative) < strlen(text))
		snprintf(text, 32, "%s", relative);
}

static int64_t whole(const struct callgrind *c, int64_t value)
{
	return tp_whole(rep_scale(value, c->v->unit, c->v->output_unit, NULL));
}

static void put_node(struct callgrind *c, const struct rep_node *before, const struct rep_node *n)
{
	const struct rep_node_info *i = &n->info;
	struct rep_writer *out = &c->out;
	char at[32];

	if (!before || rep_text_compare(i->object, before->info.object) ||
	    rep_text_compare(i->file, before->info.file) ||
	    rep_text_compare(i->name, before->info.name)) {
		rep_writer_put(out, "\n");
		put_name(c, "ob=", &c->objects, i->object, NULL);
		put_name(c, "fl=", &c->files, i->file, NULL);
		put_name(c, "fn=", &c->functions, i->name, NULL);
	}
	address(at, before, i->address);
	rep_writer_printf(out, "%s %" PRId64 " %" PRId64 "\n", at, i->line,
			  whole(c, rep_node_flat(n)));
	for (size_t k = 0; k < n->nout && !rep_writer_failed(out); k++) {
		const struct rep_node *callee = n->out[k]->dest;

		if (!rep_node_shown(c->g, callee))
			continue;
		put_name(c, "cfl=", &c->files, callee->info.file, NULL);
		put_name(c, "cfn=", &c->functions, callee->info.name, &c->same[callee->id]);
		address(at, before, callee->info.address);
		rep_writer_printf(out, "calls=0 %s %" PRId64 "\n* * %" PRId64 "\n", at,
				  callee->info.line, whole(c, n->out[k]->weight));
	}
}

/* ---- names that several functions share ---- */

static int by_name(const struct rep_node *a, const struct rep_node *b)
{
	int c = rep_text_compare(a->info.name, b->info.name);

	return c ? c : rep_text_compare(a->info.file, b->info.file);
}

static int by_function(const void *a, const void *b)
{
	const struct rep_node *x = ((const struct same *)a)->node;
	const struct rep_node *y = ((const struct same *)b)->node;
	int c = by_name(x, y);

	if (!c)
		c = (x->function > y->function) - (x->function < y->function);
	return c ? c : (x->id > y->id) - (x->id < y->id);
}

/* By name, and by the first node of their function in the order of the report, which `nth` holds
 * for the moment. */
static int by_appearance(const void *a, const void *b)
{
	const struct same *x = a, *y = b;
	int c = by_name(x->node, y->node);

	return c ? c : (x->nth > y->nth) - (x->nth < y->nth);
}

static int by_id(const void *a, const void *b)
{
	const struct rep_node *x = ((const struct same *)a)->node;
	const struct rep_node *y = ((const struct same *)b)->node;

	return (x->id > y->id) - (x->id < y->id);
}

/* pprof: getDisambiguatedNames */
static int tell_apart(struct callgrind *c)
{
	size_t n = c->g->n;
	struct same *s = calloc(n + 1, sizeof(*s));

	c->same = s;
	if (!s)
		return TP_ENOMEM;
	for (size_t i = 0; i < n; i++)
		s[i].node = c->g->node[i];
	if (n < 2)
		return 0;
	qsort(s, n, sizeof(*s), by_function);
	for (size_t i = 0; i < n; i++) {
		bool more = i && !by_name(s[i - 1].node, s[i].node) &&
			    s[i - 1].node->function == s[i].node->function;

		s[i].nth = more ? s[i - 1].nth : s[i].node->id;
	}
	qsort(s, n, sizeof(*s), by_appearance);
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t functions = 0, last = 0;

		for (end = i; end < n && !by_name(s[i].node, s[end].node); end++) {
			uint32_t first = s[end].nth;

			if (end == i || first != last)
				functions++;
			last = first;
			s[end].nth = functions;
		}
		for (size_t k = i; k < end; k++)
			s[k].of = functions;
	}
	qsort(s, n, sizeof(*s), by_id);
	return 0;
}

/* ---- all of it ---- */

static int names_init(struct names *names)
{
	names->dict = tp_dict_new();
	return names->dict ? 0 : TP_ENOMEM;
}

static void names_release(struct names *names)
{
	tp_dict_free(names->dict);
	tp_buf_release(&names->number);
}

static int print(struct rep_profile_view *v, const char *arg, const struct rep_sink *sink,
		 struct tp_err *err)
{
	struct rep_graph *g = NULL;
	struct callgrind c = {.v = v};
	int code = rep_graph_new(&g, v, err);

	(void)arg;
	if (code) {
		rep_graph_free(g);
		return code;
	}
	c.g = g;
	rep_writer_init(&c.out, sink);
	rep_writer_fail(&c.out, names_init(&c.objects));
	rep_writer_fail(&c.out, names_init(&c.files));
	rep_writer_fail(&c.out, names_init(&c.functions));
	rep_writer_fail(&c.out, tell_apart(&c));
	rep_writer_put(&c.out, "positions: instr line\nevents: ");
	rep_writer_text(&c.out, v->type, strlen(v->type));
	rep_writer_put(&c.out, "(");
	rep_writer_text(&c.out, v->output_unit, strlen(v->output_unit));
	rep_writer_put(&c.out, ")\n");
	for (size_t i = 0; i < g->n && !rep_writer_failed(&c.out); i++)
		put_node(&c, i ? g->node[i - 1] : NULL, g->node[i]);
	names_release(&c.objects);
	names_release(&c.files);
	names_release(&c.functions);
	free(c.same);
	rep_graph_free(g);
	return rep_writer_finish(&c.out, err);
}

const struct rep_profile_report rep_profile_report_callgrind = {
    .name = "callgrind",
    .doc = "The call graph for KCachegrind",
    .format = true,
    .traits = {.no_trim = true,
	       .granularity_fixed = true,
	       .granularity = REP_ADDRESSES,
	       .integers = true,
	       .call_tree = true,
	       .object_names = true,
	       .edges = true},
    .print = print,
};
