#include "profile/trace_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/many.h"

/* ---- adding to the profile; every function returns 0 after an error ---- */

static uint32_t put_string(struct rep_trace_stacks *s, const char *text, size_t size)
{
	uint32_t id = 0;

	if (!s->code)
		s->code = tp_dict_string(s->to->dict, text, size, &id);
	return id;
}

static uint32_t put_function(struct rep_trace_stacks *s, const struct tp_function *f)
{
	uint32_t id = 0;

	if (!s->code)
		s->code = tp_dict_function(s->to->dict, f, &id);
	return id;
}

static uint32_t put_frame(struct rep_trace_stacks *s, const struct tp_frame *f)
{
	uint32_t id = 0;

	if (!s->code)
		s->code = tp_dict_frame(s->to->dict, f, &id);
	return id;
}

static uint32_t push(struct rep_trace_stacks *s, uint32_t parent, uint32_t frame)
{
	uint32_t id = 0;

	if (!s->code)
		s->code = tp_dict_stack(s->to->dict, parent, frame, &id);
	return id;
}

/* ---- copies of the run's strings and frames ---- */

/* Allocates a table of numbers by id when it is first needed. Returns false after an error. */
static bool is_made(struct rep_trace_stacks *s, uint32_t **table, size_t n)
{
	if (!*table && !s->code) {
		*table = calloc(n + 1, sizeof(**table));
		s->code = *table ? 0 : TP_ENOMEM;
	}
	return !s->code;
}

uint32_t rep_trace_string(struct rep_trace_stacks *s, uint32_t id)
{
	uint32_t n = tp_dict_strings(s->from);
	struct tp_text text;

	if (!id || id >= n || !is_made(s, &s->string, n))
		return 0;
	if (!s->string[id]) {
		text = tp_dict_text(s->from, id);
		s->string[id] = put_string(s, text.text, text.size) + 1;
	}
	return s->string[id] - 1;
}

static uint32_t view_function(struct rep_trace_stacks *s, struct tp_function f)
{
	f.name = f.system_name = rep_trace_string(s, f.name);
	f.file = rep_trace_string(s, f.file);
	return put_function(s, &f);
}

/* Returns a frame without a line for the entry function: the run's function of this name, if it has
 * one. */
static uint32_t entry_frame(struct rep_trace_stacks *s, uint32_t entry)
{
	uint32_t n = tp_dict_functions(s->from), strings = tp_dict_strings(s->from);
	struct tp_function f = {.name = entry};

	if (!is_made(s, &s->function, strings))
		return 0;
	for (; s->nfunctions < n; s->nfunctions++) {
		uint32_t name = tp_dict_function_at(s->from, s->nfunctions).name;

		if (name < strings && !s->function[name])
			s->function[name] = s->nfunctions;
	}
	if (entry < strings && s->function[entry])
		f = tp_dict_function_at(s->from, s->function[entry]);
	return put_frame(s, &(struct tp_frame){.function = view_function(s, f)});
}

static uint32_t make_frame(struct rep_trace_stacks *s, uint32_t id)
{
	struct tp_frame frame = tp_dict_frame_at(s->from, id);
	struct tp_location l = tp_dict_location_at(s->from, frame.location);

	if (frame.function)
		frame.function = view_function(s, tp_dict_function_at(s->from, frame.function));
	/* The run's mapping numbers and flags have no meaning in the profile. */
	l.mapping = l.address ? s->mapping : 0;
	l.flags = l.address || frame.function ? 0 : TP_LOCATION_BARE;
	if (!s->code)
		s->code = tp_dict_location(s->to->dict, &l, &frame.location);
	frame.inlined = 0;
	return put_frame(s, &frame);
}

static uint32_t view_frame(struct rep_trace_stacks *s, uint32_t id)
{
	uint32_t n = tp_dict_frames(s->from);

	if (id >= n)
		id = 0;
	if (!is_made(s, &s->frame, n))
		return 0;
	if (!s->frame[id])
		s->frame[id] = make_frame(s, id) + 1;
	return s->frame[id] - 1;
}

/* ---- stacks ---- */

