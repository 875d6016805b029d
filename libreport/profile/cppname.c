#include "profile/cppname.h"

#include <ctype.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"

/* ---- names that others have demangled ---- */

/* Returns whether name is a Go function with type arguments: main.(*A).Fill[go.shape.int],
 * main.Map[func(int) string].func1. Outside the brackets, which follow a word and nest, parentheses
 * only hold a receiver, ".(*T)", and nothing is a sign of C++, Java or .NET ("List`1[…]"). */
static bool is_go(struct tp_text name)
{
	bool dot = false, receiver = false, arguments = false;
	size_t nesting = 0;

	for (uint32_t i = 0; i < name.size; i++) {
		unsigned char c = (unsigned char)name.text[i];
		unsigned char before = i ? (unsigned char)name.text[i - 1] : 0;

		if (c == '[') {
			if (!nesting &&
			    (!dot || !(isalnum(before) || before == '_' || before >= 0x80)))
				return false;
			nesting++;
			arguments = true;
		} else if (c == ']') {
			unsigned char next =
			    i + 1 < name.size ? (unsigned char)name.text[i + 1] : 0;

			if (!nesting)
				return false;
			/* A closure, a wrapper, the end of a receiver, or "·dwrap·1" may follow. */
			if (!--nesting && next && !strchr(".-)", next) && next < 0x80)
				return false;
		} else if (nesting) {
			continue;
		} else if (c == '(') {
			if (receiver || before != '.' || i + 1 == name.size ||
			    name.text[i + 1] != '*')
				return false;
			receiver = true;
		} else if (c == ')') {
			if (!receiver)
				return false;
			receiver = false;
		} else if (strchr("<> :`,&", c)) {
			return false;
		} else {
			dot |= c == '.';
		}
	}
	return arguments && !nesting && !receiver;
}

/* Returns whether one of the characters that rep_cpp_looks_like() looks for is there. Most names
 * have none. */
static bool has_sign(struct tp_text name)
{
	static const bool sign[256] = {
	    ['<'] = true, ['>'] = true, ['['] = true, [']'] = true, [':'] = true};

	for (uint32_t i = 0; i < name.size; i++)
		if (sign[(uint8_t)name.text[i]])
			return true;
	return false;
}

bool rep_cpp_looks_like(struct tp_text name)
{
	bool found = false;

	if (!has_sign(name))
		return false;
	for (uint32_t i = 0; i < name.size; i++) {
		char c = name.text[i];
		const char *next = name.text + i + 1;
		uint32_t left = name.size - i - 1;

		if (c == '.' && left && *next == '<') /* Java: "T.<init>" */
			return false;
		if (c == ']' && left > 1 && !memcmp(next, ").", 2)) /* Go: "(*T[...]).M" */
			return false;
		found |= c == '<' || c == '>' || c == '[' || c == ']' ||
			 (c == ':' && left && *next == ':');
	}
	return found && !is_go(name);
}

/* Removes bracketed parts (pprof: removeMatching). Stops at an unmatched bracket. */
static void remove_pairs(struct tp_buf *b, size_t from, char begin, char end)
{
	size_t to = from, first = from, nesting = 0;

	for (size_t i = from; i < b->size; i++) {
		char c = (char)b->data[i];

		if (c == end && !nesting) {
			memmove(b->data + to, b->data + i, b->size - i);
			b->size = to + b->size - i;
			return;
		}
		if (c == begin && !nesting++)
			first = to;
		else if (c == begin)
			;
		else if (c == end && !--nesting) {
			to = first;
			continue;
		}
		b->data[to++] = (uint8_t)c;
	}
	b->size = to;
}

int rep_cpp_strip(struct tp_text name, bool templates, struct tp_buf *out)
{
	size_t from = out->size;
	int code = tp_buf_put(out, name.text, name.size);

	if (!code)
		remove_pairs(out, from, '(', ')');
	if (!code && templates)
		remove_pairs(out, from, '<', '>');
	return code;
}

/* ---- names that the library has demangled ---- */

static bool in_word(const char *name, size_t i)
{
	return i && (isalnum((unsigned char)name[i - 1]) || name[i - 1] == '_');
}

/* Returns the length of "operator<<" and the like, whose signs are not brackets; that of "operator"
 * alone before anything else; or 0 if no operator begins here. */
static size_t operator_at(const char *name, size_t i)
{
	static const char *const signs[] = {"<=>", "<<=", ">>=", "->*", "<<", ">>", "->",
					    "<=",  ">=",  "()",	 "<",	">",  ""};
	const char *rest = name + i + 8;

	if (name[i] != 'o' || in_word(name, i) || strncmp(name + i, "operator", 8) != 0 ||
	    isalnum((unsigned char)*rest) || *rest == '_')
		return 0;
	for (size_t k = 0;; k++)
		if (!strncmp(rest, signs[k], strlen(signs[k])))
			return 8 + strlen(signs[k]);
}

