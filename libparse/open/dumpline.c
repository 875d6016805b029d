/* Recognises the lines that Go's runtime prints (runtime/traceback.go; go 1.1 to go 1.27) by their
 * own text. Blanks instead of tabs, missing indentation and cut ends are part of the grammar. */
#include "open/dumpline.h"

#include <string.h>

/* Character classes: a table, as every character is tested. */
enum { ENDS_NAME = 1, ARGUMENT = 2, TAB = 4, BRACKET = 8 };

static const unsigned char classes[256] = {
    ['"'] = ENDS_NAME,
    ['\''] = ENDS_NAME,
    ['='] = ENDS_NAME,
    [';'] = ENDS_NAME,
    [','] = ENDS_NAME | ARGUMENT,
    [' '] = ENDS_NAME | ARGUMENT,
    ['('] = BRACKET,
    ['['] = BRACKET,
    [']'] = BRACKET,
    ['0'] = ARGUMENT,
    ['1'] = ARGUMENT,
    ['2'] = ARGUMENT,
    ['3'] = ARGUMENT,
    ['4'] = ARGUMENT,
    ['5'] = ARGUMENT,
    ['6'] = ARGUMENT,
    ['7'] = ARGUMENT,
    ['8'] = ARGUMENT,
    ['9'] = ARGUMENT,
    ['a'] = ARGUMENT,
    ['b'] = ARGUMENT,
    ['c'] = ARGUMENT,
    ['d'] = ARGUMENT,
    ['e'] = ARGUMENT,
    ['f'] = ARGUMENT,
    ['A'] = ARGUMENT,
    ['B'] = ARGUMENT,
    ['C'] = ARGUMENT,
    ['D'] = ARGUMENT,
    ['E'] = ARGUMENT,
    ['F'] = ARGUMENT,
    ['x'] = ARGUMENT,
    ['{'] = ARGUMENT,
    ['}'] = ARGUMENT,
    ['.'] = ARGUMENT,
    ['_'] = ARGUMENT,
    ['?'] = ARGUMENT,
    ['#'] = TAB,
    ['^'] = TAB,
    ['\\'] = TAB,
    ['&'] = TAB,
    [0xe2] = TAB,
    [0xc2] = TAB,
};

static bool has_class(char c, unsigned set)
{
	return classes[(unsigned char)c] & set;
}

static bool is_in(char c, const char *set)
{
	return c && strchr(set, c) != NULL;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool ends(struct tp_scan s, const char *text)
{
	size_t n = strlen(text);

	return tp_scan_left(&s) >= n && !memcmp(s.end - n, text, n);
}

bool tp_scan_cut_mark(struct tp_scan *s)
{
	static const char *const marks[] = {">", "\xe2\x80\xa6", "..."};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (!ends(*s, marks[i]))
			continue;
		s->end -= strlen(marks[i]);
		*s = tp_scan_trim(*s);
		return true;
	}
	return false;
}

/* ---- the first line of a stack ---- */

/* Skips "goroutine 18" and the text that may precede the state: " gp=0x… m=0 mp=0x…". */
static bool skip_number(struct tp_scan *s)
{
	if (!tp_scan_text(s, "goroutine ") || s->at == s->end || !is_digit(*s->at))
		return false;
	while (s->at < s->end && is_digit(*s->at))
		s->at++;
	while (tp_scan_left(s) > 1 && s->at[0] == ' ' && s->at[1] != '[' &&
	       (tp_scan_text(s, " gp=") || tp_scan_text(s, " m=") || tp_scan_text(s, " mp=")))
		while (s->at < s->end && *s->at != ' ' && *s->at != '[')
			s->at++;
	return true;
}

bool tp_is_goroutine_line(const char *data, size_t size)
{
	struct tp_scan s = {data, data + size};

	while (s.end > s.at && (s.end[-1] == '\r' || s.end[-1] == ' '))
		s.end--;
	return ends(s, ":") && skip_number(&s) && tp_scan_text(&s, " [") &&
	       memchr(s.at, ']', tp_scan_left(&s)) != NULL;
}

