#include "name.h"

#include <stdbool.h>
#include <string.h>

/* In patterns 0 stands for one or more digits, ~ for 16 hexadecimal digits, * for at most MOST_ANY
 * bytes up to the one behind it, slashes not among them; all else for itself. */
#define MOST_ANY 128

enum flag {
	WORD_END = 1,	  /* what follows is no letter, digit or underscore */
	PART_START = 2,	  /* stands at the beginning or behind a slash */
	CHAIN = 4,	  /* counters of nested closures behind it belong to it */
	FUNCTIONS = 8,	  /* not in names of files */
	DROP_BEFORE = 16, /* whatever stands before it goes, too */
	MAJOR = 32,	  /* its number is 2 or more */
	FILES = 64,	  /* only in names of files */
};

struct rule {
	const char *pattern, *to;
	unsigned flags;
};

/* In this order, each over the whole name. No replacement is longer than what it replaces. */
static const struct rule anywhere[] = {
    /* Go's linker escapes dots of the last element of an import path. */
    {"%2e", ".", FUNCTIONS},
    /* Dependencies kept in the tree, in Go's own, too; the module cache. */
    {"vendor/", "", PART_START | DROP_BEFORE},
    {"pkg/mod/", "", PART_START | DROP_BEFORE | FILES},
    /* Where Go is: /usr/local/go/src/, /usr/share/go-1.27/src/. */
    {"go/src/", "", PART_START | DROP_BEFORE | FILES},
    {"go-0.0/src/", "", PART_START | DROP_BEFORE | FILES},
    {"go0.0/src/", "", PART_START | DROP_BEFORE | FILES},
    {"go0.0.0/src/", "", PART_START | DROP_BEFORE | FILES},
    /* Versions of modules: net@v0.1.0/, and from v2 on /v2 (Go modules reference, "Major version
     * suffixes"). */
    {"@v0*/", "/", 0},
    {"/v0/", "/", MAJOR},
    {"/v0.", ".", MAJOR | FUNCTIONS},
    /* Closures of package variables: glob..func1 became init.func1 in go 1.21. */
    {".glob..func", ".init.func", FUNCTIONS},
    /* Closures, and the wrappers of go and defer statements, which were closures (go 1.21), dwrap
     * (1.17) and are gowrap and deferwrap since 1.22. */
    {".func0", ".func*", WORD_END | CHAIN | FUNCTIONS},
    {".gowrap0", ".func*", WORD_END | CHAIN | FUNCTIONS},
    {".deferwrap0", ".func*", WORD_END | CHAIN | FUNCTIONS},
    {"\xc2\xb7"
     "dwrap\xc2\xb7"
     "0",
     ".func*", WORD_END | CHAIN | FUNCTIONS},
    /* Bodies of range-over-func loops (1.23). */
    {"-range0", "-range*", WORD_END | FUNCTIONS},
    /* The init functions of a package are numbered. */
    {".init.0", ".init", WORD_END | FUNCTIONS},
    /* Allocators for one size class each (go 1.26), by their names before. */
    {"runtime.mallocgcSmallNoScanSC0", "runtime.mallocgcSmallNoscan",
     PART_START | WORD_END | FUNCTIONS},
    {"runtime.mallocgcSmallScanNoHeaderSC0", "runtime.mallocgcSmallScanNoHeader",
     PART_START | WORD_END | FUNCTIONS},
    {"runtime.mallocgcTinySC0", "runtime.mallocgcTiny", PART_START | WORD_END | FUNCTIONS},
    /* C++ and Rust: closures, and the hash of a crate. */
    {"#0}", "#*}", FUNCTIONS},
    {"$_0", "$_*", WORD_END | FUNCTIONS},
    {"[~]", "", FUNCTIONS},
};

