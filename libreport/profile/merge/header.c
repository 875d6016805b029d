/* Merges everything but the samples of profiles: times, comments, defaults. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/many.h"
#include "base/sum.h"
#include "profile/merge/parts.h"

static int add_comments(struct rep_translation *t)
{
	int code = 0;

	for (size_t i = 0; i < t->from->ncomments && !code; i++) {
		uint32_t comment = rep_merge_string(t, t->from->comments[i]);

		code = t->code;
		if (!code)
			code = tp_grow(&t->m->commented, &t->m->ncommented, comment,
				       sizeof(*t->m->commented));
		if (!code && (t->m->plain || !t->m->commented[comment]))
			code = tp_profile_add_comment(t->to, comment);
		if (!code)
			t->m->commented[comment] = true;
	}
	return code;
}

static int remember_types(struct rep_translation *t)
{
	struct rep_merger *m = t->m;
	struct rep_part_types *p = tp_more(m->part, m->nparts + 1, sizeof(*p));

	if (!p)
		return TP_ENOMEM;
	m->part = p;
	p += m->nparts;
	*p = (struct rep_part_types){.n = t->from->ntypes};
	p->type = calloc(p->n + 1, sizeof(*p->type));
	m->nparts++;
	if (!p->type)
		return TP_ENOMEM;
	p->default_type = rep_merge_string(t, t->from->default_type);
	for (size_t i = 0; i < t->from->ntypes; i++)
		p->type[i] = rep_merge_string(t, t->from->types[i].type);
	return t->code;
}

/* Takes the header of the first part. */
int rep_merge_first_header(struct rep_translation *t)
{
	struct tp_profile *sum = t->to;
	const struct tp_profile *p = t->from;
	int code = 0;

	snprintf(sum->format, sizeof(sum->format), "%s", p->format);
	for (size_t i = 0; i < p->ntypes && !code; i++) {
		uint32_t type = rep_merge_string(t, p->types[i].type);
		uint32_t unit = rep_merge_string(t, p->types[i].unit);

		code = tp_profile_add_type(sum, type, unit);
		t->column[i] = i;
		t->unit[i] = 1;
	}
	sum->period_type.type = rep_merge_string(t, p->period_type.type);
	sum->period_type.unit = rep_merge_string(t, p->period_type.unit);
	sum->drop_frames = rep_merge_string(t, p->drop_frames);
	sum->keep_frames = rep_merge_string(t, p->keep_frames);
	sum->default_type = rep_merge_string(t, p->default_type);
	sum->period = p->period;
	return code ? code : t->code;
}

int rep_merge_common_header(struct rep_translation *t)
{
	struct tp_profile *sum = t->to;
	const struct tp_profile *p = t->from;
	int code = remember_types(t);

	if (!sum->time_ns || p->time_ns < sum->time_ns)
		sum->time_ns = p->time_ns;
	sum->duration_ns = tp_plus(sum->duration_ns, p->duration_ns);
	if (!sum->doc_url)
		sum->doc_url = rep_merge_string(t, p->doc_url);
	if (!code)
		code = add_comments(t);
	/* The first mapping is the program. */
	if (!sum->nmappings && p->nmappings)
		rep_merge_mapping(t, 1);
	for (uint32_t i = 2; i <= p->nmappings && t->m->plain; i++)
		rep_merge_mapping(t, i);
	return code ? code : t->code;
}