static bool is_cut_header(struct tp_scan s)
{
	return tp_scan_cut_mark(&s) && skip_number(&s) && tp_scan_text(&s, " [");
}

static const char in_state[] = " in state ", on_top[] = " on top of the stack:";

bool tp_goleak_line(struct tp_scan s, struct tp_scan *id, struct tp_scan *state)
{
	const char *with, *next;

	s = tp_scan_trim(s);
	if (!ends(s, on_top) || !tp_scan_text(&s, "Goroutine "))
		return false;
	*id = tp_scan_run(&s, TP_DIGITS);
	if (!tp_scan_left(id) || !tp_scan_text(&s, in_state))
		return false;
	with = tp_scan_find(s, ", with ");
	while (with && (next = tp_scan_find((struct tp_scan){with + 1, s.end}, ", with ")) != NULL)
		with = next;
	*state = (struct tp_scan){s.at, with};
	return with != NULL;
}

const char *tp_find_goroutine(struct tp_scan text)
{
	static const char word[] = "oroutine ";
	struct tp_scan rest = text;
	const char *at;

	for (; (at = tp_scan_find(rest, word)) != NULL; rest.at = at + 1) {
		struct tp_scan s = {at + strlen(word), text.end}, plain = {at - 1, text.end};

		if (at == text.at || !is_in(at[-1], "gG"))
			continue;
		if (at[-1] == 'g' && skip_number(&plain) && tp_scan_begins(plain, " ["))
			return at - 1;
		if (at[-1] == 'G' && tp_scan_left(&s) && is_digit(*s.at)) {
			tp_scan_run(&s, TP_DIGITS);
			if (tp_scan_begins(s, in_state))
				return at - 1;
		}
	}
	return NULL;
}

/* ---- places ---- */

/* Skips blanks and tabs, as terminals, syslog and others spell them. Returns whether it skipped any. */
static bool skip_indent(struct tp_scan *s)
{
	static const char *const tabs[] = {
	    "#011", "^I",    "\\t",	     "\\011",	     "\\x09",
	    "&#9;", "&#x9;", "\xe2\x90\x89", "\xe2\x86\x92", "\xc2\xbb",
	};
	const char *from = s->at;
	bool again = true;

	tp_scan_blanks(s);
	while (again && s->at < s->end && has_class(*s->at, TAB)) {
		again = false;
		for (size_t i = 0; i < sizeof(tabs) / sizeof(tabs[0]) && !again; i++)
			again = tp_scan_text(s, tabs[i]);
		if (again)
			tp_scan_blanks(s);
	}
	return s->at > from;
}

static bool is_rooted(struct tp_scan s)
{
	return tp_scan_left(&s) > 2 && (*s.at == '/' || (s.at[1] == ':' && is_in(s.at[2], "/\\")));
}

static bool has_blank(struct tp_scan s)
{
	return memchr(s.at, ' ', tp_scan_left(&s)) || memchr(s.at, '\t', tp_scan_left(&s));
}

/* Returns whether a text is the name of a source file: it has a suffix, or is a name that the
 * compiler gives to its own code. */
static bool is_file(struct tp_scan s)
{
	const char *dot = NULL;

	for (const char *p = s.end; p > s.at && p[-1] != '/' && p[-1] != '\\' && !dot; p--)
		if (p[-1] == '.')
			dot = p;
	if (!dot)
		return tp_scan_is(s, "<autogenerated>") || tp_scan_is(s, "?") ||
		       tp_scan_is(s, "??");
	if (s.end - dot < 1 || s.end - dot > 4 || is_digit(*dot))
		return false;
	for (; dot < s.end; dot++)
		if (!(((*dot | 32) >= 'a' && (*dot | 32) <= 'z') || *dot == '+'))
			return false;
	return true;
}

