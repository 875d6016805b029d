/* Stacks, and where in them the program begins. */
#include <stdlib.h>
#include <string.h>

#include "tprof-record/convert/names/names.h"

/* ---- where the program begins ---- */

/* Functions of the program's own file that do not name a goroutine: those of C's start-up, and the
 * standard libraries of C++ and Rust that are compiled into programs. */
static bool starts_others(const char *name)
{
	static const char *const names[] = {
	    "_start",	"std::",     "core::",	 "alloc::", "__rust", "_ZNSt",	   "_ZN3std",
	    "_ZN4core", "_ZN5alloc", "<alloc::", "<core::", "<std::", "__gthread", "call_once"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Returns the place of a PC if it may be of the program; else NULL, and its file is not read. */
static const struct rec_place *place_of_program(struct rec_names *n, uint64_t pc)
{
	const struct rec_place *p = rec_names_locate(n, pc);

	return p->own || p->starter ? NULL : rec_names_place(n, pc);
}

/* The first frame of such a place, counted from the root, that is of the program; p->n: none is. */
static uint32_t first_own(const struct rec_names *n, const struct rec_place *p)
{
	uint32_t i = 0;

	while (i < p->n) {
		uint32_t name = tp_dict_frame_name(n->dict, p->frames[i]);

		if (!starts_others(tp_dict_text(n->dict, name).text))
			break;
		i++;
	}
	return i;
}

uint32_t rec_names_begin(struct rec_names *n, uint64_t entry, uint32_t stack, uint64_t *pc)
{
	uint64_t pcs[REC_MAX_DEPTH];
	size_t size = rec_process_stack(n->p, stack, pcs, REC_MAX_DEPTH);
	const struct rec_place *p;
	uint32_t i;

	*pc = entry + 1;
	p = entry ? place_of_program(n, *pc) : NULL;
	if (p && p->module && (i = first_own(n, p)) < p->n)
		return p->frames[i];
	for (size_t k = size; k--;) {
		p = place_of_program(n, pcs[k]);
		/* Without a name at the very root it is what calls libc: _start. */
		if (!p || !p->module || (!p->named && k + 1 == size && k) ||
		    (i = first_own(n, p)) == p->n)
			continue;
		*pc = p->pc;
		return p->frames[i];
	}
	/* Better than nothing: the trampoline. */
	if (!entry) {
		*pc = 0;
		return 0;
	}
	return rec_names_place(n, *pc)->frames[0];
}

/* ---- stacks ---- */

/* Puts the frames of a place on a stack; below == 0: those below the program are left out, if so
 * wished. */
static int push(struct rec_names *n, const struct rec_place *p, bool at_root, bool whole,
		uint32_t *below)
{
	uint32_t i = 0;
	int code = 0;

	if (!whole && !*below)
		i = !p->named && at_root ? p->n : first_own(n, p);
	for (; !code && i < p->n; i++)
		code = tp_dict_stack(n->dict, *below, p->frames[i], below);
	return code;
}

static int walk(struct rec_names *n, uint32_t *known, uint32_t stack, bool whole, uint32_t *node,
		struct tp_err *err)
{
	const struct rec_node *nodes = n->p->arena.nodes;
	uint32_t path[REC_MAX_DEPTH], below;
	size_t depth = 0;

	/* Up to what is known, and down again. */
	for (; stack && !known[stack] && depth < REC_MAX_DEPTH; stack = nodes[stack].parent)
		path[depth++] = stack;
	below = stack && known[stack] ? known[stack] - 1 : 0;
	for (size_t i = depth; i > 0; i--) {
		uint32_t at = path[i - 1];
		uint64_t pc = nodes[at].pc;
		const struct rec_place *p = rec_names_locate(n, pc);
		int code = 0;

		if (!p->own && (whole || below || !p->starter))
			p = rec_names_place(n, pc);
		if (p->pc != pc)
			return tp_nomem(err);
		if (p->frames)
			code = push(n, p, !nodes[at].parent, whole, &below);
		if (code == TP_ENOMEM)
			return tp_nomem(err);
		if (code)
			return tp_err_set(err, code, TP_OFFSET_NONE, "there are too many stacks");
		known[at] = below + 1;
	}
	*node = below;
	return 0;
}

static int put_stack(struct rec_names *n, uint32_t stack, uint32_t *node, struct tp_err *err)
{
	int code;

	*node = 0;
	if (!stack || stack >= n->nnodes)
		return 0;
	code = walk(n, n->node, stack, !n->for_traces, node, err);
	if (code || *node || !n->for_traces)
		return code;
	/* All of it is below the program (a thread of libc's own): better than nothing. */
	if (!n->whole)
		n->whole = calloc(n->nnodes + (size_t)1, sizeof(*n->whole));
	return n->whole ? walk(n, n->whole, stack, true, node, err) : tp_nomem(err);
}

int rec_names_stack(struct rec_names *n, uint32_t stack, uint32_t *node, struct tp_err *err)
{
	int code = put_stack(n, stack & ~REC_LAST_STACK, node, err);

	if (code || !(stack & REC_LAST_STACK))
		return code;
	code =
	    tp_dict_stack(n->dict, *node, rec_names_place(n, REC_LAST_STACK_PC)->frames[0], node);
	return code ? tp_err_full(err, code, "there are too many stacks") : 0;
}

size_t rec_names_drop_own(struct rec_names *n, uint64_t *pcs, size_t npcs)
{
	size_t kept = 0;

	for (size_t i = 0; i < npcs; i++)
		if (!rec_names_locate(n, pcs[i])->own)
			pcs[kept++] = pcs[i];
	return kept;
}

size_t rec_names_pcs(struct rec_names *n, uint32_t stack, uint64_t *pcs, size_t room)
{
	size_t all, k, extra = stack & REC_LAST_STACK && room;

	if (extra)
		*pcs++ = REC_LAST_STACK_PC;
	all = k = rec_names_drop_own(
	    n, pcs, rec_process_stack(n->p, stack & ~REC_LAST_STACK, pcs, room - extra));

	for (; k && n->for_traces; k--) {
		const struct rec_place *p = place_of_program(n, pcs[k - 1]);

		if (p && (p->named || k < all) && first_own(n, p) < p->n)
			break;
	}
	return extra + (k ? k : all);
}
