#include "profile/code/gosource.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sourcepath.h"

#define LONGEST 4096

/* A search for one source file. */
struct hunt {
	const struct rep_go_places *places;
	rep_go_try try;
	void *ctx;
	bool found;
	int code;
};

static bool is_over(const struct hunt *h)
{
	return h->found || h->code;
}

static void try_file(struct hunt *h, struct tp_text folder, const char *below, const char *rest)
{
	char path[3 * LONGEST];
	int n;

	if (is_over(h) || !folder.size || !*rest)
		return;
	n = snprintf(path, sizeof(path), "%.*s%s%s", (int)folder.size, folder.text, below, rest);
	if (n > 0 && (size_t)n < sizeof(path))
		h->code = h->try(h->ctx, path, &h->found);
}

static struct tp_text text_of(const char *s)
{
	return (struct tp_text){s ? s : "", s ? (uint32_t)strlen(s) : 0};
}

static void try_gopath(struct hunt *h, const char *below, const char *rest)
{
	const char *list = h->places->gopath ? h->places->gopath : "";
	struct tp_text folder;

	while (rep_path_next(&list, &folder))
		try_file(h, folder, below, rest);
}

static void try_cache(struct hunt *h, const char *rest)
{
	if (h->places->modcache && *h->places->modcache)
		try_file(h, text_of(h->places->modcache), "/", rest);
	else
		try_gopath(h, "/pkg/mod/", rest);
}

/* Returns where the version of a module begins, NULL if the name has none. *behind is the end of
 * the version. */
static const char *version_of(const char *name, const char **behind)
{
	const char *at = strchr(name, '@');

	*behind = at ? at + strcspn(at, "/") : NULL;
	return at && at > name && **behind ? at : NULL;
}

/* Replaces each upper-case letter X by "!x" in the module path and version, but not in the file's
 * path inside the module. */
static bool escape(const char *name, char out[LONGEST])
{
	const char *behind;
	size_t n = 0;

	if (!version_of(name, &behind))
		return false;
	for (const char *c = name; *c; c++) {
		bool upper = c < behind && isupper((unsigned char)*c);

		if (n + 3 > LONGEST)
			return false;
		if (upper)
			out[n++] = '!';
		out[n++] = upper ? (char)tolower((unsigned char)*c) : *c;
	}
	out[n] = 0;
	return true;
}

/* Undoes that, up to the end of the version. */
static void unescape(const char *name, char out[LONGEST])
{
	const char *behind;
	size_t n = 0;

	version_of(name, &behind);
	for (const char *c = name; *c && n + 1 < LONGEST; c++) {
		bool upper = behind && c < behind && *c == '!' && islower((unsigned char)c[1]);

		out[n++] = upper ? (char)toupper((unsigned char)*++c) : *c;
	}
	out[n] = 0;
}

/* Vendor folders and names of packages have no versions. */
static void drop_version(char *name)
{
	const char *behind, *at = version_of(name, &behind);

	if (at)
		memmove(name + (at - name), behind, strlen(behind) + 1);
}

/* ---- modules ---- */

/* Returns whether a folder has a go.mod. If `name` begins with the path of that module, *rest is
 * the part of `name` after it, else NULL. */
static bool is_module(const char *folder, const char *name, const char **rest)
{
	char path[LONGEST + 16], text[16384];
	ssize_t size = 0;
	struct stat st;
	int n = snprintf(path, sizeof(path), "%s/go.mod", folder), fd;

	*rest = NULL;
	fd = n > 0 && (size_t)n < sizeof(path)
		 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
		 : -1;
	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
		size = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[size > 0 ? size : 0] = 0;
	/* The line is "module example.com/shop"; the path may be quoted, and a comment may follow.
	 */
	for (const char *line = text; line; line = strchr(line, '\n')) {
		size_t length;

		line += strspn(line, " \t\r\n");
		if (strncmp(line, "module", 6) != 0 || !strchr(" \t", line[6]))
			continue;
		line += 6;
		line += strspn(line, " \t\"`");
		length = strcspn(line, " \t\r\n\"`");
		if (length && !strncmp(name, line, length) && name[length] == '/')
			*rest = name + length + 1;
		break;
	}
	return true;
}

static bool go_up(char *folder)
{
	char *slash = strrchr(folder, '/');

	if (!slash || !slash[1])
		return false;
	slash[slash == folder] = 0;
	return true;
}

