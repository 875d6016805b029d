#include "profile/labelchoice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/view.h"

#define SHOWN	  10  /* values that are named */
#define LOOKED_AT 100 /* and so many are looked for */
#define LONGEST	  60  /* bytes of each */

struct seen {
	uint32_t key, text, unit;
	int64_t number;
	bool numeric;
};

/* Labels of the key, or of all keys; of an unknown key the keys. */
struct choice {
	const struct tp_profile *p;
	const char *key; /* NULL: any */
	bool keys;	 /* keys alone */
	struct seen *seen;
	size_t n;
};

static void see(struct choice *c, const struct tp_label *l)
{
	struct seen s = {.key = l->key};

	if (!c->keys && c->key && !rep_text_is(tp_dict_text(c->p->dict, l->key), c->key))
		return;
	if (!c->keys) {
		s.text = l->text;
		s.number = l->number;
		s.numeric = l->numeric;
		s.unit = l->numeric ? l->unit : 0;
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->seen[i].key == s.key && c->seen[i].text == s.text &&
		    c->seen[i].number == s.number && c->seen[i].numeric == s.numeric)
			return;
	if (c->n < LOOKED_AT)
		c->seen[c->n++] = s;
}

static void see_all(struct choice *c, const bool *used)
{
	c->n = 0;
	for (size_t s = 1; s < c->p->nsets && c->n < LOOKED_AT; s++)
		for (uint32_t i = 0; used[s] && i < c->p->sets[s].n; i++)
			see(c, &c->p->labels[c->p->sets[s].first + i]);
}

static int put_part(struct tp_buf *b, const struct tp_profile *p, uint32_t string)
{
	struct tp_text t = tp_dict_text(p->dict, string);
	size_t n = t.size;

	/* Not within a character. */
	for (n = n < LONGEST ? n : LONGEST;
	     n < t.size && n && ((unsigned char)t.text[n] & 0xc0) == 0x80; n--)
		;
	/* A NUL would end the note. */
	n = strnlen(t.text, n);
	return tp_buf_put(b, t.text, n) || (n < t.size && tp_buf_put(b, "...", 3)) ? TP_ENOMEM : 0;
}

static int put_seen(struct tp_buf *b, const struct choice *c, size_t i)
{
	const struct seen *s = &c->seen[i];
	char number[24];
	int code = i ? tp_buf_put(b, ", ", 2) : 0;

	if (!code && (c->keys || !c->key))
		code = put_part(b, c->p, s->key);
	if (!code && !c->keys && !c->key)
		code = tp_buf_put(b, s->numeric ? "=" : ":", 1);
	if (!code && !c->keys && s->numeric) {
		snprintf(number, sizeof(number), "%lld", (long long)s->number);
		code = tp_buf_put(b, number, strlen(number));
		if (!code)
			code = put_part(b, c->p, s->unit);
	} else if (!code && !c->keys) {
		code = put_part(b, c->p, s->text);
	}
	return code;
}

static int put_choice(struct tp_buf *b, const struct choice *c)
{
	char more[40];
	int code = 0;

	for (size_t i = 0; i < c->n && i < SHOWN && !code; i++)
		code = put_seen(b, c, i);
	if (c->n <= SHOWN || code)
		return code;
	snprintf(more, sizeof(more), " and %zu%s more", c->n - SHOWN,
		 c->n == LOOKED_AT ? " or" : "");
	return tp_buf_put(b, more, strlen(more));
}

static int put(struct tp_buf *b, const char *text)
{
	return tp_buf_put(b, text, strlen(text));
}

int rep_label_choice(const struct tp_profile *p, const bool *used, const char *key,
		     struct tp_buf *out)
{
	struct choice c = {.p = p, .key = key, .seen = calloc(LOOKED_AT, sizeof(*c.seen))};
	int code = c.seen ? 0 : TP_ENOMEM;

	if (!code)
		see_all(&c, used);
	if (!code && c.n)
		code = key ? put(out, key) : put(out, "the labels are ");
	else if (!code)
		code = put(out, key ? "no sample has the label " : "no sample has labels");
	if (!code && c.n && key)
		code = put(out, " is ");
	if (!code && !c.n && key) {
		c.keys = true;
		see_all(&c, used);
		code = put(out, key);
		if (!code && c.n)
			code = put(out, "; the keys are ");
	}
	if (!code)
		code = put_choice(out, &c);
	free(c.seen);
	return code;
}
