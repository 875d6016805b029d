/* The C++ runtime has the demangler (the Itanium C++ ABI's __cxa_demangle). It is looked for when a
 * name asks for it: who records C++ programs has it, and nobody else needs it. */
#include "tprof-record/convert/names/names_demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 4096 /* longer ones are templates that nobody reads */

typedef char *(*demangle_fn)(const char *, char *, size_t *, int *);

static demangle_fn demangle;

static void find_demangler(void)
{
	void *lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	void *symbol = lib ? dlsym(lib, "__cxa_demangle") : NULL;

	memcpy(&demangle, &symbol, sizeof(demangle));
}

/* "::h0123456789abcdef", by which Rust tells its functions apart. */
static void cut_hash(char *text)
{
	size_t n = strlen(text);

	if (n < 20 || memcmp(text + n - 19, "::h", 3) != 0)
		return;
	for (size_t i = n - 16; i < n; i++)
		if (!isxdigit((unsigned char)text[i]))
			return;
	text[n - 19] = '\0';
}

/* What Rust has for characters that symbols may not hold. */
static void unescape(char *text)
{
	static const struct {
		const char *from;
		char to[3];
	} rules[] = {{"$LT$", "<"},  {"$GT$", ">"},  {"$RF$", "&"},  {"$BP$", "*"},
		     {"$C$", ","},   {"$u20$", " "}, {"$u7b$", "{"}, {"$u7d$", "}"},
		     {"$u5b$", "["}, {"$u5d$", "]"}, {"..", "::"}};
	char *to = text;

	while (*text) {
		size_t i, n = 0;

		for (i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
			n = strlen(rules[i].from);
			if (!strncmp(text, rules[i].from, n))
				break;
		}
		if (i < sizeof(rules) / sizeof(*rules)) {
			size_t size = strlen(rules[i].to);

			memmove(to, rules[i].to, size);
			to += size;
			text += n;
		} else {
			*to++ = *text++;
		}
	}
	*to = '\0';
}

/* Behind the ')' that belongs to the '(' at `at`; NULL where there is none. */
static char *behind(char *at)
{
	unsigned depth = 0;

	for (; *at; at++) {
		depth += *at == '(';
		if (*at == ')' && !--depth)
			return at + 1;
	}
	return NULL;
}

static bool ends_in(const char *text, const char *at, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(at - text) >= n && !memcmp(at - n, with, n);
}

void rec_shorten(char *text)
{
	unsigned depth = 0;

	cut_hash(text);
	if (strchr(text, '$'))
		unescape(text);
	for (char *at = text; *at; at++) {
		char *next;

		if (*at == '<' || *at == '{') {
			depth++;
		} else if ((*at == '>' || *at == '}') && depth && at[-1] != '-') {
			depth--;
		} else if (*at == '(' && !depth) {
			next = behind(at);
			if (!next)
				return;
			/* A part of the name, or of that of a function around it. */
			if (!strncmp(at, "(anonymous namespace)", 21) ||
			    (ends_in(text, at, "operator") && *next == '(') ||
			    !strncmp(next, "::", 2) || !strncmp(next, " const::", 8)) {
				at = next - 1;
				continue;
			}
			*at = '\0';
			break;
		}
	}
	/* A lambda is called by what it is. */
	depth = (unsigned)strlen(text);
	if (depth > 13 && !strcmp(text + depth - 13, "}::operator()"))
		text[depth - 12] = '\0';
}

bool rec_demangle(const char *name, char *text, size_t room)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t size;
	char *found;
	int status = 0;

	if (strncmp(name, "_Z", 2) != 0 || strlen(name) > LONGEST)
		return false;
	pthread_once(&once, find_demangler);
	found = demangle ? demangle(name, NULL, NULL, &status) : NULL;
	if (!found)
		return false;
	rec_shorten(found);
	size = strlen(found) + 1;
	if (size <= room && size > 1)
		memcpy(text, found, size);
	free(found);
	return size <= room && size > 1;
}
