#include "own.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/many.h"

/* ---- names of packages ---- */

/* First folders of the standard library's packages, in order. An import path outside it begins with
 * a domain, or with the name of a module that has none. */
static const char *const standard[] = {
    "archive", "bufio",	  "builtin",  "bytes",	"cmd",	   "cmp",      "compress", "container",
    "context", "crypto",  "database", "debug",	"embed",   "encoding", "errors",   "expvar",
    "flag",    "fmt",	  "go",	      "hash",	"html",	   "image",    "index",	   "internal",
    "io",      "iter",	  "log",      "maps",	"math",	   "mime",     "net",	   "os",
    "path",    "plugin",  "reflect",  "regexp", "runtime", "simd",     "slices",   "sort",
    "strconv", "strings", "structs",  "sync",	"syscall", "testing",  "text",	   "time",
    "unicode", "unique",  "unsafe",   "uuid",	"vendor",  "weak",
};

static struct tp_text part(struct tp_text t, size_t from, size_t to)
{
	return (struct tp_text){t.text + from, (uint32_t)(to - from)};
}

/* Returns the text before the first slash. */
static struct tp_text first_folder(struct tp_text path)
{
	const char *slash = path.size ? memchr(path.text, '/', path.size) : NULL;

	return slash ? part(path, 0, (size_t)(slash - path.text)) : path;
}

static int by_name(const void *a, const void *b)
{
	const struct tp_text *t = a;
	const char *name = *(const char *const *)b;
	size_t n = strlen(name);
	int order = memcmp(t->text, name, t->size < n ? t->size : n);

	return order ? order : (t->size > n) - (t->size < n);
}

static bool is_standard(struct tp_text path)
{
	struct tp_text first = first_folder(path);

	return first.size &&
	       bsearch(&first, standard, TP_COUNT_OF(standard), sizeof(*standard), by_name);
}

/* Returns "net/http" of "net/http.(*conn).serve"; nothing of names that are not Go's. */
static struct tp_text package_of(struct tp_text name)
{
	uint32_t from = 0, at;

	/* Slashes behind the first parenthesis or bracket belong to types. */
	for (at = 0; at < name.size && name.text[at] != '(' && name.text[at] != '['; at++) {
		if (name.text[at] == '/')
			from = at + 1;
		if (name.text[at] == ':')
			return (struct tp_text){"", 0};
	}
	for (at = from; at < name.size; at++)
		if (name.text[at] == '.')
			return part(name, 0, at);
	return (struct tp_text){"", 0};
}

bool rep_own_is_go(struct tp_text name)
{
	return package_of(name).size > 0;
}

/* ---- files ---- */

/* Returns the offset behind the first `what` in t, or 0. */
static size_t behind(struct tp_text t, const char *what)
{
	size_t n = strlen(what);
	const char *at = t.size ? memmem(t.text, t.size, what, n) : NULL;

	return at ? (size_t)(at - t.text) + n : 0;
}

/* Returns whether a file is of a module that has a version, or a copy of one. */
static bool is_foreign(struct tp_text file)
{
	return behind(file, "@v") || behind(file, "/vendor/");
}

/* Returns whether a file lies in a GOROOT: "…/src/net/http/server.go". */
static bool is_in_goroot(struct tp_text file)
{
	size_t at;

	while ((at = behind(file, "/src/"))) {
		file = part(file, at, file.size);
		if (is_standard(file))
			return true;
	}
	return false;
}

/* Returns whether the file of a package that is named like one of the standard library is of it:
 * -trimpath leaves "net/http/server.go", and cgo's files have no folder. */
static bool is_of_library(struct tp_text file)
{
	return is_in_goroot(file) || is_standard(file) || !memchr(file.text, '/', file.size);
}

/* Returns the folder of the file of a main function, with the slash; that of its module if the
 * module has a version. Nothing for one that says no more than "here". */
static struct tp_text root_of(struct tp_text file)
{
	size_t version = behind(file, "@v"), end = file.size;

	while (end && file.text[end - 1] != '/')
		end--;
	for (size_t i = version; version && i < end; i++)
		if (file.text[i] == '/')
			end = i + 1;
	return end > 1 && !tp_text_begins(file, "./") ? part(file, 0, end) : part(file, 0, 0);
}

static bool is_below(const struct rep_own *o, struct tp_text file)
{
	for (size_t i = 0; i < o->nroots; i++) {
		const struct tp_text *root = &o->root[i];
		struct tp_text rest;

		if (file.size <= root->size || memcmp(file.text, root->text, root->size) != 0)
			continue;
		rest = part(file, root->size - 1, file.size);
		if (!is_foreign(rest) && !is_in_goroot(rest))
			return true;
	}
	return false;
}

/* ---- the rule ---- */

static bool is(struct tp_text t, const char *what)
{
	return t.size == strlen(what) && tp_text_begins(t, what);
}

static bool decide(const struct rep_own *o, const struct tp_dict *dict, uint32_t function)
{
	struct tp_function f = tp_dict_function_at(dict, function);
	struct tp_text name = tp_dict_text(dict, f.name), file = tp_dict_text(dict, f.file);
	struct tp_text package;

	if (o->names)
		return tp_regex_match(o->names, name.text, name.size);
	if (tp_text_begins(name, "main.") || is_below(o, file))
		return true;
	package = package_of(name);
	if (!package.size || is_foreign(file))
		return false;
	return !is_standard(package) || !is_of_library(file);
}

#define MOST_ROOTS 64 /* every function may be compared with each */

/* A store may hold the functions of several programs. */
static void begin(struct rep_own *o, const struct tp_dict *dict)
{
	uint32_t n = tp_dict_functions(dict);

	o->begun = true;
	for (uint32_t i = 1; !o->names && i < n && o->nroots < MOST_ROOTS; i++) {
		struct tp_function f = tp_dict_function_at(dict, i);
		struct tp_text name = tp_dict_text(dict, f.name), root;

		if (!is(name, "main.main") && !is(name, "main"))
			continue;
		root = root_of(tp_dict_text(dict, f.file));
		if (!root.size)
			continue;
		if (tp_grow(&o->root, &o->room, o->nroots, sizeof(*o->root))) {
			o->failed = true;
			return;
		}
		o->root[o->nroots++] = root;
	}
}

void rep_own_set(struct rep_own *o, uint32_t function, bool own)
{
	if (tp_grow(&o->answer, &o->nanswers, function, sizeof(*o->answer)))
		o->failed = true;
	else
		o->answer[function] = own ? 2 : 1;
}

bool rep_own_frame(struct rep_own *o, const struct tp_dict *dict, uint32_t frame)
{
	uint32_t function = tp_dict_frame_at(dict, frame).function;
	bool own;

	if (function < o->nanswers && o->answer[function])
		return o->answer[function] > 1;
	if (!o->begun)
		begin(o, dict);
	own = decide(o, dict, function);
	rep_own_set(o, function, own);
	return own;
}

uint32_t rep_own_node(struct rep_own *o, const struct tp_dict *dict, uint32_t stack)
{
	for (uint32_t at = stack; at;) {
		struct tp_stack_node node = tp_dict_stack_at(dict, at);

		if (rep_own_frame(o, dict, node.frame))
			return at;
		at = node.parent < at ? node.parent : 0;
	}
	return 0;
}

int rep_own_settle(const struct rep_own *o, struct tp_err *err)
{
	if (o->failed)
		return tp_nomem(err);
	return o->names ? tp_regex_settle(o->names, err) : 0;
}

void rep_own_release(struct rep_own *o)
{
	free(o->answer);
	free(o->root);
	*o = (struct rep_own){.names = o->names};
}
