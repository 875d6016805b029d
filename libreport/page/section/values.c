/* Values of sample types, shown with their units. */
#include <stdio.h>
#include <string.h>

#include "page/inside.h"

static const char *text_of(const struct tp_profile *profile, uint32_t string)
{
	return tp_dict_text(profile->dict, string).text;
}

size_t page_types(const struct page *p, const struct tp_profile *profile, size_t index[PAGE_TYPES])
{
	size_t n = 0, first = 0;
	struct tp_err err;

	if (!profile->ntypes || rep_profile_sample_index(profile, p->type, &first, &err))
		return 0;
	index[n++] = first;
	for (size_t i = profile->ntypes; i-- > 0 && n < PAGE_TYPES && !p->type;) {
		if (i != first)
			index[n++] = i;
	}
	return n;
}

struct rep_flame_measure page_measure(const struct tp_profile *profile, size_t type)
{
	return rep_flame_measure(text_of(profile, profile->types[type].type),
				 text_of(profile, profile->types[type].unit));
}

enum rep_kind page_kind(const struct rep_flame_measure *m)
{
	return m->kind == REP_FLAME_TIME   ? REP_NS
	       : m->kind == REP_FLAME_SIZE ? REP_BYTES
					   : REP_COUNT;
}

struct rep_value page_scaled(const struct rep_flame_measure *m, int64_t v)
{
	int64_t out;

	if (m->kind == REP_FLAME_COUNT)
		return rep_int(v);
	if (__builtin_mul_overflow(v, m->scale, &out))
		out = v < 0 ? -INT64_MAX : INT64_MAX;
	return rep_int(out);
}

void page_type_heading(struct tp_buf *h, const struct tp_profile *profile, size_t type)
{
	tp_buf_text(h, "<h3>");
	html_str(h, text_of(profile, profile->types[type].type));
	tp_buf_text(h, " <small>");
	html_str(h, text_of(profile, profile->types[type].unit));
	tp_buf_text(h, "</small></h3>\n");
}

/* A shell may read "--sample-index=NAME", and the name comes from the dump. So only harmless names
 * are written; other types are given by number. */
void page_type_command(struct page *p, struct tp_buf *h, const char *command,
		       const struct tp_profile *profile, size_t type)
{
	const char *name = text_of(profile, profile->types[type].type);
	char text[300];
	bool harmless = *name && strlen(name) < 100;

	for (const char *c = name; *c; c++)
		harmless = harmless && (*c == '_' || (*c >= 'a' && *c <= 'z') ||
					(*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9'));
	if (harmless)
		snprintf(text, sizeof(text), "%s --sample-index=%s", command, name);
	else
		snprintf(text, sizeof(text), "%s --sample-index=%zu", command, type);
	page_more(p, h, text, "");
}