/* Returns whether this text may follow the line number of a place. */
static bool is_tail(struct tp_scan tail)
{
	struct tp_scan rest = tail;

	if (!tp_scan_left(&tail) || tp_scan_begins(tail, " fp="))
		return true;
	tp_scan_spaces(&rest);
	tp_scan_text(&rest, "+");
	return tp_scan_cut_mark(&rest);
}

static enum tp_dump_line cut_where(struct tp_scan s, bool indented)
{
	bool marked = tp_scan_cut_mark(&s);

	if (!indented && !is_rooted(s))
		return TP_LINE_OTHER;
	if (is_rooted(s) && (marked || indented))
		return TP_LINE_WHERE_CUT;
	return marked && memchr(s.at, '/', tp_scan_left(&s)) && !has_blank(s) ? TP_LINE_WHERE_CUT
									      : TP_LINE_OTHER;
}

enum tp_dump_line tp_dump_where(struct tp_scan s, struct tp_where *w)
{
	bool indented = skip_indent(&s), huge = false;
	const char *at, *colon = NULL;
	struct tp_scan tail;

	memset(w, 0, sizeof(*w));
	s = tp_scan_trim(s);
	at = memchr(s.at, '=', tp_scan_left(&s)) ? tp_scan_find(s, "pc=0x") : NULL;
	if (at && (at == s.at || at[-1] == ' ')) {
		tail = (struct tp_scan){at + 5, s.end};
		tp_scan_hex(&tail, &w->pc);
		s.end = at;
		s = tp_scan_trim(s);
		if (!tp_scan_left(&s))
			return indented ? TP_LINE_WHERE : TP_LINE_OTHER;
	}
	/* Finds the last colon followed by digits that end the text or precede a space. */
	for (const char *p = s.at; (p = memchr(p, ':', (size_t)(s.end - p))) != NULL; p++) {
		struct tp_scan digits = {p + 1, s.end};
		int64_t line;
		enum tp_number n = tp_scan_int(&digits, false, &line);

		if (n == TP_NUMBER_NONE || (digits.at < s.end && *digits.at != ' '))
			continue;
		huge = n == TP_NUMBER_HUGE;
		colon = p;
		w->line = line;
		w->all = (struct tp_scan){s.at, digits.at};
		w->offset = tp_scan_begins(digits, " +0x");
		tail = digits;
	}
	w->file = (struct tp_scan){s.at, colon};
	if (!colon)
		return cut_where(s, indented);
	if ((!w->offset && !is_tail(tail)) || !is_file(w->file) ||
	    (!indented && has_blank(w->file) && !(w->offset && is_rooted(w->file))))
		return cut_where(s, indented);
	return huge ? TP_LINE_WHERE_CUT : TP_LINE_WHERE;
}

/* ---- calls ---- */

/* Returns the position after the parenthesis that closes the one at `at`; NULL if it stays open. */
static const char *past(const char *at, const char *end)
{
	int depth = 0;

	for (; at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (!depth)
			return at + 1;
	}
	return NULL;
}

/* Returns the end of a function's name, where its arguments, a blank or the end of the text are.
 * Parentheses followed by a name are a receiver; types in brackets may contain blanks. */
static const char *past_name(struct tp_scan s)
{
	const char *at = s.at, *next;
	int brackets = 0;

	for (; at < s.end; at++) {
		if (!has_class(*at, ENDS_NAME | BRACKET) && (unsigned char)*at > ' ')
			continue;
		brackets += *at == '[';
		brackets -= *at == ']';
		if (brackets > 0)
			continue;
		if (has_class(*at, ENDS_NAME) || (unsigned char)*at < ' ')
			return at;
		if (*at != '(')
			continue;
		next = past(at, s.end);
		if (!next || next == s.end || !is_in(*next, ".:"))
			return at;
		at = next - 1;
	}
	return at;
}

static bool are_arguments(struct tp_scan s)
{
	for (; s.at < s.end; s.at++)
		if (!has_class(*s.at, ARGUMENT))
			return false;
	return true;
}

