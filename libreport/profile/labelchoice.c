#include "profile/labelchoice.h"

#include <stdlib.h>
#include <string.h>

#include "profile/view.h"

#define SHOWN	  10  /* values named in a note */
#define LOOKED_AT 100 /* limit on the values that are collected */
#define LONGEST	  60  /* bytes of each */

struct seen {
	uint32_t key, text, unit;
	int64_t number;
	bool numeric;
};

/* The values of a key, or the labels of all keys; or the keys alone, if the key is unknown. */
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

static void put_part(struct tp_buf *b, const struct tp_profile *p, uint32_t string)
{
	struct tp_text t = tp_dict_text(p->dict, string);
	size_t n = t.size;

	/* Do not cut within a character. */
	for (n = n < LONGEST ? n : LONGEST;
	     n < t.size && n && ((unsigned char)t.text[n] & 0xc0) == 0x80; n--)
		;
	/* A NUL would end the note. */
	n = strnlen(t.text, n);
	tp_buf_put(b, t.text, n);
	if (n < t.size)
		tp_buf_text(b, "...");
}

static void put_seen(struct tp_buf *b, const struct choice *c, const struct seen *s)
{
	if (c->keys || !c->key)
		put_part(b, c->p, s->key);
	if (c->keys)
		return;
	if (!c->key)
		tp_buf_text(b, s->numeric ? "=" : ":");
	if (s->numeric)
		tp_buf_printf(b, "%lld", (long long)s->number);
	put_part(b, c->p, s->numeric ? s->unit : s->text);
}

static void put_choice(struct tp_buf *b, const struct choice *c)
{
	for (size_t i = 0; i < c->n && i < SHOWN; i++) {
		if (i)
			tp_buf_text(b, ", ");
		put_seen(b, c, &c->seen[i]);
	}
	if (c->n > SHOWN)
		tp_buf_printf(b, " and %zu%s more", c->n - SHOWN, c->n == LOOKED_AT ? " or" : "");
}

int rep_label_choice(const struct tp_profile *p, const bool *used, const char *key,
		     struct tp_buf *out)
{
	struct choice c = {.p = p, .key = key, .seen = calloc(LOOKED_AT, sizeof(*c.seen))};

	if (!c.seen)
		return tp_buf_fail(out);
	c.keys = key && !*key;
	see_all(&c, used);
	if (c.n && c.keys) {
		tp_buf_text(out, "the keys are ");
	} else if (c.n && key) {
		tp_buf_printf(out, "%s is ", key);
	} else if (c.n) {
		tp_buf_text(out, "the labels are ");
	} else if (key && *key) {
		c.keys = true;
		see_all(&c, used);
		tp_buf_printf(out, "no sample has the label %s%s", key,
			      c.n ? "; the keys are " : "");
	} else {
		tp_buf_text(out, "no sample has labels");
	}
	put_choice(out, &c);
	free(c.seen);
	return tp_buf_text(out, "");
}
