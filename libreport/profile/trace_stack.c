#include "profile/trace_stack.h"

#include <stdlib.h>
#include <string.h>

#include "base/many.h"

int rep_trace_string(struct rep_trace_stacks *s, uint32_t id, uint32_t *out)
{
	struct tp_text text;
	int code;

	*out = 0;
	if (!id || id >= tp_dict_strings(s->from))
		return 0;
	if (!s->string)
		s->string = calloc(tp_dict_strings(s->from), sizeof(*s->string));
	if (!s->string)
		return TP_ENOMEM;
	if (!s->string[id]) {
		text = tp_dict_text(s->from, id);
		code = tp_dict_string(s->to->dict, text.text, text.size, out);
		if (code)
			return code;
		s->string[id] = *out + 1;
	}
	*out = s->string[id] - 1;
	return 0;
}

static int view_function(struct rep_trace_stacks *s, const struct tp_function *of, uint32_t *out)
{
	struct tp_function f = *of;
	int code = rep_trace_string(s, f.name, &f.name);

	f.system_name = f.name;
	if (!code)
		code = rep_trace_string(s, f.file, &f.file);
	return code ? code : tp_dict_function(s->to->dict, &f, out);
}

/* The entry function as a frame without a line: the function of this name in the run, if any. */
static int entry_frame(struct rep_trace_stacks *s, uint32_t entry, uint32_t *out)
{
	uint32_t n = tp_dict_functions(s->from);
	struct tp_function f = {.name = entry};
	struct tp_frame frame = {0};
	int code;

	if (!s->function)
		s->function = calloc(tp_dict_strings(s->from) + (size_t)1, sizeof(*s->function));
	if (!s->function)
		return TP_ENOMEM;
	for (; s->nfunctions < n; s->nfunctions++) {
		uint32_t name = tp_dict_function_at(s->from, s->nfunctions).name;

		if (name < tp_dict_strings(s->from) && !s->function[name])
			s->function[name] = s->nfunctions;
	}
	if (entry < tp_dict_strings(s->from) && s->function[entry])
		f = tp_dict_function_at(s->from, s->function[entry]);
	code = view_function(s, &f, &frame.function);
	return code ? code : tp_dict_frame(s->to->dict, &frame, out);
}

static int make_frame(struct rep_trace_stacks *s, uint32_t id, uint32_t *out)
{
	struct tp_frame frame = tp_dict_frame_at(s->from, id);
	struct tp_function f = tp_dict_function_at(s->from, frame.function);
	struct tp_location l = tp_dict_location_at(s->from, frame.location);
	int code = 0;

	/* The run's mapping numbers and flags have no meaning in the profile. */
	l.mapping = l.address ? s->mapping : 0;
	l.flags = 0;
	if (frame.function)
		code = view_function(s, &f, &frame.function);
	if (!code && !l.address && !frame.function)
		l.flags = TP_LOCATION_BARE;
	if (!code)
		code = tp_dict_location(s->to->dict, &l, &frame.location);
	frame.inlined = 0;
	return code ? code : tp_dict_frame(s->to->dict, &frame, out);
}

static int view_frame(struct rep_trace_stacks *s, uint32_t id, uint32_t *out)
{
	int code;

	if (id >= tp_dict_frames(s->from))
		id = 0;
	if (!s->frame)
		s->frame = calloc(tp_dict_frames(s->from) + (size_t)1, sizeof(*s->frame));
	if (!s->frame)
		return TP_ENOMEM;
	if (!s->frame[id]) {
		code = make_frame(s, id, out);
		if (code)
			return code;
		s->frame[id] = *out + 1;
	}
	*out = s->frame[id] - 1;
	return 0;
}

/* Finds the index of a stack in s->node, where 0 means that it is not copied yet. */
static int known(struct rep_trace_stacks *s, uint32_t entry, uint32_t stack, uint32_t *index)
{
	int code = rep_keys_add(&s->known, entry, stack, 0, 0, index);

	return code ? code : tp_grow(&s->node, &s->node_room, *index, sizeof(*s->node));
}

