/* The symbols file beside a trace of go 1.5 (libparse/symbol/sidecar.h reads it). */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "tprof-record/convert/profile/profile.h"
#include "tprof-record/convert/trace/tracer.h"

struct sidecar {
	struct rec_tracer *s;
	const struct rec_process *p;
	struct rec_names *names;
	struct tp_profile *out;
	uint64_t *pcs;
	size_t npcs, room;
};

static int add_pc(struct sidecar *c, uint64_t pc)
{
	if (tp_grow_raw(&c->pcs, &c->room, c->npcs, sizeof(*c->pcs)))
		return TP_ENOMEM;
	c->pcs[c->npcs++] = pc;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Collects the PCs of all stacks, and of start routines, which readers take for return addresses. */
static int collect_pcs(struct sidecar *c)
{
	const struct rec_arena *a = &c->p->arena;
	size_t n = 0;
	int code = 0;

	for (uint32_t i = 1; !code && i < a->header->nodes.used; i++)
		code = add_pc(c, a->nodes[i].pc);
	for (uint32_t i = 0; !code && i < c->s->ngs; i++)
		code = add_pc(c, c->s->gs[i].entry + 1);
	for (size_t i = 0; !code && i < c->s->nentries; i++)
		code = add_pc(c, c->s->entries[i] + 1);
	if (!code && c->p->switches)
		code = add_pc(c, REC_LAST_STACK_PC);
	if (code || !c->npcs)
		return code;
	qsort(c->pcs, c->npcs, sizeof(*c->pcs), by_number);
	for (size_t i = 0; i < c->npcs; i++)
		if (c->pcs[i] > 1 && (!n || c->pcs[i] != c->pcs[n - 1]))
			c->pcs[n++] = c->pcs[i];
	c->npcs = n;
	return 0;
}

/* A stripped program has no name for main. Returns a PC in it, 0 if main has a name or is not known. */
static uint64_t find_main(struct sidecar *c)
{
	const struct rec_goroutine *g = rec_tracer_g(c->s, 1);
	uint64_t pc;

	if (!g->stack)
		return 0;
	rec_names_begin(c->names, 0, g->stack, &pc);
	return rec_names_place(c->names, pc)->named ? 0 : pc;
}

static int add_type(struct sidecar *c)
{
	uint32_t type, unit;
	int code = tp_dict_string(c->out->dict, "symbols", 7, &type);

	if (!code)
		code = tp_dict_string(c->out->dict, "count", 5, &unit);
	return code ? code : tp_profile_add_type(c->out, type, unit);
}

static int call_main(struct tp_dict *dict, const uint32_t **frames, uint32_t *own)
{
	struct tp_frame f = tp_dict_frame_at(dict, **frames);
	struct tp_function fn = tp_dict_function_at(dict, f.function);
	int code = tp_dict_string(dict, "main", 4, &fn.name);

	if (!code)
		code = tp_dict_function(dict, &fn, &f.function);
	if (!code)
		code = tp_dict_frame(dict, &f, own);
	*frames = own;
	return code;
}

static int add_location(struct sidecar *c, uint64_t pc, bool is_main)
{
	const struct rec_place *at = rec_names_place(c->names, pc);
	const uint32_t *frames = at->frames;
	uint32_t stack = 0, own;
	int code = is_main ? call_main(c->out->dict, &frames, &own) : 0;

	if (at->own)
		return 0;
	if (!code)
		code = tp_profile_push(c->out, &stack, frames, at->n);
	return code ? code : tp_profile_add_sample(c->out, stack, 0, (int64_t[]){0});
}

int rec_trace_symbols(struct rec_tracer *s, struct tp_buf *out)
{
	struct sidecar c = {.s = s, .p = s->p, .names = s->names, .out = s->symbols};
	uint64_t main_pc = find_main(&c);
	int code = add_type(&c);

	if (!code)
		code = rec_profile_modules(c.out, c.p,
					   TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES |
					       TP_MAPPING_LINES | TP_MAPPING_INLINES);
	if (!code)
		code = collect_pcs(&c);
	for (size_t i = 0; !code && i < c.npcs; i++)
		code = add_location(&c, c.pcs[i], c.pcs[i] == main_pc);
	free(c.pcs);
	if (code)
		return tp_err_full(s->err, code, "the trace has too many symbols");
	return rec_profile_pack(c.out, out, s->err);
}