static enum tp_dump_line call(struct tp_scan s)
{
	const char *open = past_name(s);
	struct tp_scan arguments = {open + 1, s.end};
	bool marked;

	if (open == s.at || open == s.end || *open != '(')
		return TP_LINE_OTHER;
	if (s.end[-1] == ')') {
		arguments.end--;
		return are_arguments(arguments) ? TP_LINE_CALL : TP_LINE_OTHER;
	}
	marked = tp_scan_cut_mark(&arguments);
	if (arguments.end < arguments.at)
		arguments.end = arguments.at;
	if (!are_arguments(arguments) || memchr(s.at, '.', (size_t)(open - s.at)) == NULL)
		return TP_LINE_OTHER;
	return marked || tp_scan_left(&arguments) ? TP_LINE_CALL_CUT : TP_LINE_OTHER;
}

struct tp_scan tp_call_name(struct tp_scan s)
{
	const char *open;

	s = tp_scan_trim(s);
	open = past_name(s);
	return open > s.at && open < s.end && *open == '(' ? (struct tp_scan){s.at, open} : s;
}

static bool is_name(struct tp_scan s)
{
	if (!tp_scan_left(&s))
		return false;
	for (; s.at < s.end; s.at++)
		if ((unsigned char)*s.at <= ' ' || is_in(*s.at, "()[]{}\"'=,;"))
			return false;
	return true;
}

static bool is_elided(struct tp_scan s)
{
	return *s.at == '.' && tp_scan_begins(s, "...") && ends(s, " frames elided...");
}

/* Returns the kind of a line that begins with a fixed word; TP_LINE_OTHER for other lines. */
static enum tp_dump_line by_word(struct tp_scan s)
{
	struct tp_scan rest = s;

	switch (*s.at) {
	case 'g':
		if (!tp_scan_begins(s, "goroutine "))
			break;
		if (tp_is_goroutine_line(s.at, tp_scan_left(&s)))
			return TP_LINE_HEADER;
		if (is_cut_header(s))
			return TP_LINE_HEADER_CUT;
		if (tp_scan_begins(s, "goroutine running on other thread; stack unavailable"))
			return TP_LINE_NO_STACK;
		break;
	case 'c':
		if (tp_scan_text(&rest, "created by "))
			return tp_scan_cut_mark(&rest) ? TP_LINE_CREATOR_CUT : TP_LINE_CREATOR;
		break;
	case '.':
		if (is_elided(s))
			return TP_LINE_ELIDED;
		break;
	case '[':
		if (tp_scan_begins(s, "[originating from goroutine "))
			return TP_LINE_ANCESTOR;
		break;
	case 'n':
		if (tp_scan_begins(s, "non-Go function"))
			return TP_LINE_FOREIGN;
		break;
	default:
		break;
	}
	return TP_LINE_OTHER;
}

enum tp_dump_line tp_dump_line(struct tp_scan line, struct tp_where *w)
{
	struct tp_scan s = line;
	struct tp_where own;
	enum tp_dump_line kind;

	skip_indent(&s);
	s = tp_scan_trim(s);
	if (!tp_scan_left(&s))
		return TP_LINE_BLANK;
	kind = by_word(s);
	/* A place does not end with ")", and most other lines do. */
	if (kind == TP_LINE_OTHER && s.end[-1] == ')')
		kind = call(s);
	if (kind == TP_LINE_OTHER)
		kind = tp_dump_where(line, w ? w : &own);
	if (kind == TP_LINE_OTHER && s.end[-1] != ')')
		kind = call(s);
	return kind == TP_LINE_OTHER && is_name(s) ? TP_LINE_NAME : kind;
}

bool tp_dump_is_stack(enum tp_dump_line kind)
{
	return kind != TP_LINE_BLANK && kind != TP_LINE_NAME && kind != TP_LINE_OTHER;
}
