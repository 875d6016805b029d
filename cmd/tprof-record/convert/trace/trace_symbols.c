/* The symbols file beside a trace of go 1.5 (libparse/symbol/sidecar.h reads it). */
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "symbol/frame.h"
#include "tprof-record/convert/profile/profile.h"
#include "tprof-record/convert/trace/trace.h"

struct sidecar {
	const struct rec_process *p;
	struct rec_names *names;
	struct tp_profile *out;
	uint64_t *pcs;
	size_t npcs, room;
	uint64_t main_pc; /* in the function main, where that has no name; 0 */
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
	for (uint32_t i = 0; !code && i < a->header->gs.used; i++)
		code = add_pc(c, a->gs[i].entry + 1);
	for (size_t i = 0; !code && i < c->p->nevents; i++)
		if (c->p->events[i].kind == REC_THREAD_NEW || c->p->events[i].kind == REC_G_NEW)
			code = add_pc(c, c->p->events[i].object + 1);
	if (code || !c->npcs)
		return code;
	qsort(c->pcs, c->npcs, sizeof(*c->pcs), by_number);
	for (size_t i = 0; i < c->npcs; i++)
		if (c->pcs[i] > 1 && (!n || c->pcs[i] != c->pcs[n - 1]))
			c->pcs[n++] = c->pcs[i];
	c->npcs = n;
	return 0;
}

/* A stripped program has no name for main: finds a PC in it. */
static void find_main(struct sidecar *c)
{
	uint64_t pc;

	for (size_t i = 0; i < c->p->nevents; i++) {
		const struct rec_event *e = &c->p->events[i];

		if (e->g != 1 || !e->stack)
			continue;
		rec_names_begin(c->names, 0, e->stack, &pc);
		c->main_pc = pc && !rec_names_known(c->names, pc) ? pc : 0;
		return;
	}
}

static int copy_text(struct sidecar *c, const char *text, uint32_t *id)
{
	return tp_dict_string(c->out->dict, text, strlen(text), id);
}

static int add_types(struct sidecar *c)
{
	uint32_t type, unit;
	int code = copy_text(c, "symbols", &type);

	if (!code)
		code = copy_text(c, "count", &unit);
	return code ? code : tp_profile_add_type(c->out, type, unit);
}

/* Copies the frames at a PC into the profile's dictionary. */
static int add_location(struct sidecar *c, uint64_t pc)
{
	struct tp_location location = {.address = pc,
				       .mapping = rec_names_module(c->names, pc - 1)};
	struct tp_dict *from = rec_names_dict(c->names), *to = c->out->dict;
	struct tp_frame lines[TP_SYMBOL_FRAMES];
	const uint32_t *frames;
	size_t n = rec_names_frames(c->names, pc, &frames), k = 0;
	uint32_t stack = 0;
	int code = 0;

	for (size_t i = n; !code && i-- && k < TP_SYMBOL_FRAMES;) {
		struct tp_frame f = tp_dict_frame_at(from, frames[i]);
		struct tp_function fn = tp_dict_function_at(from, f.function);

		if (!f.function)
			continue;
		code = copy_text(c, pc == c->main_pc ? "main" : tp_dict_text(from, fn.name).text,
				 &fn.name);
		if (!code)
			code =
			    copy_text(c, tp_dict_text(from, fn.system_name).text, &fn.system_name);
		if (!code)
			code = copy_text(c, tp_dict_text(from, fn.file).text, &fn.file);
		if (!code)
			code = tp_dict_function(to, &fn, &f.function);
		lines[k++] = f;
	}
	if (!code)
		code = tp_profile_push_location(c->out, &stack, &location, lines, k);
	return code ? code : tp_profile_add_sample(c->out, stack, 0, (int64_t[]){0});
}

int rec_trace_symbols(const struct rec_process *p, struct rec_names *names, struct tp_buf *out,
		      struct tp_err *err)
{
	struct sidecar c = {.p = p, .names = names, .out = tp_profile_new()};
	int code = c.out ? 0 : TP_ENOMEM;

	rec_names_for_traces(names);
	if (!code)
		code = add_types(&c);
	if (!code)
		code = rec_profile_modules(c.out, p,
					   TP_MAPPING_FUNCTIONS | TP_MAPPING_FILENAMES |
					       TP_MAPPING_LINES | TP_MAPPING_INLINES);
	if (!code)
		code = collect_pcs(&c);
	if (!code)
		find_main(&c);
	for (size_t i = 0; !code && i < c.npcs; i++)
		if (!rec_names_own(names, c.pcs[i]))
			code = add_location(&c, c.pcs[i]);
	if (code)
		tp_err_full(err, code, "the trace has too many symbols");
	if (!code)
		code = rec_profile_pack(c.out, out, err);
	free(c.pcs);
	tp_profile_free(c.out);
	return code;
}