/* Finds the index of a stack in s->node; the entry is 0 if the stack is not copied yet. */
static uint32_t known(struct rep_trace_stacks *s, uint32_t entry, uint32_t stack)
{
	uint32_t index = 0;

	s->code = rep_keys_add(&s->known, entry, stack, 0, 0, &index);
	if (!s->code)
		s->code = tp_grow(&s->node, &s->node_room, index, sizeof(*s->node));
	return index;
}

static void remember_path(struct rep_trace_stacks *s, size_t n, uint32_t index)
{
	s->code = tp_grow(&s->path, &s->path_room, n, sizeof(*s->path));
	if (!s->code)
		s->path[n] = index;
}

/* Copies a stack without the explaining leaf: goes up to a node that is already copied, or above
 * the root, and back down. */
static uint32_t code_stack(struct rep_trace_stacks *s, uint32_t entry, uint32_t stack)
{
	uint32_t at = stack < tp_dict_stacks(s->from) ? stack : 0, index = 0, out = 0;
	size_t n = 0;

	if (at && entry == tp_dict_frame_name(s->from, tp_dict_stack_root(s->from, at)))
		entry = 0;
	while (!s->code && at) {
		uint32_t parent = tp_dict_stack_at(s->from, at).parent;

		index = known(s, entry, at);
		if (s->code || s->node[index])
			break;
		remember_path(s, n++, index);
		at = parent < at ? parent : 0;
	}
	if (!s->code && at)
		out = s->node[index];
	else if (!s->code && entry)
		out = push(s, 0, entry_frame(s, entry));
	while (!s->code && n) {
		index = s->path[--n];
		at = s->known.key[index].part[1];
		out = push(s, out, view_frame(s, tp_dict_stack_at(s->from, at).frame));
		s->node[index] = out;
	}
	return out;
}

static uint32_t leaf_name(struct rep_trace_stacks *s, const struct rep_trace_leaf *leaf)
{
	struct tp_text reason = tp_dict_text(s->from, leaf->reason);
	struct tp_buf text = {0};
	uint32_t name;

	if (leaf->text)
		return put_string(s, leaf->text, strlen(leaf->text));
	tp_buf_text(&text, "[");
	tp_buf_put(&text, reason.text, reason.size);
	if (tp_buf_text(&text, "]"))
		s->code = TP_ENOMEM;
	name = put_string(s, (char *)text.data, text.size);
	tp_buf_release(&text);
	return name;
}

uint32_t rep_trace_stack(struct rep_trace_stacks *s, uint32_t entry, uint32_t stack,
			 const struct rep_trace_leaf *leaf)
{
	uint32_t out = code_stack(s, entry, stack);
	struct tp_function f = {0};

	if (!leaf->text && !leaf->reason)
		return out;
	/* This frame is not code of the program. */
	f.name = f.system_name = leaf_name(s, leaf);
	return push(s, out, put_frame(s, &(struct tp_frame){.function = put_function(s, &f)}));
}

uint32_t rep_trace_stack_top(struct rep_trace_stacks *s, uint32_t stack, size_t most)
{
	uint32_t at = stack < tp_dict_stacks(s->from) ? stack : 0, out = 0;
	size_t n = 0;

	for (; !s->code && at && n < most; n++) {
		struct tp_stack_node node = tp_dict_stack_at(s->from, at);

		remember_path(s, n, node.frame);
		at = node.parent < at ? node.parent : 0;
	}
	while (!s->code && n)
		out = push(s, out, view_frame(s, s->path[--n]));
	return out;
}

int rep_trace_add_type(struct tp_profile *p, const char *type, const char *unit)
{
	struct tp_value_type t;
	int code = tp_dict_string(p->dict, type, strlen(type), &t.type);

	if (!code)
		code = tp_dict_string(p->dict, unit, strlen(unit), &t.unit);
	return code ? code : tp_profile_add_type(p, t.type, t.unit);
}

void rep_trace_stacks_release(struct rep_trace_stacks *s)
{
	rep_keys_release(&s->known);
	free(s->node);
	free(s->frame);
	free(s->string);
	free(s->function);
	free(s->path);
	memset(s, 0, sizeof(*s));
}
