#include "paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/many.h"
#include "common/file.h"

/* ---- the list ---- */

/* Adds a file. Takes ownership of the name, even on failure. */
static int put(struct paths *p, char *name, uint64_t bytes, bool named, int wrong)
{
	if (!name || tp_grow(&p->list, &p->room, p->n, sizeof(*p->list))) {
		free(name);
		return TP_ENOMEM;
	}
	p->list[p->n] = (struct path){.name = name, .bytes = bytes, .named = named, .wrong = wrong};
	p->n++;
	p->bytes += bytes;
	return 0;
}

static void release_path(struct path *p)
{
	for (size_t k = 0; k < p->nlabels; k++)
		free(p->label[k]);
	free(p->label);
	free(p->as);
	free(p->name);
}

void paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		release_path(&p->list[i]);
	free(p->list);
	*p = (struct paths){0};
}

/* ---- labels ---- */

static bool same_key(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return !strncmp(a, b, n) && b[n] == '=';
}

static bool has_key(const struct path *p, const char *label)
{
	for (size_t i = 0; i < p->nlabels; i++)
		if (same_key(p->label[i], label))
			return true;
	return false;
}

/* Adds a label. Takes ownership of it, even on failure. */
static int put_label(struct path *p, char *label)
{
	char **grown = label ? tp_more(p->label, p->nlabels + 1, sizeof(*grown)) : NULL;

	if (!grown) {
		free(label);
		return TP_ENOMEM;
	}
	p->label = grown;
	p->label[p->nlabels++] = label;
	return 0;
}

size_t paths_labels(const struct path *p, const char *const *others, size_t n, const char **all)
{
	size_t count = 0;

	for (size_t i = 0; i < p->nlabels; i++)
		all[count++] = p->label[i];
	for (size_t i = 0; i < n; i++)
		if (!has_key(p, others[i]))
			all[count++] = others[i];
	return count;
}

static bool has(const char *const *labels, size_t n, const char *key, size_t size)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(labels[i], key, size) && labels[i][size] == '=')
			return true;
	return false;
}

const char *paths_missing(const struct path *p, const char *keys, const char *const *others,
			  size_t n, size_t *size)
{
	for (; keys && *keys; keys += *size + (keys[*size] == '/')) {
		*size = strcspn(keys, "/");
		if (*size && !has((const char *const *)p->label, p->nlabels, keys, *size) &&
		    !has(others, n, keys, *size))
			return keys;
	}
	return NULL;
}

/* Sets the name of the run and its labels from the path below the given folder. */
static int name_by_folders(struct path *p, size_t folder, const char *keys)
{
	const char *at = p->name + folder, *slash;

	while (*at == '/')
		at++;
	if (strchr(at, '/') && !(p->as = strdup(at)))
		return TP_ENOMEM;
	for (; keys && *keys && (slash = strchr(at, '/')); at = slash + 1) {
		size_t key = strcspn(keys, "/");
		char *label;

		if (key &&
		    (asprintf(&label, "%.*s=%.*s", (int)key, keys, (int)(slash - at), at) < 0 ||
		     put_label(p, label)))
			return TP_ENOMEM;
		keys += key + (keys[key] == '/');
	}
	return 0;
}

/* ---- folders ---- */

/* Names still to be visited, the next one at the end. */
struct stack {
	char **name;
	size_t n, room;
};

static int push(struct stack *s, char *name)
{
	if (!name || tp_grow(&s->name, &s->room, s->n, sizeof(*s->name))) {
		free(name);
		return TP_ENOMEM;
	}
	s->name[s->n++] = name;
	return 0;
}

static void release(struct stack *s)
{
	while (s->n)
		free(s->name[--s->n]);
	free(s->name);
}

static int backwards(const void *a, const void *b)
{
	return strcmp(*(char *const *)b, *(char *const *)a);
}

