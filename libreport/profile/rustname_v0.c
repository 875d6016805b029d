/* Rust's mangling since 2021 ("v0"). Grammar: Rust's RFC 2603. Text: Go's demangle package, as pprof prints it.
 *
 * Written here because the one library of distributions that reads such names, libiberty, needs hours for a
 * hostile one ("_RMIC1aFGzzzzzzz_EuEu") and cannot be interrupted. */
#include "profile/rustname.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "profile/punycode.h"

enum {
	DEEPEST = 128,	    /* nested parts */
	MOST_STEPS = 20000, /* parts, those that are referred to several times counted as often */
	LONGEST = 16384,    /* bytes of a name, mangled or not */
	END = 0		    /* next() at the end: no character of a name */
};

struct v0 {
	const char *text; /* behind "_R" */
	size_t size, at;
	struct tp_buf *out;
	size_t begin; /* of the name in `out` */
	unsigned depth, steps;
	uint64_t lifetimes; /* that are bound */
	bool skip;	    /* nothing is written */
	bool open;	    /* the arguments of the last trait have no ">" yet */
	bool brief;	    /* arguments of generics are not written */
	bool bad;	    /* not such a name, or too long a one; then nothing is left to read */
};

/* ---- reading and writing ---- */

static void fail(struct v0 *r)
{
	r->bad = true;
	r->at = r->size;
}

static char next(const struct v0 *r)
{
	return r->at < r->size ? r->text[r->at] : END;
}

static bool take(struct v0 *r, char c)
{
	if (next(r) != c)
		return false;
	r->at++;
	return true;
}

static void need(struct v0 *r, char c)
{
	if (!take(r, c))
		fail(r);
}

static void put_bytes(struct v0 *r, const char *text, size_t size)
{
	if (r->skip || r->bad)
		return;
	if (r->out->size - r->begin + size > LONGEST || tp_buf_put(r->out, text, size))
		fail(r);
}

static void put(struct v0 *r, const char *text)
{
	put_bytes(r, text, strlen(text));
}

static void put_number(struct v0 *r, uint64_t n)
{
	char text[24];

	put_bytes(r, text, (size_t)snprintf(text, sizeof(text), "%" PRIu64, n));
}

/* Returns false, after fail(), if the name is nested too deeply, or takes too much work. */
static bool enter(struct v0 *r)
{
	if (r->bad || r->depth >= DEEPEST || r->steps >= MOST_STEPS) {
		fail(r);
		return false;
	}
	r->depth++;
	r->steps++;
	return true;
}

static void leave(struct v0 *r)
{
	r->depth--;
}

/* Reads parts up to an E; returns how many there are. */
static size_t list(struct v0 *r, void (*part)(struct v0 *r), const char *between)
{
	size_t n = 0;

	for (; !r->bad && !take(r, 'E'); n++) {
		if (n)
			put(r, between);
		part(r);
	}
	return n;
}

/* ---- numbers and identifiers ---- */

