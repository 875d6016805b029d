#include "export/anonymise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

/* What a string is used for. */
enum {
	KEEP = 1 << 0,	       /* the runtime's own word */
	FUNCTION = 1 << 1,     /* a name of a function */
	STD_FUNCTION = 1 << 2, /* … of the standard library */
	STD_FILE = 1 << 3,     /* the file of such a function */
	OWN_FILE = 1 << 4,     /* … of any other */
};

/* ---- the hash ---- */

static uint64_t rotate(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotate(v[1], 13) ^ v[0];
	v[0] = rotate(v[0], 32);
	v[2] += v[3];
	v[3] = rotate(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotate(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotate(v[1], 17) ^ v[2];
	v[2] = rotate(v[2], 32);
}

static uint64_t little_endian(const uint8_t *p, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

uint64_t rep_siphash(const uint64_t key[2], const void *data, size_t size)
{
	uint64_t v[4] = {0x736f6d6570736575u ^ key[0], 0x646f72616e646f6du ^ key[1],
			 0x6c7967656e657261u ^ key[0], 0x7465646279746573u ^ key[1]};
	const uint8_t *p = data;
	uint64_t m;

	for (size_t left = size; left >= 8; left -= 8, p += 8) {
		m = little_endian(p, 8);
		v[3] ^= m;
		sip_round(v);
		sip_round(v);
		v[0] ^= m;
	}
	m = little_endian(p, size % 8) | (uint64_t)size << 56;
	v[3] ^= m;
	sip_round(v);
	sip_round(v);
	v[0] ^= m;
	v[2] ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void rep_anonymise_key(struct rep_anonymise *a, const void *secret, size_t size)
{
	static const uint64_t first[2] = {1, 0}, second[2] = {2, 0};

	a->key[0] = secret ? rep_siphash(first, secret, size) : tp_seed();
	a->key[1] = secret ? rep_siphash(second, secret, size) : tp_seed() * 0x9e3779b97f4a7c15u;
}

/* ---- Go's standard library ---- */

/* First elements of the paths of the standard library's packages (go 1.5 to 1.27). Modules do not
 * use them: the first element of a module's path has a dot, except in programs that are never
 * fetched. */
static bool is_std_word(const char *s, size_t n)
{
	static const char *const words[] = {
	    "archive",	"bufio",    "bytes",   "cmp",	  "compress", "container", "context",
	    "crypto",	"database", "debug",   "embed",	  "encoding", "errors",	   "expvar",
	    "flag",	"fmt",	    "go",      "hash",	  "html",     "image",	   "index",
	    "internal", "io",	    "iter",    "log",	  "maps",     "math",	   "mime",
	    "net",	"os",	    "path",    "plugin",  "reflect",  "regexp",	   "runtime",
	    "slices",	"sort",	    "strconv", "strings", "structs",  "sync",	   "syscall",
	    "testing",	"text",	    "time",    "unicode", "unique",   "unsafe",	   "vendor",
	    "weak",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == n && !memcmp(words[i], s, n))
			return true;
	return false;
}

/* Returns the length of the package's path in "net/http.(*Server).Serve"; 0 if it has none. */
static size_t package_of(const struct tp_text *t)
{
	size_t end = 0;

	while (end < t->size && !strchr("([{<", t->text[end]))
		end++;
	while (end && t->text[end - 1] != '/')
		end--;
	for (; end < t->size; end++)
		if (t->text[end] == '.' && end)
			return end;
	return 0;
}

/* Returns the path of a standard library file without the folder in which Go was installed; NULL if
 * the path does not look like one. */
static const char *std_path(struct tp_text t)
{
	static const char src[] = "/src/";
	const char *at = t.text;
	size_t word;

	for (const char *p = t.text; (p = strstr(p, src)); p++)
		at = p + sizeof(src) - 1;
	word = strcspn(at, "/");
	return at[word] == '/' && is_std_word(at, word) ? at : NULL;
}

static bool ends(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

/* Returns whether a folder of Go has functions with names of other packages, by go:linkname
 * ("time.Sleep" is in runtime/time.go) or in assembly ("runtime.cmpstring" in internal/bytealg). */
static bool lends_names(const char *folder)
{
	static const char *const folders[] = {"runtime/", "internal/", "syscall/"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (!strncmp(folder, folders[i], strlen(folders[i])))
			return true;
	return false;
}

/* Returns whether a file of Go's can hold functions of this package, whose path begins like one of
 * the standard library. */
static bool is_std_file(struct tp_text file, const char *package, size_t size)
{
	const char *path = std_path(file);

	if (!path || (!ends(path, ".go") && !ends(path, ".s")))
		return false;
	return lends_names(path) ||
	       ((size_t)(strrchr(path, '/') - path) == size && !memcmp(path, package, size));
}

/* Returns whether a function is in the standard library. Its name alone is no proof, as Java has
 * packages io and net. If the file says no more ("", "<autogenerated>"), it could be in any
 * program. */
static bool is_std_function(struct tp_text name, struct tp_text file)
{
	size_t package = package_of(&name), word = 0;

	while (word < package && name.text[word] != '/')
		word++;
	return package && is_std_word(name.text, word) && is_std_file(file, name.text, package);
}

/* Returns whether a text is a placeholder that the runtime or our views put in place of a name.
 * Rust names may have brackets at both ends, too ("<shop::Order>::bill::<shop::Customer>"), with
 * further brackets or colons between them. */
static bool is_no_name(const struct tp_text *t)
{
	size_t n = t->size;

	return n > 1 &&
	       ((t->text[0] == '[' && t->text[n - 1] == ']') ||
		(t->text[0] == '<' && t->text[n - 1] == '>')) &&
	       strcspn(t->text + 1, "[]<>:") == n - 2;
}

/* ---- new names ---- */

struct work {
	const struct rep_anonymise *a;
	struct tp_dict *dict;
	uint8_t *use; /* of each string */
	uint32_t n;
	struct tp_err *err;
};

static int retext(struct work *w, uint32_t id, const char *text, size_t size)
{
	return tp_dict_retext(w->dict, id, text, size) ? tp_nomem(w->err) : 0;
}

static unsigned long long hash(const struct work *w, const void *data, size_t size)
{
	return rep_siphash(w->a->key, data, size) >> 16;
}

/* Hides types between the brackets of a generic function, as they may be the program's own. */
static int shorten_types(struct work *w, uint32_t id, struct tp_text t)
{
	const char *open = memchr(t.text, '[', t.size);
	size_t head = open ? (size_t)(open - t.text) : 0;
	char text[512];
	int n;

	if (!open || (t.size - head >= 5 && !memcmp(open, "[...]", 5)))
		return 0;
	n = snprintf(text, sizeof(text), "%.*s[...]", head < 400 ? (int)head : 400, t.text);
	return retext(w, id, text, (size_t)n);
}

static int rename_function(struct work *w, uint32_t id, struct tp_text t)
{
	size_t package = package_of(&t);
	bool main_package = package == 4 && !memcmp(t.text, "main", 4);
	char text[64];
	int n;

	if (is_no_name(&t) || (t.size == 9 && !memcmp(t.text, "main.main", 9)))
		return 0;
	if (!w->a->all && w->use[id] & STD_FUNCTION)
		return shorten_types(w, id, t);
	if (main_package)
		n = snprintf(text, sizeof(text), "main.f%012llx", hash(w, t.text, t.size));
	else if (package)
		n = snprintf(text, sizeof(text), "p%012llx.f%012llx", hash(w, t.text, package),
			     hash(w, t.text, t.size));
	else
		n = snprintf(text, sizeof(text), "f%012llx", hash(w, t.text, t.size));
	return retext(w, id, text, (size_t)n);
}

static int rename_file(struct work *w, uint32_t id, struct tp_text t)
{
	const char *std = w->a->all || w->use[id] & OWN_FILE ? NULL : std_path(t);
	const char *dot = strrchr(t.text, '.'), *slash = strrchr(t.text, '/');
	char text[64];
	int n;

	if (is_no_name(&t))
		return 0;
	if (std)
		return std == t.text ? 0 : retext(w, id, std, t.size - (size_t)(std - t.text));
	n = snprintf(text, sizeof(text), "/d%012llx/f%012llx%s",
		     hash(w, t.text, slash ? (size_t)(slash - t.text) : 0), hash(w, t.text, t.size),
		     dot && (!strcmp(dot, ".go") || !strcmp(dot, ".c") || !strcmp(dot, ".s")) ? dot
											      : "");
	return retext(w, id, text, (size_t)n);
}

static int rename_text(struct work *w, uint32_t id, struct tp_text t)
{
	char text[32];
	int n = snprintf(text, sizeof(text), "t%012llx", hash(w, t.text, t.size));

	return retext(w, id, text, (size_t)n);
}

static int rename_all(struct work *w)
{
	int code = 0;

	for (uint32_t i = 1; i < w->n && !code; i++) {
		struct tp_text t = tp_dict_text(w->dict, i);

		if (!t.size || w->use[i] & KEEP)
			continue;
		if (w->use[i] & FUNCTION)
			code = rename_function(w, i, t);
		else if (w->use[i] & (STD_FILE | OWN_FILE))
			code = rename_file(w, i, t);
		else
			code = rename_text(w, i, t);
	}
	return code;
}

static void use(struct work *w, int64_t id, uint8_t what)
{
	if (id > 0 && id < w->n)
		w->use[id] |= what;
}

static int begin(struct work *w)
{
	static const char *const known[] = {
#define TP_X(name, text) text,
	    TP_KNOWN_STRINGS(TP_X)
#undef TP_X
	};

	w->n = tp_dict_strings(w->dict);
	w->use = calloc(w->n, 1);
	if (!w->use)
		return tp_nomem(w->err);
	for (uint32_t i = 1; i < w->n && i < 64; i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (!strcmp(tp_dict_text(w->dict, i).text, known[k]))
				use(w, i, KEEP);
	for (uint32_t i = 1; i < tp_dict_functions(w->dict); i++) {
		struct tp_function f = tp_dict_function_at(w->dict, i);
		struct tp_text file = tp_dict_text(w->dict, f.file);
		bool std = is_std_function(tp_dict_text(w->dict, f.name), file);
		bool system_std = is_std_function(tp_dict_text(w->dict, f.system_name), file);

		/* A name that a function has in one of Go's files counts as Go's wherever else it
		 * occurs. */
		use(w, f.name, std ? FUNCTION | STD_FUNCTION : FUNCTION);
		use(w, f.system_name, system_std ? FUNCTION | STD_FUNCTION : FUNCTION);
		use(w, f.file, std ? STD_FILE : OWN_FILE);
	}
	return 0;
}

/* ---- traces ---- */

/* Columns that hold words of the runtime. */
static const struct {
	enum tp_table_id table;
	unsigned column;
} words[] = {
    {TP_TABLE_GOROUTINE_BLOCK, TP_COL(GOROUTINE_BLOCK, reason)},
    {TP_TABLE_GOROUTINE_RANGE, TP_COL(GOROUTINE_RANGE, name)},
    {TP_TABLE_SITE, TP_COL(SITE, reason)},
    {TP_TABLE_SPAN_CROSSING, TP_COL(SPAN_CROSSING, reason)},
    {TP_TABLE_RANGE, TP_COL(RANGE, name)},
};

int rep_anonymise_trace(const struct rep_anonymise *a, struct tp_store *s, int64_t run,
			struct tp_dict *dict, struct tp_err *err)
{
	struct work w = {.a = a, .dict = dict, .err = err};
	int code = begin(&w);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && !code; i++) {
		struct tp_rows rows = {0};

		code = tp_rows_load(s, run, words[i].table, 1u << words[i].column, &rows, err);
		for (size_t k = 0; !code && k < rows.nrows; k++)
			use(&w, rows.col[words[i].column][k], KEEP);
		tp_rows_release(&rows);
	}
	/* A reason that is also the name of a function is treated as a name. */
	for (uint32_t i = 1; i < w.n && !code; i++)
		if (w.use[i] & FUNCTION)
			w.use[i] &= (uint8_t)~KEEP;
	if (!code)
		code = rename_all(&w);
	free(w.use);
	return code;
}

/* ---- profiles ---- */

static void keep_if(struct work *w, uint32_t id, const char *text)
{
	if (!strcmp(tp_dict_text(w->dict, id).text, text))
		use(w, id, KEEP);
}

int rep_anonymise_profile(const struct rep_anonymise *a, struct tp_profile *p, struct tp_err *err)
{
	struct work w = {.a = a, .dict = p->dict, .err = err};
	int code = begin(&w);

	if (code)
		return code;
	/* Expressions on names, and the address of a document about the program, are removed. */
	p->drop_frames = p->keep_frames = p->doc_url = 0;
	for (size_t i = 0; i < p->ntypes; i++) {
		use(&w, p->types[i].type, KEEP);
		use(&w, p->types[i].unit, KEEP);
	}
	use(&w, p->period_type.type, KEEP);
	use(&w, p->period_type.unit, KEEP);
	use(&w, p->default_type, KEEP);
	for (size_t i = 0; i < p->ncounters; i++)
		use(&w, p->counters[i].name, KEEP);
	for (size_t i = 0; i < p->nlabels; i++) {
		if (p->labels[i].numeric)
			use(&w, p->labels[i].unit, KEEP);
		keep_if(&w, p->labels[i].key, "bytes");
		keep_if(&w, p->labels[i].key, "goroutine");
		keep_if(&w, p->labels[i].key, "pprof::base");
	}
	code = rename_all(&w);
	free(w.use);
	return code;
}
