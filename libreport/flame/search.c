#include "flame/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/regex.h"
#include "output/cells.h"

static bool has_capitals(const char *text)
{
	for (; *text; text++)
		if (*text >= 'A' && *text <= 'Z')
			return true;
	return false;
}

/* A search: a regular expression or a plain text. */
struct pattern {
	const char *text;
	bool fold; /* ignores the case of ASCII letters */
	bool literal;
	struct tp_regex re;
};

static bool matches(const struct pattern *p, struct tp_text s)
{
	if (!p->literal)
		return tp_regex_match(&p->re, s.text, s.size);
	return p->fold ? rep_text_holds(s.text, s.size, p->text)
		       : memmem(s.text, s.size, p->text, strlen(p->text)) != NULL;
}

static int compile(struct pattern *p, const char *text, struct tp_err *err)
{
	struct tp_buf b = {0};
	int code;

	*p = (struct pattern){.text = text, .fold = !has_capitals(text)};
	p->literal = !strpbrk(text, "\\.+*?()|[]{}^$");
	if (p->literal)
		return 0;
	code = tp_buf_printf(&b, "%s%s", p->fold ? "(?i)" : "", text)
		   ? tp_nomem(err)
		   : tp_regex_init(&p->re, (const char *)b.data, "search", err);
	tp_buf_release(&b);
	/* "(*conn)" is not a valid expression, but part of a method's name. */
	p->literal = code == TP_EFORMAT;
	return p->literal ? 0 : code;
}

/* Matches the names, by string. */
static int match_names(const struct rep_flame_tree *t, const char *text, uint8_t *name,
		       struct tp_err *err)
{
	uint32_t n = tp_dict_strings(t->names);
	struct pattern p;
	int code = compile(&p, text, err);

	for (uint32_t i = 1; i < n && !code; i++)
		name[i] = matches(&p, tp_dict_text(t->names, i));
	if (!code)
		code = tp_regex_settle(&p.re, err);
	tp_regex_release(&p.re);
	return code;
}

/* Sums up the matches at and below a node, except those below another match. */
static void count(const struct rep_flame_tree *t, uint32_t top, struct rep_flame_found *f)
{
	bool skip = false;

	for (uint32_t at = top;;) {
		skip = f->mark[at] & REP_FLAME_MATCHES || !f->mark[at];
		if (f->mark[at] & REP_FLAME_MATCHES) {
			tp_sum(&f->weight, rep_flame_weight(t, at));
			for (int side = 0; side < REP_FLAME_SIDES; side++)
				tp_sum(&f->value[side], rep_flame_total(t, at, side));
			f->frames++;
		}
		if (!skip && t->node[at].child) {
			at = t->node[at].child;
			continue;
		}
		while (at != top && !t->node[at].next)
			at = t->node[at].parent;
		if (at == top)
			return;
		at = t->node[at].next;
	}
}

int rep_flame_search(const struct rep_flame_tree *t, const struct rep_flame_order *o,
		     struct rep_flame_zoom zoom, const char *text, struct rep_flame_found *f,
		     struct tp_err *err)
{
	uint8_t *name = calloc(tp_dict_strings(t->names), 1);
	int code = 0;

	*f = (struct rep_flame_found){.mark = calloc(t->n, 1)};
	if (!name || !f->mark)
		code = tp_nomem(err);
	if (!code)
		code = match_names(t, text, name, err);
	/* The root has no name; parents come before their children. */
	for (uint32_t i = t->n - 1; i > 0 && !code; i--) {
		if (name[t->node[i].name])
			f->mark[i] |= REP_FLAME_MATCHES;
		if (f->mark[i])
			f->mark[t->node[i].parent] |= REP_FLAME_HOLDS;
	}
	free(name);
	if (code)
		return code;
	if (!zoom.from)
		count(t, zoom.node, f);
	for (uint32_t i = o->first[zoom.node] + zoom.from; zoom.from && i < o->first[zoom.node + 1];
	     i++)
		count(t, o->child[i], f);
	return 0;
}

void rep_flame_found_release(struct rep_flame_found *f)
{
	free(f->mark);
	*f = (struct rep_flame_found){0};
}

unsigned rep_flame_found_mark(const struct rep_flame_found *f, const struct rep_flame_order *o,
			      const struct rep_flame_bar *bar)
{
	uint32_t node = bar->what.node;

	if (!bar->count)
		return f->mark[node];
	for (uint32_t i = o->first[node] + bar->what.from; i < o->first[node + 1]; i++)
		if (f->mark[o->child[i]])
			return REP_FLAME_HOLDS;
	return 0;
}