static int digit62(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

static uint64_t number62(struct v0 *r)
{
	uint64_t n = 0;

	if (take(r, '_'))
		return 0;
	while (!take(r, '_')) {
		int digit = digit62(next(r));

		if (digit < 0) {
			fail(r);
			return 0;
		}
		/* Longer ones are hashes of crates, which are not shown. */
		n = n > UINT32_MAX ? n : n * 62 + (uint64_t)digit;
		r->at++;
	}
	return n + 1;
}

static uint64_t disambiguator(struct v0 *r)
{
	return take(r, 's') ? number62(r) + 1 : 0;
}

static size_t decimal(struct v0 *r)
{
	size_t n = 0;

	if (next(r) < '0' || next(r) > '9')
		fail(r);
	if (take(r, '0'))
		return 0;
	while (next(r) >= '0' && next(r) <= '9' && n <= r->size)
		n = n * 10 + (size_t)(r->text[r->at++] - '0');
	return n;
}

/* An identifier: "u" if it is not ASCII, its length, and an underscore if it begins with a digit or one. */
struct identifier {
	struct tp_text text;
	bool unicode;
};

static struct identifier identifier(struct v0 *r)
{
	struct identifier id = {.unicode = take(r, 'u')};
	size_t n = decimal(r);

	take(r, '_');
	if (n > r->size - r->at) {
		fail(r);
		return id;
	}
	id.text = (struct tp_text){r->text + r->at, (uint32_t)n};
	for (size_t i = 0; i < n; i++)
		if (digit62(id.text.text[i]) < 0 && id.text.text[i] != '_')
			fail(r);
	r->at = r->bad ? r->size : r->at + n;
	return id;
}

/* Apart, as its room would be that of each part around it. */
__attribute__((noinline)) static void put_unicode(struct v0 *r, struct tp_text id)
{
	char text[REP_PUNYCODE_ROOM];
	size_t n = rep_punycode(id, text);

	if (!n)
		fail(r);
	put_bytes(r, text, n);
}

static void put_identifier(struct v0 *r, struct identifier id)
{
	if (id.unicode)
		put_unicode(r, id.text);
	else
		put_bytes(r, id.text.text, id.text.size);
}

/* ---- paths, types and constants ---- */

/* These call each other up to DEEPEST times. */
/* NOLINTBEGIN(misc-no-recursion) */
static void path(struct v0 *r);
static void path_of_type(struct v0 *r);
static void type(struct v0 *r);

/* "B" and the place of an earlier part, which stands here again. Places decrease, so this ends. */
static void refer(struct v0 *r, void (*part)(struct v0 *r))
{
	size_t end = r->at - 1, size = r->size, at;
	uint64_t place = number62(r);

	if (r->skip || r->bad)
		return;
	if (place >= end) {
		fail(r);
		return;
	}
	at = r->at;
	r->size = end;
	r->at = (size_t)place;
	part(r);
	r->size = size;
	r->at = r->bad ? size : at;
}

static void lifetime(struct v0 *r, uint64_t n)
{
	if (n > r->lifetimes) {
		fail(r);
	} else if (!n) {
		put(r, "'_");
	} else if (r->lifetimes - n < 26) {
		put_bytes(r, (char[]){'\'', (char)('a' + (r->lifetimes - n))}, 2);
	} else {
		put(r, "'z");
		put_number(r, r->lifetimes - n - 25);
	}
}

/* "for<'a, 'b> " */
static void binder(struct v0 *r)
{
	uint64_t n;

	if (!take(r, 'G'))
		return;
	n = number62(r) + 1;
	/* Each one is used later. */
	if (n >= r->size - r->at)
		fail(r);
	put(r, "for<");
	for (uint64_t i = 0; !r->bad && i < n; i++) {
		if (i)
			put(r, ", ");
		r->lifetimes++;
		lifetime(r, 1);
	}
	put(r, "> ");
}

/* A character of a constant, as Rust spells it. */
static void character(struct v0 *r, uint64_t c)
{
	static const char plain[] = "\t\r\n\\'", escaped[] = "trn\\'";
	const char *at = c && c < 0x80 ? strchr(plain, (char)c) : NULL;
	char text[32];

	if (at)
		snprintf(text, sizeof(text), "'\\%c'", escaped[at - plain]);
	else if (c >= ' ' && c <= '~')
		snprintf(text, sizeof(text), "'%c'", (char)c);
	else
		snprintf(text, sizeof(text), "'\\u{%" PRIx64 "}'", c);
	put(r, text);
}

static void constant(struct v0 *r)
{
	char kind = next(r);
	size_t begin, digits;
	uint64_t value = 0;

	if (!enter(r))
		return;
	r->at++;
	if (kind == 'B') {
		refer(r, constant);
	} else if (kind == 'p') {
		put(r, "_");
	} else if (kind == END || !strchr("aslxnihtmyojbc", kind)) {
		fail(r);
	} else {
		if (strchr("aslxni", kind) && take(r, 'n'))
			put(r, "-");
		for (begin = r->at; next(r) != END && strchr("0123456789abcdef", next(r)); r->at++)
			value = value << 4 | (uint64_t)digit62(next(r));
		digits = r->at - begin;
		need(r, '_');
		if (!digits || (digits > 1 && r->text[begin] == '0') ||
		    (kind == 'b' && value > 1) || (strchr("bc", kind) && digits > 6)) {
			fail(r);
		} else if (kind == 'b') {
			put(r, value ? "true" : "false");
		} else if (kind == 'c') {
			character(r, value);
		} else if (digits > 16) {
			put(r, "0x");
			put_bytes(r, r->text + begin, digits);
		} else {
			put_number(r, value);
		}
	}
	leave(r);
}

static void argument(struct v0 *r)
{
	if (take(r, 'L'))
		lifetime(r, number62(r));
	else if (take(r, 'K'))
		constant(r);
	else
		type(r);
}

static void arguments(struct v0 *r)
{
	bool skip = r->skip;

	r->skip |= r->brief;
	list(r, argument, ", ");
	r->skip = skip;
}

/* A closure or the like. */
static void special(struct v0 *r, char space, struct identifier id, uint64_t number)
{
	put(r, "::{");
	if (space == 'C')
		put(r, "closure");
	else if (space == 'S')
		put(r, "shim");
	else
		put_bytes(r, &space, 1);
	if (id.text.size)
		put(r, ":");
	put_identifier(r, id);
	put(r, "#");
	put_number(r, number);
	put(r, "}");
}

static void nested(struct v0 *r, void (*outer)(struct v0 *r))
{
	char space = next(r);
	struct identifier id;
	uint64_t number;

	if (digit62(space) < 10)
		fail(r);
	r->at += !r->bad;
	outer(r);
	number = disambiguator(r);
	id = identifier(r);
	if (space >= 'A' && space <= 'Z') {
		special(r, space, id, number);
	} else if (id.text.size) {
		put(r, "::");
		put_identifier(r, id);
	}
}

/* "<TYPE>" or "<TYPE as TRAIT>"; the path of an implementation itself is not shown. */
static void implementation(struct v0 *r, char kind)
{
	bool skip = r->skip;

	if (kind != 'Y') {
		r->skip = true;
		disambiguator(r);
		path_of_type(r);
		r->skip = skip;
	}
	put(r, "<");
	type(r);
	if (kind != 'M') {
		put(r, " as ");
		path_of_type(r);
	}
	put(r, ">");
}

/* `self` is path, in which colons come before arguments as in calls, or path_of_type. */
static void any_path(struct v0 *r, void (*self)(struct v0 *r))
{
	char kind = next(r);

	if (!enter(r))
		return;
	r->at++;
	if (kind == 'C') {
		disambiguator(r);
		put_identifier(r, identifier(r));
	} else if (kind && strchr("MXY", kind)) {
		implementation(r, kind);
	} else if (kind == 'N') {
		nested(r, self);
	} else if (kind == 'I') {
		self(r);
		put(r, self == path ? "::<" : "<");
		arguments(r);
		put(r, ">");
	} else if (kind == 'B') {
		refer(r, self);
	} else {
		fail(r);
	}
	leave(r);
}

static void path(struct v0 *r)
{
	any_path(r, path);
}

static void path_of_type(struct v0 *r)
{
	any_path(r, path_of_type);
}

/* A trait, whose arguments are left open (r->open), as bindings may follow. */
static void path_of_trait(struct v0 *r)
{
	if (next(r) != 'I' && next(r) != 'B') {
		path_of_type(r);
	} else if (enter(r)) {
		if (take(r, 'B')) {
			refer(r, path_of_trait);
		} else {
			r->at++;
			path_of_type(r);
			put(r, "<");
			arguments(r);
			r->open = true;
		}
		leave(r);
	}
}

/* "Iterator<Item = u8>" */
static void trait(struct v0 *r)
{
	bool open;

	r->open = false;
	path_of_trait(r);
	for (open = r->open; take(r, 'p'); open = true) {
		put(r, open ? ", " : "<");
		put_identifier(r, identifier(r));
		put(r, " = ");
		type(r);
	}
	if (open)
		put(r, ">");
	r->open = false;
}

static void dynamic(struct v0 *r)
{
	uint64_t bound = r->lifetimes, n;
	bool any;

	put(r, "dyn ");
	binder(r);
	any = list(r, trait, " + ") > 0;
	r->lifetimes = bound;
	need(r, 'L');
	n = r->bad ? 0 : number62(r);
	if (n) {
		put(r, any ? " + " : "+ ");
		lifetime(r, n);
	}
}

static void function(struct v0 *r)
{
	binder(r);
	if (take(r, 'U'))
		put(r, "unsafe ");
	if (take(r, 'K')) {
		struct identifier abi = {.text = {"C", 1}};

		put(r, "extern \"");
		if (!take(r, 'C'))
			abi = identifier(r);
		for (size_t i = 0; i < abi.text.size; i++)
			put_bytes(r, abi.text.text[i] == '_' ? "-" : abi.text.text + i, 1);
		put(r, "\" ");
	}
	put(r, "fn(");
	list(r, type, ", ");
	put(r, ")");
	if (take(r, 'u'))
		return;
	put(r, " -> ");
	type(r);
}

/* Behind the letter of a type that is made of others. */
static void compound(struct v0 *r, char kind)
{
	uint64_t n = 0;

	switch (kind) {
	case 'A':
	case 'S':
		put(r, "[");
		type(r);
		if (kind == 'A') {
			put(r, "; ");
			constant(r);
		}
		put(r, "]");
		break;
	case 'T':
		put(r, "(");
		put(r, list(r, type, ", ") == 1 ? ",)" : ")");
		break;
	case 'R':
	case 'Q':
		put(r, "&");
		if (take(r, 'L') && (n = number62(r)) > 0) {
			lifetime(r, n);
			put(r, " ");
		}
		if (kind == 'Q')
			put(r, "mut ");
		type(r);
		break;
	case 'P':
	case 'O':
		put(r, kind == 'P' ? "*const " : "*mut ");
		type(r);
		break;
	case 'F':
		n = r->lifetimes;
		function(r);
		r->lifetimes = n;
		break;
	case 'D':
		dynamic(r);
		break;
	case 'B':
		refer(r, type);
		break;
	default:
		fail(r);
	}
}

static void type(struct v0 *r)
{
	static const char *const basic[] = {"ai8",   "bbool",  "cchar",	 "df64", "estr", "ff32",
					    "hu8",   "iisize", "jusize", "li32", "mu32", "ni128",
					    "ou128", "p_",     "si16",	 "tu16", "u()",	 "v...",
					    "xi64",  "yu64",   "z!"};
	size_t i = 0;
	char kind = next(r);

	if (kind && strchr("CMXYNI", kind)) {
		path_of_type(r);
	} else if (enter(r)) {
		r->at++;
		while (i < sizeof(basic) / sizeof(*basic) && *basic[i] != kind)
			i++;
		if (i < sizeof(basic) / sizeof(*basic))
			put(r, basic[i] + 1);
		else
			compound(r, kind);
		leave(r);
	}
}

/* NOLINTEND(misc-no-recursion) */

int rep_rust_demangle_v0(struct tp_text name, bool whole, struct tp_buf *out, bool *put)
{
	struct v0 r = {.out = out, .begin = out->size, .brief = !whole};

	*put = false;
	if (!tp_text_begins(name, "_R") || name.size > LONGEST)
		return 0;
	r.text = name.text + 2;
	/* Without a suffix of compilers, such as ".llvm.123". */
	while (r.size < name.size - 2 && r.text[r.size] != '.' && r.text[r.size] != '$')
		r.size++;
	path(&r);
	/* The crate that needed the function. */
	r.skip = true;
	if (!r.bad && r.at < r.size)
		path(&r);
	*put = !r.bad && r.at == r.size && out->size > r.begin && !out->failed;
	if (!*put && !out->failed)
		out->size = r.begin;
	return tp_buf_text(out, "");
}
