/* Changes to texts: to their lines, and to the numbers and words in these. */
#include <string.h>

#include "mutate.h"

#define LINES 4000
#define ROOM  (1 << 16)

struct line {
	const char *at;
	size_t size; /* with its end */
};

struct text {
	struct line line[LINES];
	size_t n;
	char made[ROOM]; /* lines that are new point to it */
	size_t used;
	struct words words;
	const struct forms *forms;
};

static void split(struct text *t, const char *p, size_t size)
{
	while (size && t->n < LINES) {
		const char *end = memchr(p, '\n', size);
		size_t n = end ? (size_t)(end - p) + 1 : size;

		t->line[t->n++] = (struct line){p, n};
		p += n;
		size -= n;
	}
}

static struct writer begin_line(struct text *t)
{
	return (struct writer){(uint8_t *)t->made + t->used, (uint8_t *)t->made + ROOM};
}

static struct line end_line(struct text *t, const struct writer *w)
{
	struct line l = {t->made + t->used, (size_t)((const char *)w->at - t->made) - t->used};

	t->used += l.size;
	return l;
}

static void insert_line(struct text *t, size_t at, struct line l)
{
	if (t->n == LINES)
		return;
	memmove(&t->line[at + 1], &t->line[at], (t->n - at) * sizeof(l));
	t->line[at] = l;
	t->n++;
}

static void drop_lines(struct text *t, size_t at, size_t n)
{
	n = n < t->n - at ? n : t->n - at;
	memmove(&t->line[at], &t->line[at + n], (t->n - at - n) * sizeof(t->line[0]));
	t->n -= n;
}

static void insert_form(struct text *t, size_t at, struct dice *d)
{
	struct writer w = begin_line(t);

	put_form(&w, one_in(d, 20) ? forms_any(d) : t->forms, false, &t->words, d);
	insert_line(t, at, end_line(t, &w));
}

