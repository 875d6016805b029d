#include "profile/demangle.h"

#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "profile/rustname.h"
#include "profile/cppname.h"

#define LONGEST	   4096 /* bytes of a mangled name */
#define REFERENCES 40
#define MOST	   ((size_t)64 << 20) /* bytes; limit on all demangled names of a profile */

typedef char *(*demangler)(const char *, char *, size_t *, int *);

static pthread_once_t once = PTHREAD_ONCE_INIT;
static demangler cxa_demangle;

static void find_library(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		library = dlopen("libc++abi.so.1", RTLD_LAZY | RTLD_LOCAL);
	if (library)
		*(void **)&cxa_demangle = dlsym(library, "__cxa_demangle");
}

/* Returns whether a name has too many references. S_, S1A_, T_ and T0_ refer back to parts of the
 * name; n of them can make it 3^(n/3) times as long. */
static bool explodes(const char *name)
{
	int n = 0;

	for (; *name; name++) {
		const char *end = name + 1;

		if (*name != 'S' && *name != 'T')
			continue;
		while (isdigit((unsigned char)*end) || isupper((unsigned char)*end))
			end++;
		n += *end == '_';
	}
	return n > REFERENCES;
}

static char *read_cpp(const char *name)
{
	int status;

	pthread_once(&once, find_library);
	return cxa_demangle && !explodes(name) ? cxa_demangle(name, NULL, NULL, &status) : NULL;
}

/* Appends the demangled name, and sets *put, if the name is a mangled one. */
static int put_cpp(struct tp_text name, enum rep_demangle how, struct tp_buf *out, bool *put)
{
	char copy[LONGEST + 1], *whole;
	size_t n = name.size;
	unsigned parts = 0;
	bool special;
	int code = 0;

	*put = false;
	if (n < 4 || n > LONGEST || memcmp(name.text, "_Z", 2) != 0 || memchr(name.text, 0, n))
		return 0;
	memcpy(copy, name.text, n);
	copy[n] = 0;
	special = copy[2] == 'T' || copy[2] == 'G';
	/* Suffixes of compilers and linkers: .isra.0, .cold, @GLIBC_2.2.5 */
	if (!special || how == REP_DEMANGLE_FULL || !strchr(copy[2] == 'T' ? "htvc" : "T", copy[3]))
		copy[strcspn(copy, ".@")] = 0;
	whole = read_cpp(copy);
	if (!whole)
		return 0;
	*put = true;
	if (how != REP_DEMANGLE_DEFAULT)
		parts |= REP_CPP_TEMPLATES;
	/* "vtable for T" and "virtual thunk to f(int)" stay whole. */
	if (special)
		parts |= REP_CPP_PARAMETERS;
	code = rep_cpp_simplify(whole, how == REP_DEMANGLE_FULL ? REP_CPP_ALL : parts, out);
	free(whole);
	return code;
}

static int put_readable(struct tp_text name, enum rep_demangle how, struct tp_buf *out, bool *put)
{
	int code = rep_rust_demangle(name, how != REP_DEMANGLE_DEFAULT, out, put);

	return code || *put ? code : put_cpp(name, how, out, put);
}

int rep_demangle_name(struct tp_text name, enum rep_demangle how, struct tp_buf *out)
{
	bool put = false;
	int code = 0;

	if (how != REP_DEMANGLE_NONE && name.size && name.text[0] == '_') {
		code = put_readable(name, how, out, &put);
		/* macOS adds another underscore to all names. */
		if (!code && !put)
			code = put_readable((struct tp_text){name.text + 1, name.size - 1}, how,
					    out, &put);
	}
	if (code || put)
		return code;
	if (how != REP_DEMANGLE_NONE && rep_rust_hash(name))
		return tp_buf_put(out, name.text, name.size - rep_rust_hash(name));
	if (how == REP_DEMANGLE_NONE || how == REP_DEMANGLE_FULL || !rep_cpp_looks_like(name))
		return tp_buf_put(out, name.text, name.size);
	return rep_cpp_strip(name, how == REP_DEMANGLE_DEFAULT, out);
}

int rep_demangle_parse(const char *text, enum rep_demangle *how, struct tp_err *err)
{
	static const char *const names[] = {"default", "templates", "full", "none"};

	*how = REP_DEMANGLE_DEFAULT;
	for (int i = 0; i < 4; i++) {
		if (!text || !strcmp(text, names[i])) {
			*how = (enum rep_demangle)i;
			return 0;
		}
	}
	return tp_err_set(err, TP_EFORMAT, TP_OFFSET_NONE,
			  "--demangle: '%.40s' is not one of default, templates, full and none",
			  text);
}

/* Returns whether a name needs no demangling, as most do not. */
static bool plain(struct tp_text t)
{
	if (t.size && t.text[0] == '_')
		return false;
	return !rep_cpp_looks_like(t);
}

static int demangle_one(struct tp_profile *p, uint32_t id, enum rep_demangle how,
			struct tp_buf *out)
{
	struct tp_function f = tp_dict_function_at(p->dict, id);
	bool force = how != REP_DEMANGLE_DEFAULT && f.system_name;
	struct tp_text name = tp_dict_text(p->dict, f.system_name);
	uint32_t to;
	int code;

	if (f.name && f.name != f.system_name && !force)
		return 0;
	if (plain(name)) {
		if (f.name != f.system_name && f.system_name)
			return tp_dict_rename_function(p->dict, id, f.system_name);
		return 0;
	}
	out->size = 0;
	code = rep_demangle_name(name, how, out);
	if (!code)
		code = tp_dict_string(p->dict, out->data, out->size, &to);
	return code ? code : tp_dict_rename_function(p->dict, id, to);
}

int rep_profile_demangle(struct tp_profile *p, enum rep_demangle how, struct tp_err *err)
{
	uint32_t n = how == REP_DEMANGLE_NONE ? 0 : tp_dict_functions(p->dict);
	struct tp_buf out = {0};
	size_t all = 0;
	int code = 0;

	for (uint32_t i = p->old_functions; i < n && !code && all < MOST; i++) {
		out.size = 0;
		code = demangle_one(p, i, how, &out);
		all += out.size;
	}
	tp_buf_release(&out);
	return code ? tp_err_full(err, code, "the profile has too many names") : 0;
}
