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

/* Names written so far, with their numbers. The dictionary interns them; `number` maps its ids to
 * numbers that count from 1 in the order of the output. */
struct names {
	struct tp_dict *dict;
	struct tp_buf number; /* uint32_t by string id */
	uint32_t n;
};

/* Distinguishes functions with the same name in the same file by a suffix. */
struct same {
	uint32_t nth;  /* the n-th function of this name, in the order of the report */
	uint32_t name; /* id in `shared`, which has their number */
};

struct callgrind {
	struct rep_writer out;
	const struct rep_profile_view *v;
	const struct rep_graph *g;
	struct names objects, files, functions;
	struct names shared; /* by name and file: number of functions */
	struct names nth;    /* by name, file and function: which of them it is */
	struct same *same;   /* by node id */
};

static struct tp_text text_of(const struct tp_buf *b)
{
	return (struct tp_text){(const char *)b->data, (uint32_t)b->size};
}

static uint32_t *numbers(const struct names *names)
{
	return (uint32_t *)(void *)names->number.data;
}

static uint32_t *number_of(struct callgrind *c, struct names *names, struct tp_text name)
{
	uint32_t id = 0, none = 0;

	rep_writer_fail(&c->out, tp_dict_string(names->dict, name.text, name.size, &id));
	while (!rep_writer_failed(&c->out) && names->number.size <= id * sizeof(none))
		rep_writer_fail(&c->out, tp_buf_put(&names->number, &none, sizeof(none)));
	if (rep_writer_failed(&c->out))
		return NULL;
	return numbers(names) + id;
}

static void put_name(struct callgrind *c, const char *field, struct names *names,
		     struct tp_text name, const struct same *same)
{
	uint32_t of = same ? numbers(&c->shared)[same->name] : 1;
	struct tp_buf whole = {0};
	char tail[40] = "";
	uint32_t *number;

	rep_writer_put(&c->out, field);
	if (of > 1)
		snprintf(tail, sizeof(tail), " [%" PRIu32 "/%" PRIu32 "]", same->nth, of);
	tp_buf_put(&whole, name.text, name.size);
	rep_writer_fail(&c->out, tp_buf_text(&whole, tail));
	name = text_of(&whole);
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

/* Writes an address, or its distance to the last one if that is shorter. */
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

/* ---- the report ---- */

/* Numbers functions that share name and file (pprof: getDisambiguatedNames). */
static int tell_apart(struct callgrind *c)
{
	struct tp_buf key = {0};

	c->same = calloc(c->g->n + 1, sizeof(*c->same));
	if (!c->same)
		return TP_ENOMEM;
	for (size_t i = 0; i < c->g->n; i++) {
		const struct rep_node *n = c->g->node[i];
		uint32_t *functions, *nth;

		key.size = 0;
		tp_buf_put(&key, &n->info.name.size, sizeof(n->info.name.size));
		tp_buf_put(&key, n->info.name.text, n->info.name.size);
		tp_buf_put(&key, n->info.file.text, n->info.file.size);
		functions = number_of(c, &c->shared, text_of(&key));
		rep_writer_fail(&c->out, tp_buf_put(&key, &n->function, sizeof(n->function)));
		nth = number_of(c, &c->nth, text_of(&key));
		if (!functions || !nth)
			break;
		if (!*nth)
			*nth = ++*functions;
		c->same[i] = (struct same){*nth, (uint32_t)(functions - numbers(&c->shared))};
	}
	tp_buf_release(&key);
	return 0;
}

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
	rep_writer_fail(&c.out, names_init(&c.shared));
	rep_writer_fail(&c.out, names_init(&c.nth));
	if (!rep_writer_failed(&c.out))
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
	names_release(&c.shared);
	names_release(&c.nth);
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