static char *join(const char *folder, const char *name)
{
	size_t n = strlen(folder), room = n + strlen(name) + 2;
	char *path = malloc(room);

	if (path)
		snprintf(path, room, "%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
	return path;
}

/* Pushes the entries of a folder, sorted. Returns 0, TP_EIO with errno set if it cannot be read, or
 * TP_ENOMEM. */
static int list_folder(const char *path, struct stack *s)
{
	DIR *d = opendir(path);
	size_t before = s->n;
	struct dirent *e;
	int code = 0, why;

	if (!d)
		return TP_EIO;
	while (!code && (errno = 0, e = readdir(d)))
		if (e->d_name[0] != '.' && push(s, join(path, e->d_name)))
			code = TP_ENOMEM;
	why = errno;
	closedir(d);
	if (code)
		return code;
	if (s->n > before)
		qsort(s->name + before, s->n - before, sizeof(*s->name), backwards);
	errno = why;
	return why ? TP_EIO : 0;
}

/* Handles a name that was found: adds a file to the list, or replaces a folder by its entries on
 * the stack. Takes ownership of the name. */
static int take(struct paths *p, struct stack *s, char *name, bool follow)
{
	struct stat st;
	enum cmd_sqlite is;
	int code;

	if (!name)
		return TP_ENOMEM;
	if (lstat(name, &st) || (S_ISLNK(st.st_mode) && stat(name, &st)))
		return put(p, name, 0, false, errno);
	if (S_ISDIR(st.st_mode)) {
		struct stat itself;

		code = 0;
		if (follow || (!lstat(name, &itself) && !S_ISLNK(itself.st_mode)))
			code = list_folder(name, s);
		if (code == TP_EIO)
			return put(p, name, 0, false, errno);
		free(name);
		return code;
	}
	if (S_ISREG(st.st_mode)) {
		is = cmd_file_sqlite(name);
		if (is == CMD_UNREAD)
			return put(p, name, 0, false, errno);
		if (is == CMD_NOT_SQLITE) /* skips SQLite files, as stores are often beside dumps */
			return put(p, name, (uint64_t)st.st_size, false, 0);
	}
	free(name);
	return 0;
}

static int walk(struct paths *p, const char *folder, struct tp_err *err)
{
	struct stack s = {0};
	size_t first = p->n;
	int code = take(p, &s, strdup(folder), true);
	bool below = s.n > 0; /* `folder` is a folder */

	while (!code && s.n)
		code = take(p, &s, s.name[--s.n], false);
	release(&s);
	for (size_t i = first; i < p->n && below && !code; i++)
		code = name_by_folders(&p->list[i], strlen(folder), p->keys);
	return code ? tp_nomem(err) : 0;
}

/* ---- other kinds of arguments ---- */

static bool is_folder(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool is_pattern(const char *argument)
{
	struct stat st;

	return strpbrk(argument, "*?[") && lstat(argument, &st);
}

bool paths_many(const char *argument)
{
	return *argument == '@' || is_folder(argument) || is_pattern(argument);
}

static int add_file(struct paths *p, const char *name, struct tp_err *err)
{
	struct stat st = {0};
	int wrong = strcmp(name, "-") != 0 && stat(name, &st) ? errno : 0;
	uint64_t bytes = !wrong && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;

	return put(p, strdup(name), bytes, true, wrong) ? tp_nomem(err) : 0;
}

static int add_pattern(struct paths *p, const char *pattern, struct tp_err *err)
{
	struct stack s = {0};
	glob_t found = {0};
	int code = 0, rc, why;

	errno = 0;
	rc = glob(pattern, GLOB_NOSORT | GLOB_ERR, NULL, &found);
	why = errno;
	/* When memory is out, glibc has freed the results without clearing `found`: no globfree. */
	if (rc == GLOB_NOSPACE)
		return tp_nomem(err);
	if (rc)
		globfree(&found);
	/* If a folder can be opened but not read, glob reports it only by errno. */
	if (rc)
		return put(p, strdup(pattern), 0, true, why ? why : ENOENT) ? tp_nomem(err) : 0;
	for (size_t i = 0; i < found.gl_pathc && !code; i++)
		code = push(&s, strdup(found.gl_pathv[i]));
	globfree(&found);
	if (s.n)
		qsort(s.name, s.n, sizeof(*s.name), backwards);
	for (size_t i = s.n; i && !code; i--)
		code = walk(p, s.name[i - 1], NULL);
	release(&s);
	return code ? tp_nomem(err) : 0;
}

/* Limit on the bytes of a list: the names of a hundred thousand dumps. */
#define MOST_LIST ((size_t)16 << 20)

/* A name in a list, with its fields. */
struct entry {
	const char *list;
	size_t line;
	size_t first;	 /* its first dump in paths; its dumps reach to the last one */
	struct path own; /* labels, and the name of the run */
};

/* Applies a field to all dumps of the entry. Returns 0, TP_ENOMEM, or TP_EUNKNOWN if the field is invalid. */
static int take_field(struct paths *p, struct entry *e, const char *field)
{
	struct path *own = &e->own;
	int code = 0;

	if (!strcmp(field, PATHS_FOUND)) {
		for (size_t i = e->first; i < p->n; i++)
			p->list[i].named = false;
		return 0;
	}
	if (*field == '=') {
		/* A name is for one dump. */
		if (!field[1] || own->as || p->n != e->first + 1)
			return TP_EUNKNOWN;
		own->as = strdup(field + 1);
		free(p->list[e->first].as);
		p->list[e->first].as = own->as ? strdup(own->as) : NULL;
		return p->list[e->first].as ? 0 : TP_ENOMEM;
	}
	if (!strchr(field, '=') || has_key(own, field))
		return TP_EUNKNOWN;
	code = put_label(own, strdup(field));
	for (size_t i = e->first; i < p->n && !code; i++) {
		struct path *one = &p->list[i];
		size_t k = 0;

		/* A label of the list replaces one from the name of a folder. */
		while (k < one->nlabels && !same_key(one->label[k], field))
			k++;
		if (k == one->nlabels) {
			code = put_label(one, strdup(field));
		} else {
			free(one->label[k]);
			one->label[k] = strdup(field);
			code = one->label[k] ? 0 : TP_ENOMEM;
		}
	}
	return code;
}

static int add_field(struct paths *p, struct entry *e, const char *field, struct tp_err *err)
{
	const char *eq = strchr(field, '=');
	int code;

	if (eq && eq > field && !eq[1])
		return tp_err_set(
		    err, TP_EUNKNOWN, TP_OFFSET_NONE,
		    "@%s: line %zu: '%.80s' has no value; leave the label out, or "
		    "take it from runs that have it: tprof-store label STORE RUN %.80s",
		    e->list, e->line, field, field);
	code = *field ? take_field(p, e, field) : 0;
	if (code == TP_EUNKNOWN)
		return tp_err_set(
		    err, code, TP_OFFSET_NONE,
		    "@%s: line %zu: '%.80s' is neither a label (KEY=VALUE, each key once) "
		    "nor the name of one file (=NAME)",
		    e->list, e->line, field);
	return code ? tp_nomem(err) : 0;
}

static int add_entry(struct paths *p, struct entry *e, const char *name, struct tp_err *err)
{
	release_path(&e->own);
	e->own = (struct path){0};
	e->first = p->n;
	return is_folder(name) ? walk(p, name, err) : add_file(p, name, err);
}

static int add_line(struct paths *p, struct entry *e, char *line, struct tp_err *err)
{
	char *field = strchr(line, '\t'), *next;
	int code;

	if (field)
		*field++ = '\0';
	if (!*line)
		return 0;
	code = add_entry(p, e, line, err);
	for (; field && !code; field = next) {
		next = strchr(field, '\t');
		if (next)
			*next++ = '\0';
		code = add_field(p, e, field, err);
	}
	return code;
}

/* Reads one part of a list with NULs, in which names and values may contain any other byte. */
static int add_zero(struct paths *p, struct entry *e, const char *text, struct tp_err *err)
{
	if (*text == '\t' && e->first < p->n)
		return add_field(p, e, text + 1, err);
	return *text ? add_entry(p, e, text, err) : 0;
}

static int add_names(struct paths *p, const char *list, char *text, size_t size, struct tp_err *err)
{
	/* The last byte is a newline that add_list() has added. */
	bool zeros = size > 1 && !text[size - 2];
	char *end = zeros ? text + size - 1 : text + size;
	struct entry e = {.list = list, .first = SIZE_MAX};
	int code = 0;

	if (size > 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "@%s: the list is in UTF-16; save it as UTF-8", list);
	if (size > 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	if (!zeros && memchr(text, 0, (size_t)(end - text)))
		return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
				  "@%s: the list contains bytes that no file name has", list);
	for (char *line = text, *next; line < end && !code; line = next) {
		next = memchr(line, zeros ? '\0' : '\n', (size_t)(end - line));
		*next++ = '\0'; /* the text ends with one */
		if (!zeros && next - line > 1 && next[-2] == '\r')
			next[-2] = '\0';
		e.line++;
		code = zeros ? add_zero(p, &e, line, err) : add_line(p, &e, line, err);
	}
	release_path(&e.own);
	return code;
}

/* Number of folders above that of a list in which its names are searched for. */
#define MOST_ABOVE 3

/* If no name of a list exists, searches for the first one in the folder of the list and in those
 * above. Returns an error with advice if it is there. */
static int look_beside(const struct paths *p, size_t first, const char *list, struct tp_err *err)
{
	const char *slash = strrchr(list, '/'), *name;
	char folder[1024], path[2048];
	int n;

	for (size_t i = first; i < p->n; i++)
		if (p->list[i].wrong != ENOENT || p->list[i].name[0] == '/')
			return 0;
	if (first == p->n || (slash && slash - list >= 900))
		return 0;
	name = p->list[first].name;
	n = slash ? (int)(slash - list + (slash == list)) : 1;
	snprintf(folder, sizeof(folder), "%.*s", n, slash ? list : ".");
	for (int above = 0; above <= MOST_ABOVE; above++) {
		const char *shown = !strncmp(folder, "./", 2) ? folder + 2 : folder;

		snprintf(path, sizeof(path), "%s/%.900s", folder, name);
		if (!access(path, F_OK))
			return tp_err_set(err, TP_EUNKNOWN, TP_OFFSET_NONE,
					  "@%s: names in a list are relative to the folder where "
					  "tprof-import runs, and none of these is there; %.80s is "
					  "in %.80s, so run the command there (cd %.80s)",
					  list, name, shown, shown);
		n = (int)strlen(folder);
		snprintf(folder + n, sizeof(folder) - (size_t)n, "/..");
	}
	return 0;
}

static int add_list(struct paths *p, const char *list, struct tp_err *err)
{
	size_t first = p->n;
	struct tp_buf text = {0};
	struct tp_err why;
	int code = cmd_read_file(list, MOST_LIST, &text, &why);

	if (code == TP_ENOMEM)
		tp_nomem(err);
	else if (code)
		tp_err_set(err, code, TP_OFFSET_NONE, "@%s: the list %s%s%s%s", list,
			   code == TP_ELIMIT ? "" : "cannot be read: ", why.msg,
			   code == TP_ENOENT ? "; a dump of that name is given as ./@" : "",
			   code == TP_ENOENT ? list : "");
	else if (tp_buf_put(&text, "\n", 1))
		code = tp_nomem(err);
	else
		code = add_names(p, list, (char *)text.data, text.size, err);
	if (!code && strcmp(list, "-") != 0)
		code = look_beside(p, first, list, err);
	tp_buf_release(&text);
	return code;
}

int paths_add(struct paths *p, const char *argument, struct tp_err *err)
{
	if (*argument == '@')
		return add_list(p, argument + 1, err);
	errno = 0;
	if (is_folder(argument))
		return walk(p, argument, err);
	if (errno == EIO) /* the type of the file is unknown */
		return put(p, strdup(argument), 0, true, EIO) ? tp_nomem(err) : 0;
	return is_pattern(argument) ? add_pattern(p, argument, err) : add_file(p, argument, err);
}