static int remember_path(struct rep_trace_stacks *s, size_t n, uint32_t index)
{
	if (tp_grow(&s->path, &s->path_room, n, sizeof(*s->path)))
		return TP_ENOMEM;
	s->path[n] = index;
	return 0;
}

/* Copies a stack without the explaining leaf: goes up to a node that is copied, or above the root,
 * and back down. */
static int code_stack(struct rep_trace_stacks *s, uint32_t entry, uint32_t stack, uint32_t *out)
{
	uint32_t at = stack, frame, index = 0;
	size_t n = 0;
	int code = 0;

	*out = 0;
	if (stack >= tp_dict_stacks(s->from))
		at = 0;
	if (at && entry == tp_dict_frame_name(s->from, tp_dict_stack_root(s->from, at)))
		entry = 0;
	while (!code && at) {
		uint32_t parent = tp_dict_stack_at(s->from, at).parent;

		code = known(s, entry, at, &index);
		if (!code && s->node[index])
			break;
		if (!code)
			code = remember_path(s, n++, index);
		at = parent < at ? parent : 0;
	}
	if (!code && at) {
		*out = s->node[index];
	} else if (!code && entry) {
		code = entry_frame(s, entry, &frame);
		if (!code)
			code = tp_dict_stack(s->to->dict, 0, frame, out);
	}
	while (!code && n) {
		index = s->path[--n];
		at = s->known.key[index].part[1];
		code = view_frame(s, tp_dict_stack_at(s->from, at).frame, &frame);
		if (!code)
			code = tp_dict_stack(s->to->dict, *out, frame, out);
		if (!code)
			s->node[index] = *out;
	}
	return code;
}

/* Makes a frame that is not code of the program. */
static int leaf_frame(struct rep_trace_stacks *s, uint32_t name, uint32_t *frame)
{
	const struct tp_function f = {.name = name, .system_name = name};
	struct tp_frame of = {0};
	int code = tp_dict_function(s->to->dict, &f, &of.function);

	return code ? code : tp_dict_frame(s->to->dict, &of, frame);
}

static int leaf_name(struct rep_trace_stacks *s, const struct rep_trace_leaf *leaf, uint32_t *name)
{
	struct tp_text reason = tp_dict_text(s->from, leaf->reason);
	char few[64], *text = few;
	int code;

	if (leaf->text)
		return tp_dict_string(s->to->dict, leaf->text, strlen(leaf->text), name);
	if (reason.size + 2 > sizeof(few))
		text = malloc((size_t)reason.size + 2);
	if (!text)
		return TP_ENOMEM;
	text[0] = '[';
	memcpy(text + 1, reason.text, reason.size);
	text[reason.size + 1] = ']';
	code = tp_dict_string(s->to->dict, text, (size_t)reason.size + 2, name);
	if (text != few)
		free(text);
	return code;
}

int rep_trace_stack(struct rep_trace_stacks *s, uint32_t entry, uint32_t stack,
		    const struct rep_trace_leaf *leaf, uint32_t *out)
{
	uint32_t name, frame;
	int code = code_stack(s, entry, stack, out);

	if (code || (!leaf->text && !leaf->reason))
		return code;
	code = leaf_name(s, leaf, &name);
	if (!code)
		code = leaf_frame(s, name, &frame);
	return code ? code : tp_dict_stack(s->to->dict, *out, frame, out);
}

int rep_trace_stack_top(struct rep_trace_stacks *s, uint32_t stack, size_t most, uint32_t *out)
{
	uint32_t at = stack < tp_dict_stacks(s->from) ? stack : 0, frame;
	size_t n = 0;
	int code = 0;

	*out = 0;
	for (; !code && at && n < most; n++) {
		struct tp_stack_node node = tp_dict_stack_at(s->from, at);

		code = remember_path(s, n, node.frame);
		at = node.parent < at ? node.parent : 0;
	}
	while (!code && n) {
		code = view_frame(s, s->path[--n], &frame);
		if (!code)
			code = tp_dict_stack(s->to->dict, *out, frame, out);
	}
	return code;
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