/* Tries a folder and those above it: the nearest module, and all vendor folders. */
static void climb(struct hunt *h, struct tp_text from, const char *name, const char *vendored)
{
	char folder[LONGEST];
	bool module = false;

	if (!from.size || from.size >= sizeof(folder))
		return;
	snprintf(folder, sizeof(folder), "%.*s", (int)from.size, from.text);
	do {
		struct tp_text here = text_of(folder);
		const char *rest;

		if (*vendored)
			try_file(h, here, "/vendor/", vendored);
		if (*name && !module && is_module(folder, name, &rest)) {
			module = true;
			try_file(h, here, "/", rest ? rest : "");
		}
	} while (!is_over(h) && go_up(folder));
}

/* Tries modules and vendor folders. `name` begins with the path of a module; `vendored` is a path
 * below a vendor folder. Either may be "". */
static void try_modules(struct hunt *h, const char *search, const char *program, const char *name,
			const char *vendored)
{
	const char *slash = program ? strrchr(program, '/') : NULL;
	struct tp_text folder;

	while (search && rep_path_next(&search, &folder))
		climb(h, folder, name, vendored);
	if (slash && slash > program)
		climb(h, (struct tp_text){program, (uint32_t)(slash - program)}, name, vendored);
}

/* ---- names ---- */

static const char *last_of(const char *text, const char *what)
{
	const char *found = NULL;

	for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
		found = at;
	return found;
}

/* Returns whether the path before "/src/" looks like a GOROOT: …/go, …/go1.22.1, …/go-1.27,
 * …/toolchain@v0.0.1-go1.22.1.linux-amd64, …/libexec */
static bool is_goroot(const char *path, const char *src)
{
	const char *base = src;
	size_t n;

	while (base > path && base[-1] != '/')
		base--;
	n = (size_t)(src - base);
	return (n >= 2 && !memcmp(base, "go", 2) && (n == 2 || !isalpha((unsigned char)base[2]))) ||
	       (n > 10 && !memcmp(base, "toolchain@", 10)) ||
	       (n == 7 && !memcmp(base, "libexec", 7));
}

static void find_whole(struct hunt *h, const char *search, const char *program, const char *path)
{
	const char *at = last_of(path, "/pkg/mod/");
	char name[LONGEST];

	if (at) {
		try_cache(h, at + 9);
		unescape(at + 9, name);
		drop_version(name);
		try_modules(h, search, program, name, name);
	}
	for (at = strstr(path, "/src/"); at && !is_over(h); at = strstr(at + 1, "/src/")) {
		if (is_goroot(path, at))
			try_file(h, text_of(h->places->goroot), "/src/", at + 5);
		try_gopath(h, "/src/", at + 5);
	}
	at = last_of(path, "/vendor/");
	if (at && !is_over(h))
		try_modules(h, search, program, "", at + 8);
}

static void find_trimmed(struct hunt *h, const char *search, const char *program, char *path)
{
	char name[LONGEST];
	const char *behind;

	if (version_of(path, &behind)) {
		if (escape(path, name))
			try_cache(h, name);
		drop_version(path);
	} else {
		try_file(h, text_of(h->places->goroot), "/src/", path);
		try_gopath(h, "/src/", path);
	}
	if (!is_over(h))
		try_modules(h, search, program, path, path);
}

int rep_go_source_find(const struct rep_go_places *places, const char *search, const char *program,
		       struct tp_text path, rep_go_try try, void *ctx, bool *found)
{
	struct hunt h = {.places = places, .try = try, .ctx = ctx};
	struct tp_buf clean = {0};
	char name[LONGEST];

	*found = false;
	if (!path.size || path.size >= sizeof(name) || memchr(path.text, 0, path.size))
		return 0;
	/* The rest of the name must not lead out of a folder. */
	h.code = rep_path_clean(path.text, path.size, &clean);
	if (!h.code && clean.size < sizeof(name) &&
	    !(clean.size >= 2 && !memcmp(clean.data, "..", 2) &&
	      (clean.size == 2 || clean.data[2] == '/'))) {
		memcpy(name, clean.data, clean.size);
		name[clean.size] = 0;
		if (*name == '/')
			find_whole(&h, search, program, name);
		else
			find_trimmed(&h, search, program, name);
	}
	tp_buf_release(&clean);
	*found = h.found;
	return h.code;
}
