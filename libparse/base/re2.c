/* RE2's syntax: github.com/google/re2/wiki/Syntax. The output is a POSIX extended expression with
 * the extensions of glibc and musl (\w \s \b …). Syntax that both have is copied, the rest
 * rewritten. */
#include "base/re2.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* Limits for hostile expressions, which may come from profiles (drop_frames). regcomp copies
 * operands of {n} and +, recurses on groups, and takes memory in the square of consecutive parts
 * that may be empty. It keeps no intermediate results for rings, which are unlimited repetitions of
 * such parts, like (a*)* (calc_eclosure_iter in glibc's posix/regcomp.c). Its time is exponential
 * in the number of rings, and with two or more also cubic in the parts that may be empty. These
 * limits keep it below 100 MB and some tenths of a second. */
#define MAX_SIZE  65536
#define MAX_DEPTH 100
#define MAX_PARTS 50000 /* characters, sets and operators, counted as often as they are copied */
#define MAX_RINGS 6	/* * + {1,} on parts that may be empty */

/* Limit on parts that may be empty (from | ? * {0,1} ( ^ $), by the number of rings. */
static const unsigned long most_loose[MAX_RINGS + 1] = {2000, 800, 300, 300, 300, 300, 300};

struct translation {
	const char *p, *end;
	struct tp_buf out;
	int failed; /* memory */
	bool fold;
	bool operand; /* the part just written can be repeated */
	unsigned depth;
	struct tp_re2_cost open[MAX_DEPTH + 2]; /* by depth: of the group so far */
	struct tp_re2_cost last;		/* of the operand */
	/* By depth: whether an earlier alternative may be empty, and this one so far. */
	bool other_empty[MAX_DEPTH + 2], empty[MAX_DEPTH + 2];
	bool last_empty, empty_before; /* whether the operand may be empty, and all before it */
	struct tp_err *err;
};

static void put(struct translation *t, const char *text)
{
	t->failed |= tp_buf_put(&t->out, text, strlen(text));
}

static void put_byte(struct translation *t, unsigned char c)
{
	t->failed |= tp_buf_put(&t->out, &c, 1);
}

static int refuse(struct translation *t, const char *what)
{
	return tp_err_set(t->err, TP_EFORMAT, TP_OFFSET_NONE, "%s", what);
}

static void spend(struct translation *t, unsigned long parts, unsigned long loose)
{
	t->open[t->depth].parts += parts;
	t->open[t->depth].loose += loose;
}

static void operand_of(struct translation *t, struct tp_re2_cost cost, bool empty)
{
	t->last = cost;
	t->last_empty = empty;
	t->empty_before = t->empty[t->depth];
	t->empty[t->depth] = t->empty_before && empty;
	t->operand = true;
	spend(t, cost.parts, cost.loose);
	t->open[t->depth].rings += cost.rings;
}

/* Records that the part just written, which is not a group, can be repeated. */
static void operand(struct translation *t, unsigned long parts, unsigned long loose)
{
	operand_of(t, (struct tp_re2_cost){parts, loose, 0}, loose > 0);
}

static void open_group(struct translation *t)
{
	put(t, "(");
	t->open[++t->depth] = (struct tp_re2_cost){1, 1, 0};
	t->other_empty[t->depth] = false;
	t->empty[t->depth] = true;
	t->operand = false;
}

static void close_group(struct translation *t)
{
	unsigned at = t->depth--;

	put(t, ")");
	operand_of(t, t->open[at], t->other_empty[at] || t->empty[at]);
}

/* Writes a literal byte. */
static void put_literal(struct translation *t, unsigned char c)
{
	if (strchr("\\^$.|?*+()[]{}", c))
		put_byte(t, '\\');
	put_byte(t, c);
	operand(t, 1, 0);
}

static void put_code_point(struct translation *t, uint32_t c)
{
	if (c < 0x80) {
		put_literal(t, (unsigned char)c);
		return;
	}
	put(t, "(");
	if (c >= 0x10000) {
		put_byte(t, (unsigned char)(0xf0 | c >> 18));
		put_byte(t, (unsigned char)(0x80 | (c >> 12 & 0x3f)));
	} else if (c >= 0x800) {
		put_byte(t, (unsigned char)(0xe0 | c >> 12));
	} else {
		put_byte(t, (unsigned char)(0xc0 | c >> 6));
	}
	if (c >= 0x800)
		put_byte(t, (unsigned char)(0x80 | (c >> 6 & 0x3f)));
	put_byte(t, (unsigned char)(0x80 | (c & 0x3f)));
	put(t, ")");
	operand(t, 4, 0);
}

/* Reads \x41 or \x{1F600}; t->p is after the x. */
static int hex(struct translation *t, uint32_t *c)
{
	bool braces = t->p < t->end && *t->p == '{';
	int digits = 0;

	*c = 0;
	t->p += braces;
	while (t->p < t->end && isxdigit((unsigned char)*t->p) && digits < (braces ? 6 : 2)) {
		char d[2] = {*t->p++, '\0'};

		*c = *c << 4 | (uint32_t)strtoul(d, NULL, 16);
		digits++;
	}
	if (!digits || (!braces && digits != 2) || *c > 0x10ffff || !*c ||
	    (braces && (t->p == t->end || *t->p++ != '}')))
		return refuse(t, "\\x needs two hexadecimal digits, or some in braces");
	return 0;
}

/* Returns the control character of \n and the like, 0 for others. */
static unsigned char control(char c)
{
	static const char names[] = "afnrtv", bytes[] = "\a\f\n\r\t\v";
	const char *at = c ? strchr(names, c) : NULL;

	return at ? (unsigned char)bytes[at - names] : 0;
}

/* Returns the members of \d, \w, \s for brackets. */
static const char *members(char c)
{
	switch (c) {
	case 'd':
		return "0-9";
	case 'w':
		return "A-Za-z0-9_";
	case 's':
		return " \t\n\f\r";
	default:
		return NULL;
	}
}

static void put_members(struct translation *t, char c)
{
	const char *text = members(c);

	if (text)
		put(t, text);
}

static int escape(struct translation *t)
{
	char c;
	uint32_t code_point;

	if (t->p == t->end)
		return refuse(t, "the backslash at the end escapes nothing");
	c = *t->p++;
	switch (c) {
	case 'd':
	case 's':
	case 'w':
		put(t, "[");
		put_members(t, c);
		put(t, "]");
		operand(t, 1, 0);
		return 0;
	case 'D':
	case 'S':
	case 'W':
		put(t, "[^");
		put_members(t, (char)tolower(c));
		put(t, "]");
		operand(t, 1, 0);
		return 0;
	case 'b':
	case 'B':
		put_byte(t, '\\');
		put_byte(t, (unsigned char)c);
		spend(t, 1, 1);
		t->operand = false;
		return 0;
	case 'A':
	case 'z':
		put(t, c == 'A' ? "^" : "$");
		operand(t, 1, 1);
		return 0;
	case 'Q':
		while (t->p < t->end && strncmp(t->p, "\\E", 2) != 0)
			put_literal(t, (unsigned char)*t->p++);
		t->p += t->p < t->end ? 2 : 0;
		return 0;
	case 'x':
		if (hex(t, &code_point))
			return TP_EFORMAT;
		put_code_point(t, code_point);
		return 0;
	case 'p':
	case 'P':
		return refuse(t, "classes of Unicode characters (\\p) are not supported");
	default:
		break;
	}
	if (control(c)) {
		put_literal(t, control(c));
		return 0;
	}
	if (isalnum((unsigned char)c))
		return refuse(t, "it has an escape that means nothing");
	put_literal(t, (unsigned char)c);
	return 0;
}

/* Reads a member of a bracket, or a class into *class. */
static int member(struct translation *t, unsigned char *c, const char **class)
{
	uint32_t code_point;
	char name;

	*class = NULL;
	*c = (unsigned char)*t->p++;
	if (*c != '\\')
		return 0;
	if (t->p == t->end)
		return refuse(t, "a bracket [ is not closed");
	name = *t->p++;
	*c = (unsigned char)name;
	*class = members(name);
	if (*class)
		return 0;
	if (name == 'x') {
		if (hex(t, &code_point))
			return TP_EFORMAT;
		*c = (unsigned char)code_point;
		return code_point < 0x80
			   ? 0
			   : refuse(t, "brackets hold ASCII characters only, \\x{…} is none");
	}
	if (control(name))
		*c = control(name);
	else if (isalnum((unsigned char)name))
		return refuse(t, "a bracket has an escape that is not supported there");
	return 0;
}

/* Copies a named class; t->p is at "[:". [[:word:]] and [[:^alpha:]] exist only in RE2. */
static int named_class(struct translation *t)
{
	const char *close = strstr(t->p, ":]");

	if (!close || close >= t->end)
		return refuse(t, "a bracket has [: without :]");
	if (t->p[2] == '^')
		return refuse(t, "classes as [[:^alpha:]] are not supported");
	if (!strncmp(t->p, "[:word:]", 8))
		put(t, "[:alnum:]_");
	else
		t->failed |= tp_buf_put(&t->out, t->p, (size_t)(close + 2 - t->p));
	t->p = close + 2;
	return 0;
}

/* Translates a bracket. In POSIX a backslash there is literal, "]" has to be first, "-" last, and
 * "^" must not be first, so these three are written at the end. */
static int bracket(struct translation *t)
{
	bool negated = t->p < t->end && *t->p == '^', first = true;
	bool dash = false, caret = false, close = false;
	struct tp_buf before = t->out;
	int code = 0;

	t->p += negated;
	t->out = (struct tp_buf){0};
	for (; !code; first = false) {
		const char *class, *high_class;
		unsigned char low, high;

		if (t->p == t->end) {
			code = refuse(t, "a bracket [ is not closed");
			break;
		}
		if (*t->p == ']' && !first) {
			t->p++;
			break;
		}
		if (t->p[0] == '[' && t->p[1] == ':') {
			code = named_class(t);
			continue;
		}
		code = member(t, &low, &class);
		if (code)
			break;
		if (class) {
			put(t, class);
			continue;
		}
		high = low;
		if (t->end - t->p > 1 && t->p[0] == '-' && t->p[1] != ']') {
			t->p++;
			code = member(t, &high, &high_class);
			if (!code && (high_class || high < low))
				code = refuse(t, "a bracket has a range that runs backwards");
		}
		/* Ranges that contain special characters are split around them. */
		for (unsigned c = low; !code && c <= high; c++) {
			unsigned last = c;

			dash |= c == '-';
			caret |= c == '^';
			close |= c == ']';
			if (c == '-' || c == '^' || c == ']' || c == '[')
				last = c;
			else
				while (last < high && !strchr("-^][", (int)last + 1))
					last++;
			if (c == '[') {
				put(t, "[.[.]");
			} else if (c != '-' && c != '^' && c != ']') {
				put_byte(t, (unsigned char)c);
				if (last > c + 1)
					put_byte(t, '-');
				if (last > c)
					put_byte(t, (unsigned char)last);
			}
			c = last;
		}
	}
	if (!code) {
		struct tp_buf inside = t->out;

		t->out = before;
		if (!negated && caret && !dash && !close && !inside.size) {
			put(t, "\\^");
		} else {
			put(t, negated ? "[^" : "[");
			if (close)
				put(t, "]");
			t->failed |=
			    inside.size ? tp_buf_put(&t->out, inside.data, inside.size) : 0;
			/* Put "^" after "-" only if no other member can come first. */
			if (caret && !negated && !close && !inside.size)
				put(t, "-^");
			else {
				put(t, caret ? "^" : "");
				put(t, dash ? "-" : "");
			}
			put(t, "]");
		}
		before = inside;
	} else {
		struct tp_buf inside = t->out;

		t->out = before;
		before = inside;
	}
	tp_buf_release(&before);
	operand(t, 1, 0);
	return code;
}

/* Translates what follows "(?": names, non-capturing groups, flags at the beginning. */
static int group(struct translation *t)
{
	const char *p = t->p;
	bool fold = t->fold, on = true;

	if (p == t->end || *p != '?') {
		open_group(t);
		return 0;
	}
	p++;
	if (*p == 'P' && p[1] == '<')
		p++;
	if (*p == '<') {
		const char *close = strchr(p, '>');

		if (!close || close >= t->end)
			return refuse(t, "a group (?<name> has no end of its name");
		t->p = close + 1;
		open_group(t);
		return 0;
	}
	for (; p < t->end && *p != ':' && *p != ')'; p++) {
		if (*p == '-')
			on = false;
		else if (*p == 'i')
			fold = on;
		else if (!strchr("msU", *p))
			return refuse(t, "a group (? begins with something unknown");
	}
	if (p == t->end)
		return refuse(t, "a group ( is not closed");
	if (fold != t->fold && t->out.size)
		return refuse(t, "(?i) is supported only in front of the whole expression");
	t->fold = fold;
	t->p = p + 1;
	t->operand = false;
	if (*p == ':')
		open_group(t);
	return 0;
}

/* Returns the length of a repetition {2}, {2,}, {2,3}, 0 for a literal brace; t->p is after it. */
static size_t repetition(const struct translation *t)
{
	size_t n = strspn(t->p, "0123456789");

	if (!n)
		return 0;
	if (t->p[n] == ',')
		n += 1 + strspn(t->p + n + 1, "0123456789");
	return t->p[n] == '}' ? n + 1 : 0;
}

static int repeat(struct translation *t, char c)
{
	size_t n = c == '{' ? repetition(t) : 0;
	unsigned long least, most, copies;
	bool endless = c == '*' || c == '+';

	if (c == '{' && !n) {
		put_literal(t, '{');
		return 0;
	}
	if (!t->operand)
		return refuse(t, "a repetition (*, +, ? or {}) has nothing to repeat; a "
				 "name as it is stands between \\Q and \\E");
	least = c == '+';
	most = least + 1; /* a+ is aa* */
	if (n) {
		char *end;

		least = most = strtoul(t->p, &end, 10);
		if (*end == ',' && end[1] != '}')
			most = strtoul(end + 1, NULL, 10);
		if (most < least || most > 1000)
			return refuse(t, "a repetition {} asks for too much");
		endless = *end == ',' && end[1] == '}';
		most += endless;
	}
	copies = most ? most - 1 : 0;
	spend(t, t->last.parts * copies + 1, t->last.loose * copies + (most - least) + (c == '*'));
	t->open[t->depth].rings += t->last.rings * copies + (endless && t->last_empty);
	/* With a minimum of 0 the operand may be empty. */
	if (!least)
		t->empty[t->depth] = t->empty_before;
	put_byte(t, (unsigned char)c);
	t->failed |= n ? tp_buf_put(&t->out, t->p, n) : 0;
	t->p += n;
	if (t->p < t->end && *t->p == '?') /* non-greedy: matches the same texts */
		t->p++;
	t->operand = false;
	return 0;
}

static bool bearable(const struct tp_re2_cost *c)
{
	return c->parts <= MAX_PARTS && c->rings <= MAX_RINGS && c->loose <= most_loose[c->rings];
}

static int translate(struct translation *t)
{
	int code = 0;

	while (t->p < t->end && !code) {
		char c = *t->p++;

		switch (c) {
		case '\\':
			code = escape(t);
			break;
		case '[':
			code = bracket(t);
			break;
		case '(':
			code = group(t);
			if (!code && t->depth > MAX_DEPTH)
				code = refuse(t, "its groups are nested too deeply");
			break;
		case '*':
		case '+':
		case '?':
		case '{':
			code = repeat(t, c);
			break;
		case ')':
			if (!t->depth)
				return refuse(t, "a parenthesis ) closes nothing");
			close_group(t);
			break;
		case '|':
			t->other_empty[t->depth] = t->other_empty[t->depth] || t->empty[t->depth];
			t->empty[t->depth] = true;
			put_byte(t, '|');
			spend(t, 1, 1);
			t->operand = false;
			break;
		case '^':
			put_byte(t, '^');
			spend(t, 1, 1);
			t->operand = false;
			break;
		case '$':
		case '.':
			put_byte(t, (unsigned char)c);
			operand(t, 1, c == '$');
			break;
		default:
			put_literal(t, (unsigned char)c);
		}
		/* Checking after each part keeps the numbers small. */
		if (!code && !bearable(&t->open[t->depth]))
			code = refuse(t, "it has too many alternatives and repetitions");
	}
	if (!code && t->depth)
		code = refuse(t, "a parenthesis ( is not closed");
	return code;
}

int tp_re2_translate(const char *pattern, char **posix, bool *fold, struct tp_re2_cost *cost,
		     struct tp_err *err)
{
	struct translation t = {
	    .p = pattern, .end = pattern + strlen(pattern), .empty = {true}, .err = err};
	int code = t.end - t.p > MAX_SIZE ? refuse(&t, "it is too long") : translate(&t);

	*posix = NULL;
	put_byte(&t, '\0');
	if (!code && t.failed)
		code = tp_nomem(err);
	if (code) {
		tp_buf_release(&t.out);
		return code;
	}
	*posix = (char *)t.out.data;
	*fold = t.fold;
	*cost = t.open[0];
	return 0;
}
