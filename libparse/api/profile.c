#include <stdlib.h>

#include "api/handle.h"
#include "base/many.h"

int api_profile_open(struct tprof *t, struct tp_profile *p, struct tp_err *err)
{
	t->profile = p;
	t->dict = p->dict;
	t->types = tp_many(p->ntypes + 1, sizeof(*t->types));
	if (!t->types)
		return tp_nomem(err);
	for (size_t i = 0; i < p->ntypes; i++)
		t->types[i] = (struct tprof_sample_type){api_text(t, p->types[i].type),
							 api_text(t, p->types[i].unit)};
	return 0;
}

void api_profile_release(struct tprof *t)
{
	free(t->types);
	tp_profile_free(t->profile);
}

int tprof_next_sample(struct tprof *t, const struct tprof_sample **sample, struct tprof_err *err)
{
	const struct tp_profile *p = t->profile;
	size_t i = t->sample_at;
	int code = api_refuse(t, API_SAMPLES, err);

	*sample = NULL;
	if (code || i == p->nsamples)
		return code;
	t->sample = (struct tprof_sample){
	    .value = p->value + i * p->ntypes,
	    .stack = p->stack[i],
	};
	t->sample_at++;
	*sample = &t->sample;
	return 1;
}

const struct tprof_label *tprof_label(struct tprof *t, size_t i)
{
	const struct tp_profile *p = t->profile;
	const struct tp_label_set *set;
	const struct tp_label *l;

	if (!t->sample_at)
		return NULL;
	set = &p->sets[p->label_set[t->sample_at - 1]];
	if (i >= set->n)
		return NULL;
	l = &p->labels[set->first + i];
	t->label = (struct tprof_label){
	    .key = api_text(t, l->key),
	    .text = l->numeric ? NULL : api_text(t, l->text),
	    .number = l->number,
	    .unit = api_text(t, l->unit),
	};
	return &t->label;
}

const struct tprof_sample_type *tprof_sample_type(struct tprof *t, size_t i)
{
	return t->profile && i < t->profile->ntypes ? &t->types[i] : NULL;
}

/* ---- stacks, of traces too ---- */

static const char *module_of(const struct tprof *t, uint32_t mapping)
{
	const struct tp_profile *p = t->profile;

	return p && mapping && mapping <= p->nmappings ? api_text(t, p->mappings[mapping - 1].file)
						       : "";
}

const struct tprof_frame *tprof_next_frame(struct tprof *t, uint32_t *stack)
{
	struct tp_stack_node node;
	struct tp_frame frame;
	struct tp_function function;
	struct tp_location location;

	if (!t->dict || !*stack)
		return NULL;
	/* Frame 0, the unknown frame, does not end the stack: its callers may be known. */
	node = tp_dict_stack_at(t->dict, *stack);
	*stack = node.parent;
	frame = tp_dict_frame_at(t->dict, node.frame);
	function = tp_dict_function_at(t->dict, frame.function);
	location = tp_dict_location_at(t->dict, frame.location);
	t->frame = (struct tprof_frame){
	    .function = api_text(t, function.name),
	    .file = api_text(t, function.file),
	    .line = frame.line,
	    .address = location.address,
	    .module = module_of(t, location.mapping),
	    .inlined = frame.inlined,
	};
	return &t->frame;
}