/* What ends a name, again and again until none does. */
static const char *const endings[] = {
    /* Go: the wrapper of a method value; calling conventions. */
    "-fm",
    ("\xc2\xb7"
     "fm"),
    ".abi0",
    ".abiinternal",
    /* GCC, LLVM: clones and parts of a function. */
    ".isra.0",
    ".part.0",
    ".constprop.0",
    ".cold",
    ".cold.0",
    ".llvm.0",
    ".lto_priv.0",
    ".localalias",
    ".localalias.0",
    /* Rust: the hash of an instance. */
    "::h~",
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* Bytes of text that the pattern takes, 0 for none; *number is the last number in it. */
static size_t match(const char *pattern, const char *text, size_t n, unsigned *number)
{
	size_t at = 0;

	for (; *pattern; pattern++) {
		size_t from = at;

		switch (*pattern) {
		case '0':
			for (*number = 0; at < n && is_digit(text[at]); at++)
				if (*number < 1000)
					*number = *number * 10 + (unsigned)(text[at] - '0');
			break;
		case '~':
			while (at < n && at - from < 16 && is_hex(text[at]))
				at++;
			if (at - from < 16)
				return 0;
			break;
		case '*':
			/* Within one element of a path. */
			while (at < n && at - from < MOST_ANY && text[at] != pattern[1] &&
			       text[at] != '/')
				at++;
			continue;
		default:
			if (at < n && text[at] == *pattern)
				at++;
			break;
		}
		if (at == from)
			return 0;
	}
	return at;
}

/* Counters of closures within closures, .func1.2.1 or .func1.gowrap2: how much of text they take.
 */
static size_t chain(const char *text, size_t n)
{
	static const char *const links[] = {".0", ".func0", ".gowrap0", ".deferwrap0", "-range0"};
	size_t at = 0, i;
	unsigned number;

	do {
		for (i = 0; i < LENGTH(links); i++) {
			size_t m = match(links[i], text + at, n - at, &number);

			if (m && (at + m == n || !is_word(text[at + m]))) {
				at += m;
				break;
			}
		}
	} while (i < LENGTH(links));
	return at;
}

/* How much of text + at the rule takes, 0 for nothing. */
static size_t applies(const struct rule *r, const char *text, size_t n, size_t at)
{
	unsigned number = 0;
	size_t m;

	if (text[at] != r->pattern[0])
		return 0;
	if ((r->flags & PART_START) && at && text[at - 1] != '/')
		return 0;
	m = match(r->pattern, text + at, n - at, &number);
	if (!m || ((r->flags & MAJOR) && number < 2))
		return 0;
	if ((r->flags & WORD_END) && at + m < n && is_word(text[at + m]))
		return 0;
	if (r->flags & CHAIN)
		m += chain(text + at + m, n - at - m);
	return m;
}

static size_t replace(const struct rule *r, char *text, size_t n)
{
	size_t to = strlen(r->to), out = 0, at = 0;

	while (at < n) {
		const char *next = memchr(text + at, r->pattern[0], n - at);
		size_t m, skip = next ? (size_t)(next - text) - at : n - at;

		if (skip && out != at)
			memmove(text + out, text + at, skip);
		out += skip;
		at += skip;
		/* What is in front of `at` has been moved to `out`, which reads the same there. */
		m = at < n ? applies(r, text, n, at) : 0;
		if (!m) {
			if (at < n)
				text[out++] = text[at++];
			continue;
		}
		if (r->flags & DROP_BEFORE)
			out = 0;
		/* Read before it is written over: to is never longer than m. */
		memcpy(text + out, r->to, to);
		out += to;
		at += m;
		/* "/v2/v3/": what was put in place may begin the next. */
		if (to && r->to[to - 1] == '/' && r->pattern[0] == '/') {
			out--;
			at--;
		}
	}
	return out;
}

/* Type arguments, Map[go.shape.int_0,string] and (*T[...]): whatever is between the brackets that
 * follow a word; they nest. Lengths of arrays stay. */
static size_t drop_arguments(char *text, size_t n)
{
	size_t out = 0, at = 0;

	while (at < n) {
		size_t depth = 1, end = at + 1;
		bool number = true;

		text[out++] = text[at++];
		if (text[at - 1] != '[' || out < 2 || !is_word(text[out - 2]))
			continue;
		for (; end < n; end++) {
			depth += text[end] == '[';
			depth -= text[end] == ']';
			if (!depth)
				break;
			number = number && is_digit(text[end]);
		}
		if (depth) { /* none of the brackets to come is closed more often than this one */
			while (at < n)
				text[out++] = text[at++];
			break;
		}
		if (number || end - at < 3)
			continue;
		memcpy(text + out, "...", 3);
		out += 3;
		at = end;
	}
	return out;
}

/* The pattern at the end of text: bytes it takes, 0 for none. */
static size_t match_end(const char *pattern, const char *text, size_t n)
{
	size_t least = strlen(pattern), most = 40;
	char last = pattern[least - 1], end = n ? text[n - 1] : 0;
	unsigned number;

	/* Most names end otherwise. */
	if (last == '0' ? !is_digit(end) : last == '~' ? !is_hex(end) : last != end)
		return 0;
	for (size_t size = least; size < n && size <= most; size++)
		if (text[n - size] == pattern[0] &&
		    match(pattern, text + n - size, size, &number) == size)
			return size;
	return 0;
}

static size_t drop_endings(const char *text, size_t n)
{
	size_t i, m;

	do {
		for (i = 0, m = 0; i < LENGTH(endings) && !m; i++)
			m = match_end(endings[i], text, n);
		n -= m;
		/* demangled: "f(int) [clone .isra.0]" */
		if (!m && n > 9 && text[n - 1] == ']') {
			for (m = 2; m < n && m < 64 && text[n - m] != '['; m++)
				;
			if (m < n && m > 6 && !memcmp(text + n - m, "[clone", 6) &&
			    text[n - m - 1] == ' ')
				m++;
			else
				m = 0;
			n -= m;
		}
	} while (m);
	return n;
}

int rep_name_canonical(struct tp_buf *out, enum rep_name_kind kind, const char *name, size_t n)
{
	char *text;

	if (tp_buf_reserve(out, n))
		return TP_ENOMEM;
	if (!n)
		return 0;
	text = (char *)out->data + out->size;
	memcpy(text, name, n);
	if (kind == REP_NAME_FUNCTION)
		n = drop_endings(text, n);
	for (size_t i = 0; i < LENGTH(anywhere); i++)
		if (!(anywhere[i].flags & (kind == REP_NAME_FUNCTION ? FILES : FUNCTIONS)))
			n = replace(&anywhere[i], text, n);
	if (kind == REP_NAME_FUNCTION)
		n = drop_endings(text, drop_arguments(text, n));
	out->size += n;
	return 0;
}