/* Returns the offset after the bracket that closes the one at i, or 0. */
static size_t behind(const char *name, size_t i)
{
	size_t nesting = 0;

	while (name[i]) {
		size_t n = operator_at(name, i);

		if (n) {
			i += n;
			continue;
		}
		if (strchr("<({[", name[i]))
			nesting++;
		else if (strchr(")}]", name[i]) || (name[i] == '>' && i && name[i - 1] != '-'))
			nesting--;
		i++;
		if (!nesting)
			return i;
	}
	return 0;
}

/* Returns whether only qualifiers of a function follow, up to the end or up to the name of
 * something local to it (*local): " const::x", " const &", "". */
static bool qualifiers(const char *text, bool *local)
{
	static const char *const words[] = {" const", " volatile", " &&", " &"};
	size_t i = 0;

	while (i < 4) {
		size_t n = strlen(words[i]);

		i = strncmp(text, words[i], n) ? i + 1 : 0;
		text += i ? 0 : n;
	}
	*local = !strncmp(text, "::", 2);
	return *local || !*text;
}

/* Returns whether a list of parameters begins here, rather than "(anonymous namespace)" or
 * "decltype (x)". */
static bool is_list(const char *name, size_t i)
{
	return name[i] == '(' && strncmp(name + i, ANONYMOUS, strlen(ANONYMOUS)) != 0 &&
	       !(i >= 9 && !strncmp(name + i - 9, "decltype ", 9));
}

/* Finds the name itself, between the return type and the parameters. It can contain the parameters
 * of functions around it. */
static void find_name(const char *name, size_t *begin, size_t *end)
{
	bool conversion = false, local = false;

	*begin = 0;
	*end = strlen(name);
	for (size_t i = 0; name[i];) {
		size_t n = operator_at(name, i), next;

		if (n) {
			/* The type that it converts to can have blanks. */
			conversion = n == 8;
			i += n;
			/* "operator< <int>" */
			i += n > 8 && name[i] == ' ';
			continue;
		}
		if (!strncmp(name + i, "::", 2) && name[i + 2] != ' ')
			conversion = conversion && name[i - 1] != ')';
		if (name[i] == ' ' && !conversion && !qualifiers(name + i, &local))
			*begin = i + 1;
		if (!strchr("<({[", name[i])) {
			i++;
			continue;
		}
		next = behind(name, i);
		/* The brackets do not match, or the function returns a function. */
		if (!next || (name[i] == '(' && (name[i + 1] == '*' || name[i + 1] == '&'))) {
			*begin = 0;
			*end = strlen(name);
			return;
		}
		if (is_list(name, i) && qualifiers(name + next, &local) && !local) {
			*end = i;
			return;
		}
		i = next;
	}
}

/* Appends a name without the parameters of the functions around it: "f(int)
 * const::{lambda()#1}::operator()" loses "int". */
static void put_name(const char *name, size_t begin, size_t end, struct tp_buf *out)
{
	for (size_t i = begin; i < end;) {
		size_t n = operator_at(name, i), next = i + (n ? n : 1);
		bool local;

		if (!n && strchr("<({[", name[i])) {
			next = behind(name, i);
			if (!next) {
				tp_buf_put(out, name + i, end - i);
				return;
			}
			if (is_list(name, i) && qualifiers(name + next, &local) && local) {
				tp_buf_text(out, "()");
				i = next;
				continue;
			}
		}
		tp_buf_put(out, name + i, next - i);
		i = next;
	}
}

static void drop_templates(struct tp_buf *b, size_t from)
{
	const char *text = (const char *)b->data;
	size_t to = from;

	for (size_t i = from; text[i];) {
		size_t n = operator_at(text, i), next = text[i] == '<' && !n ? behind(text, i) : 0;

		if (text[i] == '<' && !n && !next) {
			n = strlen(text + i);
			memmove(b->data + to, b->data + i, n);
			to += n;
			break;
		}
		if (next) {
			/* "operator< <int>" */
			if (to > from + 1 && text[to - 1] == ' ' && text[to - 2] == '<')
				to--;
			i = next;
			continue;
		}
		for (n = n ? n : 1; n; n--)
			b->data[to++] = b->data[i++];
	}
	b->size = to;
}

int rep_cpp_simplify(const char *name, enum rep_cpp_parts parts, struct tp_buf *out)
{
	size_t from = out->size, begin = 0, end = strlen(name);
	int code;

	if (parts == REP_CPP_ALL)
		return tp_buf_put(out, name, end);
	if (!(parts & REP_CPP_PARAMETERS))
		find_name(name, &begin, &end);
	put_name(name, begin, end, out);
	code = tp_buf_put(out, "", 1);
	if (!code && parts & REP_CPP_TEMPLATES)
		out->size--;
	else if (!code)
		drop_templates(out, from);
	return code;
}