/* What is between two lines, many times: limits are there to be passed. */
static void repeat(struct text *t, size_t at, struct dice *d)
{
	size_t n = 1 + roll(d, one_in(d, 4) ? 12 : 2), times = 1 + roll(d, one_in(d, 3) ? 80 : 3);

	n = n < t->n - at ? n : t->n - at;
	for (; times && t->n + n <= LINES; times--) {
		memmove(&t->line[at + n], &t->line[at], (t->n - at) * sizeof(t->line[0]));
		t->n += n;
	}
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A run of characters of one sort around a place: letters and digits, or one other. */
static struct line token(struct line l, size_t at)
{
	size_t from = at, to = at + 1;

	if (!is_word(l.at[at]))
		return (struct line){l.at + at, 1};
	while (from && is_word(l.at[from - 1]))
		from--;
	while (to < l.size && is_word(l.at[to]))
		to++;
	return (struct line){l.at + from, to - from};
}

static bool is_number(struct line word, bool *hex)
{
	bool decimal = true, all = true;

	if (word.size > 2 && word.at[0] == '0' && word.at[1] == 'x') {
		*hex = true;
		return true;
	}
	for (size_t i = 0; i < word.size; i++) {
		decimal &= word.at[i] >= '0' && word.at[i] <= '9';
		all &= (word.at[i] >= '0' && word.at[i] <= '9') ||
		       (word.at[i] >= 'a' && word.at[i] <= 'f');
	}
	*hex = !decimal;
	return word.size && (decimal || (all && word.size > 3));
}

/* A word of the text anywhere that is a number when `number`. */
static struct line other_word(const struct text *t, bool number, bool hex, struct dice *d)
{
	for (int tries = 0; tries < 20; tries++) {
		struct line l = t->line[roll(d, (uint32_t)t->n)], word;
		bool is_hex;

		if (!l.size)
			continue;
		word = token(l, roll(d, (uint32_t)l.size));
		if (is_word(word.at[0]) && (!number || (is_number(word, &is_hex) && is_hex == hex)))
			return word;
	}
	return (struct line){"", 0};
}

/* The line with one token of it replaced, doubled or left out. */
static void change_token(struct text *t, size_t at, bool numbers, struct dice *d)
{
	struct line l = t->line[at], word = {0}, other;
	struct writer w = begin_line(t);
	bool hex = false, number = false;

	for (int tries = 0; tries < 12 && !number; tries++) {
		word = token(l, roll(d, (uint32_t)l.size));
		number = is_number(word, &hex);
		if (!numbers)
			break;
	}
	put_bytes(&w, l.at, (size_t)(word.at - l.at));
	if (number && one_in(d, 2)) {
		size_t skip = word.size > 2 && word.at[1] == 'x' ? 2 : 0;

		put_bytes(&w, word.at, skip);
		put_number(&w, word.at + skip, word.size - skip, hex, d);
	} else if (!one_in(d, 4)) {
		other = other_word(t, number, hex, d);
		put_bytes(&w, other.at, other.size);
	} else if (one_in(d, 2)) {
		put_bytes(&w, word.at, word.size);
		put_bytes(&w, " ", one_in(d, 2));
		put_bytes(&w, word.at, word.size);
	}
	put_bytes(&w, word.at + word.size, (size_t)(l.at + l.size - word.at) - word.size);
	t->line[at] = end_line(t, &w);
}

/* The beginning of one line and the end of another. */
static void splice(struct text *t, size_t at, size_t other, struct dice *d)
{
	struct line a = t->line[at], b = t->line[other];
	size_t keep = roll(d, (uint32_t)a.size + 1), from = roll(d, (uint32_t)b.size + 1);
	struct writer w = begin_line(t);

	put_bytes(&w, a.at, keep);
	put_bytes(&w, b.at + from, b.size - from);
	t->line[at] = end_line(t, &w);
}

static void insert_bytes(struct text *t, size_t at, struct dice *d)
{
	static const char *const odd[] = {"\\", "\"", "\\x4",	  "\r",	  "\t", " ", "\n",
					  "=",	":",  "0x",	  "@",	  "-",	"[", "]",
					  "(",	")",  "\xc3\xa9", "\xff", "$",	"/", "...",
					  "{",	"}",  "\x1b[31m", ", ",	  "#"};
	struct line l = t->line[at];
	size_t keep = roll(d, (uint32_t)l.size + 1);
	const char *what = odd[roll(d, sizeof(odd) / sizeof(odd[0]))];
	struct writer w = begin_line(t);

	put_bytes(&w, l.at, keep);
	put_bytes(&w, what, strlen(what));
	put_bytes(&w, l.at + keep, l.size - keep);
	t->line[at] = end_line(t, &w);
}

/* Anywhere, or where something was begun. */
static void cut(struct text *t, size_t at, struct dice *d)
{
	struct line *l = &t->line[at];
	size_t keep = roll(d, (uint32_t)l->size + 1);
	const char *begun = memchr(l->at, one_in(d, 2) ? '\\' : '"', l->size);

	if (begun && !one_in(d, 3))
		keep = (size_t)(begun - l->at) + roll(d, 8);
	if (one_in(d, 2))
		t->n = at + 1;
	if (keep < l->size)
		l->size = keep;
}

static void change_head(struct text *t, struct dice *d)
{
	struct writer w = begin_line(t);

	t->forms = one_in(d, 2) ? forms_any(d) : t->forms;
	put_form(&w, t->forms, true, &t->words, d);
	if (t->n && !one_in(d, 4))
		drop_lines(t, 0, 1);
	insert_line(t, 0, end_line(t, &w));
}

static void change(struct text *t, struct dice *d)
{
	size_t at = roll(d, (uint32_t)t->n), other = roll(d, (uint32_t)t->n), n;
	struct line l;

	if (!t->n) {
		change_head(t, d);
		return;
	}
	switch (roll(d, 20)) {
	case 0:
	case 1:
	case 2:
	case 3:
		change_token(t, at, true, d);
		break;
	case 4:
	case 5:
		change_token(t, at, false, d);
		break;
	case 6:
	case 7:
	case 8:
		/* What is about the whole stands in the beginning. */
		at = one_in(d, 3) ? roll(d, 4) : roll(d, (uint32_t)t->n + 1);
		insert_form(t, at < t->n ? at : t->n, d);
		break;
	case 9: /* a few that follow each other, often at the end */
		at = one_in(d, 2) ? t->n : roll(d, (uint32_t)t->n + 1);
		for (n = 2 + roll(d, 8); n && at <= t->n; n--)
			insert_form(t, at, d);
		break;
	case 10:
		drop_lines(t, at, 1);
		break;
	case 11:
		drop_lines(t, at, 1 + roll(d, 12));
		break;
	case 12:
		repeat(t, at, d);
		break;
	case 13: /* somewhere else */
		l = t->line[at];
		drop_lines(t, at, one_in(d, 2));
		insert_line(t, roll(d, (uint32_t)t->n + 1), l);
		break;
	case 14:
		l = t->line[at];
		t->line[at] = t->line[other];
		t->line[other] = l;
		break;
	case 15:
		splice(t, at, other, d);
		break;
	case 16:
	case 17:
		insert_bytes(t, at, d);
		break;
	case 18: /* the end is missing, of the text or of a line */
		cut(t, at, d);
		break;
	default:
		change_head(t, d);
		break;
	}
	/* Lines of nothing have no place to be changed at. */
	for (size_t i = 0; i < t->n; i++)
		if (!t->line[i].size)
			drop_lines(t, i--, 1);
}

static struct text text; /* large, and used by one thread */
static uint8_t room[1 << 20];

size_t mutate_text(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	struct dice d = {seed};
	struct writer w = {room, room + (max < sizeof(room) ? max : sizeof(room))};
	size_t words = 0;

	if (one_in(&d, 10))
		return LLVMFuzzerMutate(data, size, max);
	text.n = text.used = 0;
	if (is_words(data, size))
		words = mutate_words(data, size, &w, &d);
	/* Sometimes anew. */
	if (!words && one_in(&d, 40))
		size = 0;
	text.words = (struct words){(const char *)data, size};
	text.forms = size ? forms_of((const char *)data, size) : forms_any(&d);
	split(&text, (const char *)data + words, size - words);
	for (unsigned n = words ? roll(&d, 3) : 1 + roll(&d, 8); n; n--)
		change(&text, &d);
	for (size_t i = 0; i < text.n; i++)
		put_bytes(&w, text.line[i].at, text.line[i].size);
	memcpy(data, room, (size_t)(w.at - room));
	return (size_t)(w.at - room);
}

/* The lines of one up to any, then those of the other from any on, or some of them in between. */
size_t cross_text(const uint8_t *a, size_t asize, const uint8_t *b, size_t bsize, uint8_t *out,
		  size_t max, unsigned seed)
{
	struct dice d = {seed};
	struct writer w = {out, out + max};
	size_t first, keep, from, to;

	text.n = 0;
	split(&text, (const char *)a, asize);
	first = text.n;
	split(&text, (const char *)b, bsize);
	keep = roll(&d, (uint32_t)first + 1);
	from = first + roll(&d, (uint32_t)(text.n - first) + 1);
	to = one_in(&d, 2) ? text.n : from + roll(&d, (uint32_t)(text.n - from) + 1);
	for (size_t i = 0; i < keep; i++)
		put_bytes(&w, text.line[i].at, text.line[i].size);
	for (size_t i = from; i < to; i++)
		put_bytes(&w, text.line[i].at, text.line[i].size);
	for (size_t i = keep; i < first && to < text.n; i++)
		put_bytes(&w, text.line[i].at, text.line[i].size);
	return (size_t)(w.at - out);
}
