/* What profiles say besides their samples, of many: times, comments, defaults. */
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
		uint32_t comment;

		code = rep_merge_string(t, t->from->comments[i], &comment);
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
	int code;

	if (!p)
		return TP_ENOMEM;
	m->part = p;
	p += m->nparts;
	*p = (struct rep_part_types){.n = t->from->ntypes};
	p->type = calloc(p->n + 1, sizeof(*p->type));
	m->nparts++;
	code = p->type ? rep_merge_string(t, t->from->default_type, &p->default_type) : TP_ENOMEM;
	for (size_t i = 0; i < t->from->ntypes && !code; i++)
		code = rep_merge_string(t, t->from->types[i].type, &p->type[i]);
	return code;
}

/* The first part says what most is. */
int rep_merge_first_header(struct rep_translation *t)
{
	struct tp_profile *sum = t->to;
	const struct tp_profile *p = t->from;
	int code = 0;

	snprintf(sum->format, sizeof(sum->format), "%s", p->format);
	for (size_t i = 0; i < p->ntypes && !code; i++) {
		uint32_t type, unit;

		code = rep_merge_string(t, p->types[i].type, &type);
		if (!code)
			code = rep_merge_string(t, p->types[i].unit, &unit);
		if (!code)
			code = tp_profile_add_type(sum, type, unit);
		t->column[i] = i;
		t->unit[i] = 1;
	}
	if (!code)
		code = rep_merge_string(t, p->period_type.type, &sum->period_type.type);
	if (!code)
		code = rep_merge_string(t, p->period_type.unit, &sum->period_type.unit);
	if (!code)
		code = rep_merge_string(t, p->drop_frames, &sum->drop_frames);
	if (!code)
		code = rep_merge_string(t, p->keep_frames, &sum->keep_frames);
	if (!code)
		code = rep_merge_string(t, p->default_type, &sum->default_type);
	sum->period = p->period;
	return code;
}

int rep_merge_common_header(struct rep_translation *t)
{
	struct tp_profile *sum = t->to;
	const struct tp_profile *p = t->from;
	int code = remember_types(t);

	if (!sum->time_ns || p->time_ns < sum->time_ns)
		sum->time_ns = p->time_ns;
	sum->duration_ns = tp_plus(sum->duration_ns, p->duration_ns);
	if (!code && !sum->doc_url)
		code = rep_merge_string(t, p->doc_url, &sum->doc_url);
	if (!code)
		code = add_comments(t);
	/* The first mapping is the program. */
	if (!code && !sum->nmappings && p->nmappings)
		code = rep_merge_mapping(t, 1);
	for (uint32_t i = 2; i <= p->nmappings && t->m->plain && !code; i++)
		code = rep_merge_mapping(t, i);
	return code;
}
