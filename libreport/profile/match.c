#include "profile/match.h"

#include <stdlib.h>
#include <string.h>

int rep_match_init(struct rep_match *m, const struct tp_profile *p, const char *pattern,
		   const char *option, struct tp_err *err)
{
	*m = (struct rep_match){.p = p, .given = pattern != NULL};
	if (!pattern)
		return 0;
	m->nknown = tp_dict_strings(p->dict);
	m->known = calloc(m->nknown, 1);
	if (!m->known)
		return tp_nomem(err);
	return tp_regex_init(&m->re, pattern, option, err);
}

void rep_match_release(struct rep_match *m)
{
	tp_regex_release(&m->re);
	free(m->known);
	m->known = NULL;
}

int rep_match_settle(const struct rep_match *m, struct tp_err *err)
{
	return tp_regex_settle(&m->re, err);
}

/* Returns a function's name without its arguments, and without a leading dot (PPC's ABI).
 * Parentheses that belong to the name stay (pprof: simplifyFunc). */
static struct tp_text simplify(struct tp_text t)
{
	static const struct {
		const char *text;
		size_t size;
	} reserved[] = {{"(anonymous namespace)", 21}, {"operator()", 10}};

	if (t.size && *t.text == '.') {
		t.text++;
		t.size--;
	}
	for (uint32_t i = 0; i < t.size; i++) {
		size_t skip = 0;

		for (size_t r = 0; r < 2 && !skip; r++)
			if (t.size - i >= reserved[r].size &&
			    !memcmp(t.text + i, reserved[r].text, reserved[r].size))
				skip = reserved[r].size;
		if (skip) {
			i += (uint32_t)skip - 1;
		} else if (t.text[i] == '(') {
			t.size = i;
			break;
		}
	}
	return t;
}

static bool matches(const struct rep_match *m, uint32_t string)
{
	struct tp_text t = tp_dict_text(m->p->dict, string);

	if (m->simplified)
		t = simplify(t);
	return tp_regex_match(&m->re, t.text, t.size);
}

bool rep_match_string(struct rep_match *m, uint32_t string)
{
	if (string >= m->nknown) /* added after rep_match_init */
		return matches(m, string);
	if (!m->known[string])
		m->known[string] = matches(m, string) ? 2 : 1;
	return m->known[string] == 2;
}

bool rep_match_line(struct rep_match *m, uint32_t frame)
{
	struct tp_frame f = tp_dict_frame_at(m->p->dict, frame);
	struct tp_function fn;

	if (!f.function)
		return false;
	fn = tp_dict_function_at(m->p->dict, f.function);
	return rep_match_string(m, fn.name) || rep_match_string(m, fn.file);
}

bool rep_match_name(struct rep_match *m, uint32_t frame)
{
	struct tp_frame f = tp_dict_frame_at(m->p->dict, frame);
	uint32_t name = tp_dict_function_at(m->p->dict, f.function).name;

	return name && rep_match_string(m, name);
}

bool rep_match_mapping(struct rep_match *m, uint32_t frame)
{
	struct tp_frame f = tp_dict_frame_at(m->p->dict, frame);
	uint32_t mapping = tp_dict_location_at(m->p->dict, f.location).mapping;

	/* A profile without mappings gets one without a name (pprof: locateBinaries). */
	if (!m->p->nmappings)
		return rep_match_string(m, 0);
	if (!mapping || mapping > m->p->nmappings)
		return false;
	return rep_match_string(m, m->p->mappings[mapping - 1].file);
}
